"""`learn`: any learner by its name."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from inspect import signature
from typing import Any, cast

import numpy as np

from dagathlon.data import Dataset, facts_of, read_data
from dagathlon.errors import DagathlonError, DataError, UnavailableError
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate, Learner
from dagathlon.modules import find

# Sums over all rows of products of two numbers of this size are far from the largest double.
_LARGEST = 1e100


def learn(
    data: Any, name: str, *, seed: int = 1, start: Graph | None = None, **parameters: Any
) -> Estimate:
    """Learn a graph from data.

    Parameters
    ----------
    data
        A `Dataset`, or anything `read_data` takes: a file, a data frame, an array.
    name
        The learner; ``dagathlon modules`` lists them.
    seed
        Seed of the learner's random numbers.
    start
        A graph to begin with, or the search space of a learner that has one; for learners with the
        parameter ``input_algorithm_id``, by which a study names it.
    **parameters
        The learner's parameters; the others have their defaults. A ``timeout`` that ends a run is
        kept by studies and by the command ``dagathlon learn``; a call of this function is not
        stopped by it.

    Returns
    -------
    Estimate
        The graph (``.graph``) and what was counted on the way (``.stats``).

    Examples
    --------
    >>> learn("measurements.csv", "corr_thresh", thresh=0.2).graph  # doctest: +SKIP
    """
    table = data if isinstance(data, Dataset) else read_data(data)
    learner = cast(Learner, find("algorithm", name).from_json(parameters, name))
    if learner.unavailable:
        raise UnavailableError(f"{name} cannot run here: {learner.unavailable}")
    _refuse_unsuited(learner, table)
    _refuse_overflow(table)
    learner.prepare()
    rng = np.random.Generator(np.random.Philox(key=seed))
    with _threads(learner):
        if start is None:
            _refuse_unknown_start(learner)
            return _checked(name, learner.learn(table, rng))
        if "start" not in signature(learner.learn).parameters:
            raise DataError(f"{name} cannot start from a graph")
        return _checked(name, cast(Any, learner).learn(table, rng, start=start))


def _checked(name: str, estimate: object) -> Estimate:
    if not isinstance(estimate, Estimate):
        raise DagathlonError(f"{name}: learn returned {type(estimate).__name__}, not an Estimate")
    return estimate


def _refuse_unsuited(learner: Learner, data: Dataset) -> None:
    facts = facts_of(data)
    problem = learner.objection(facts)
    if problem:
        # What is said of the same data without gaps as well is not said because of them.
        about_gaps = problem != learner.objection(replace(facts, missing=False))
        raise DataError(f"{problem}{_gaps(data) if about_gaps else ''}")


def _gaps(data: Dataset) -> str:
    """How many rows have missing values, for those who are told that they may not."""
    if data.missing is None:
        return ""
    gaps = int(data.missing.any(axis=1).sum())
    return f" ({gaps:,} of {len(data):,} rows have missing values)"


def _threads(learner: Learner) -> AbstractContextManager[object]:
    """One thread for linear algebra, as in the workers of a study."""
    if not learner.uses_blas:
        return nullcontext()
    # Imported here: few learners need it.
    from threadpoolctl import threadpool_limits  # noqa: PLC0415

    return cast(AbstractContextManager[object], threadpool_limits(limits=1, user_api="blas"))


def _refuse_overflow(data: Dataset) -> None:
    """Refuse numbers whose squares have no place among floating-point numbers."""
    continuous = [variable for variable in data.variables if not variable.is_discrete]
    for variable, column in zip(continuous, data.values.T, strict=True):
        largest = np.nanmax(np.abs(column), initial=0.0)
        if largest > _LARGEST:
            raise DataError(
                f"column {variable.name!r} has values of size {largest:.3g}, too large to compute "
                f"with (at most {_LARGEST:g}); measure it in another unit"
            )


def _refuse_unknown_start(learner: Learner) -> None:
    for parameter, spec in type(learner).parameters().items():
        refers = spec.type.reference is not None and spec.type.reference.to == "algorithm"
        if refers and getattr(learner, spec.attribute) is not None:
            raise DataError(
                f"{learner.name}: {parameter} names an algorithm of a study, and there is none "
                "here; give the graph itself (start=... in Python)"
            )
