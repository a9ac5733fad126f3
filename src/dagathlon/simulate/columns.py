"""Transforms of columns: standardisation, selection and reordering of variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from zlib import crc32

import numpy as np

from dagathlon.data import Dataset
from dagathlon.data.spec import DataFacts
from dagathlon.errors import NotApplicableError, listing, suggestion
from dagathlon.modules import Module
from dagathlon.simulate.row_generator import standardize
from dagathlon.simulate.transform import ObservedTruth, Transform

_NO_SCALE = "discrete data have no mean and no variance to standardise"


@dataclass(frozen=True, kw_only=True)
class Standardize(Transform):
    """Shift and scale continuous columns to mean 0 and variance 1."""

    name = "standardize"
    for_fresh_data = True

    def not_applicable(self, data: DataFacts) -> str:
        """Return a message if no column is continuous; empty otherwise."""
        return _NO_SCALE if data.kind == "discrete" else ""

    def apply(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Standardise the continuous columns; discrete columns stay as they are."""
        if data.is_discrete:
            raise NotApplicableError(f"{self.label}: {_NO_SCALE}")
        return standardize(data)


@dataclass(frozen=True, kw_only=True)
class Select(Transform):
    """Select some of the variables; the truth is projected onto them (a MAG).

    Parameters
    ----------
    variables
        Names of the selected variables, in their new order.
    """

    name = "select"
    for_fresh_data = True

    variables: tuple[str, ...]

    def problem(self) -> str:
        """Return a message if the list of variables is empty or has repetitions."""
        return _named_once(self.variables)

    def facts(self, data: DataFacts) -> DataFacts:
        """Return the properties of the selected data: number of columns, possibly the kind."""
        mixed = data.kind == "mixed"
        binary = True if data.binary else None if data.binary is None or mixed else data.binary
        missing = None if data.missing else data.missing
        return replace(
            data,
            kind=None if mixed else data.kind,
            binary=binary,
            missing=missing,
            n_columns=len(self.variables),
        )

    def apply(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with the selected columns alone."""
        absent = [name for name in self.variables if name not in data.index]
        if absent:
            raise NotApplicableError(
                f"select: there is no variable {absent[0]!r}; variables: {listing(data.names)}"
            )
        return data.select(self.variables)

    def truth_step(self) -> Module:
        """Return the projection of the truth onto the remaining variables."""
        return ObservedTruth()


@dataclass(frozen=True, kw_only=True)
class Arrange(Transform):
    """Reorder the columns, on which the tie-breaking of some learners depends.

    Parameters
    ----------
    variables
        Names in their new order. Other columns follow in their old order. Names that the data do
        not have, such as those of hidden variables, are skipped, but at least one must be known.
    """

    name = "arrange"
    for_fresh_data = True

    variables: tuple[str, ...]

    def problem(self) -> str:
        """Return a message if the list of variables is empty or has repetitions."""
        return _named_once(self.variables)

    @property
    def code(self) -> str:
        """The first name and a checksum of all names, since lists may be long."""
        number = crc32(repr(self.variables).encode()) % 10_000
        return f"{self.variables[0].replace('/', '_')},{number:04d}"

    def apply(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with reordered columns."""
        first = [name for name in self.variables if name in data.index]
        if not first:
            raise NotApplicableError(no_such_variables(self.variables, data.names))
        named = set(first)
        return data.select([*first, *(name for name in data.names if name not in named)])


def no_such_variables(variables: Sequence[str], known: Sequence[str]) -> str:
    """Return the message that none of the named variables is in the data."""
    near = suggestion(variables[0], known)
    return (
        f"arrange: the data have none of the variables {listing(variables)}{near}; variables: "
        f"{listing(known)}"
    )


def _named_once(variables: Sequence[str]) -> str:
    """Return what is wrong with a list of variables; empty if nothing is."""
    if not variables:
        return "variables names at least one variable"
    twice = [name for name in variables if variables.count(name) > 1]
    return f"variables names {twice[0]!r} twice" if twice else ""
