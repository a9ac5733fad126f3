"""Transforms of columns: another scale, a choice of variables, another order."""

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
        """Some column must be continuous."""
        return _NO_SCALE if data.kind == "discrete" else ""

    def apply(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """The data on their new scale; discrete columns stay as they are."""
        if data.is_discrete:
            raise NotApplicableError(f"{self.label}: {_NO_SCALE}")
        return standardize(data)


@dataclass(frozen=True, kw_only=True)
class Select(Transform):
    """Keep some of the variables; the truth becomes that about them, a MAG where some are hidden.

    Parameters
    ----------
    variables
        Names of the variables to keep, in the order they are to have.
    """

    name = "select"
    for_fresh_data = True

    variables: tuple[str, ...]

    def problem(self) -> str:
        """At least one variable, each once."""
        return _named_once(self.variables)

    def facts(self, data: DataFacts) -> DataFacts:
        """The number of columns is known; mixed data may become of one kind."""
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
        """The chosen columns."""
        absent = [name for name in self.variables if name not in data.index]
        if absent:
            raise NotApplicableError(
                f"select: there is no variable {absent[0]!r}; variables: {listing(data.names)}"
            )
        return data.select(self.variables)

    def truth_step(self) -> Module:
        """Variables that are left out are hidden ones."""
        return ObservedTruth()


@dataclass(frozen=True, kw_only=True)
class Arrange(Transform):
    """Put the columns into another order, on which the ties of some learners depend.

    Parameters
    ----------
    variables
        Names in the order they are to have. Columns that are not named come behind them, as they
        were; names that the data do not have, such as those of hidden variables, are passed over,
        but not all of them.
    """

    name = "arrange"
    for_fresh_data = True

    variables: tuple[str, ...]

    def problem(self) -> str:
        """At least one variable, each once."""
        return _named_once(self.variables)

    @property
    def code(self) -> str:
        """Only the first name, and a number for all of them: lists may be long."""
        number = crc32(repr(self.variables).encode()) % 10_000
        return f"{self.variables[0].replace('/', '_')},{number:04d}"

    def apply(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """The same data in the new order."""
        first = [name for name in self.variables if name in data.index]
        if not first:
            raise NotApplicableError(none_there(self.variables, data.names))
        named = set(first)
        return data.select([*first, *(name for name in data.names if name not in named)])


def none_there(variables: Sequence[str], known: Sequence[str]) -> str:
    """Say that the data have none of the names that they are to be arranged by."""
    near = suggestion(variables[0], known)
    return (
        f"arrange: the data have none of the variables {listing(variables)}{near}; variables: "
        f"{listing(known)}"
    )


def _named_once(variables: Sequence[str]) -> str:
    """What is wrong with a list of variables; empty when nothing is."""
    if not variables:
        return "variables names at least one variable"
    twice = [name for name in variables if variables.count(name) > 1]
    return f"variables names {twice[0]!r} twice" if twice else ""
