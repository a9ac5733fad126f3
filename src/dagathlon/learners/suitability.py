"""Checks whether a learner can be run on some data: kind, missing values, overflow."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dagathlon.data.spec import facts_of
from dagathlon.errors import DataError, UnsuitedError, listing

if TYPE_CHECKING:
    from dagathlon.data import Dataset
    from dagathlon.learners.base import Learner

# Sums over all rows of products of two numbers of this size are far from the largest double.
_LARGEST = 1e100


def refuse_unsuited(learner: Learner, data: Dataset) -> None:
    """Raise an error for data of the wrong kind, with missing values, or too large values."""
    facts = facts_of(data)
    problem = learner.why_unsuitable(facts)
    if problem:
        # A message that stays the same without missing values is not about them.
        about_gaps = problem != learner.why_unsuitable(replace(facts, missing=False))
        raise UnsuitedError(f"{problem}{_gaps(data) if about_gaps else _columns(learner, data)}")
    _refuse_overflow(data)


def _gaps(data: Dataset) -> str:
    """Return a remark with the number of rows that have missing values, for an error message."""
    if data.missing is None:
        return ""
    gaps = int(data.missing.any(axis=1).sum())
    return f" ({gaps:,} of {len(data):,} rows have missing values)"


def _columns(learner: Learner, data: Dataset) -> str:
    """Return a remark with the columns of the kind that the learner does not take."""
    accepted = learner.accepted()
    if not data.is_mixed or "mixed" in accepted or len(accepted) != 1:
        return ""
    discrete = accepted == {"continuous"}
    names = [variable.name for variable in data.variables if variable.is_discrete == discrete]
    return f" ({'discrete' if discrete else 'continuous'}: {listing(names)})"


def _refuse_overflow(data: Dataset) -> None:
    """Raise an error for values so large that their squares overflow."""
    if not len(data):
        return
    lowest, highest = data.ranges
    sizes = np.fmax(np.abs(lowest), np.abs(highest))
    if np.fmax.reduce(sizes, initial=0.0) <= _LARGEST:
        return
    column = int(np.argmax(sizes > _LARGEST))
    names = [variable.name for variable in data.variables if not variable.is_discrete]
    raise DataError(
        f"column {names[column]!r} has values of size {sizes[column]:.3g}, too large to compute "
        f"with (at most {_LARGEST:g}); measure it in another unit"
    )
