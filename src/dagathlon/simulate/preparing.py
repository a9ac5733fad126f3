"""Transforms that prepare data for learners: imputation, discretisation, logarithms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from dagathlon.data import Dataset
from dagathlon.data.preparing.discretization import (
    DEFAULT_INITIAL,
    DEFAULT_LEVELS,
    Method,
    discretize,
)
from dagathlon.data.preparing.gaps import drop_missing
from dagathlon.data.preparing.imputation import DEFAULT_SWEEPS, impute
from dagathlon.data.preparing.logarithms import log_columns
from dagathlon.data.spec import DataFacts, DataKind
from dagathlon.errors import DataError, NotApplicableError
from dagathlon.modules import Natural, Range
from dagathlon.simulate.transform import Transform

_NOT_CONTINUOUS = "all columns are discrete"


@dataclass(frozen=True, kw_only=True)
class DropMissing(Transform):
    """Drop the rows with missing values.

    That is unbiased if values are missing completely at random, and costs rows in any case.
    """

    name = "drop_missing"

    def facts(self, data: DataFacts) -> DataFacts:
        """Return the properties of the data: no missing values, an unknown number of rows."""
        return replace(data, missing=False, n_rows=data.n_rows if data.missing is False else None)

    def apply(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the complete rows."""
        return _or_not_applicable(self, lambda: drop_missing(data))


@dataclass(frozen=True, kw_only=True)
class Impute(Transform):
    """Impute missing values by chained equations, once or several times.

    Continuous values are imputed by predictive mean matching, discrete ones by classification
    trees. Learning from one imputed copy treats imputed values as observed. With several copies
    the data stay as they are, and every learner learns from all copies, the same for all
    learners, and pools the results, as the learner `imputed` does.

    Parameters
    ----------
    copies
        Number of imputed copies.
    number
        Number of a single copy: other numbers give other imputations.
    sweeps
        Number of sweeps over the columns, for a single copy.
    """

    name = "impute"

    copies: Natural = 1
    number: Natural = 1
    sweeps: Natural = DEFAULT_SWEEPS

    @property
    def code(self) -> str:
        """The number of copies, or the number of the copy used."""
        return f"{self.copies}" if self.copies > 1 else f"1,{self.number}"

    @property
    def pooled_copies(self) -> int:
        """Number of copies that learners pool; 0 if a single copy is made."""
        return self.copies if self.copies > 1 else 0

    def facts(self, data: DataFacts) -> DataFacts:
        """Return the properties of the data for learners: no missing values."""
        return replace(data, missing=False)

    def apply(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return one imputed copy, or the data unchanged if learners pool several."""
        if self.copies > 1:
            return data
        seed = int(rng.integers(2**62))
        return _or_not_applicable(self, lambda: impute(data, 1, sweeps=self.sweeps, seed=seed)[0])


@dataclass(frozen=True, kw_only=True)
class Discretize(Transform):
    """Discretise continuous columns into levels, which are named by intervals.

    Equal values get the same level, empty levels are omitted, and missing values stay missing.

    Parameters
    ----------
    method
        ``equal_width``: intervals of the same width. ``equal_frequency``: equal numbers of values
        in each level, up to ties. ``hartemink``: `initial` levels of equal frequency, of which
        neighbours are joined so that the least mutual information between columns is lost. ``mdl``:
        the histogram of minimum description length, with 2 to `levels` intervals.
    levels
        Largest number of levels.
    columns
        The columns; null is all continuous ones.
    initial
        Number of initial levels of ``hartemink``.
    """

    name = "discretize"
    keeps_model = False
    references = (
        "Hartemink 2001, Principled computational methods for the validation and discovery of "
        "genetic regulatory networks, MIT",
        "Kontkanen and Myllymäki 2007, MDL histogram density estimation, AISTATS",
    )

    method: Method = "equal_frequency"
    levels: Annotated[int, Range(2, 255)] = DEFAULT_LEVELS
    columns: tuple[str, ...] | None = None
    initial: Annotated[int, Range(2, 255)] = DEFAULT_INITIAL

    @property
    def code(self) -> str:
        """The method, the number of levels and the selected columns, if any."""
        named = () if self.columns is None else ("+".join(self.columns).replace("/", "_"),)
        return ",".join([self.method, str(self.levels), *named])

    def problem(self) -> str:
        """Return a message if hartemink starts with fewer levels than it returns."""
        if self.method == "hartemink" and self.initial < self.levels:
            return f"hartemink begins with initial levels, at least as many as {self.levels}"
        return _listed(self.columns)

    def not_applicable(self, data: DataFacts) -> str:
        """Return a message if no column is continuous; empty otherwise."""
        return _NOT_CONTINUOUS if data.kind == "discrete" else ""

    def facts(self, data: DataFacts) -> DataFacts:
        """Return the properties of the data: discrete, unless only some columns are selected."""
        if self.columns is None:
            binary = self.levels == 2 and (data.kind == "continuous" or data.binary)
            return replace(data, kind="discrete", binary=binary or None)
        some = data.n_columns is None or len(self.columns) < data.n_columns
        known = some and data.kind == "continuous" and data.n_columns is not None
        kind: DataKind | None = "mixed" if known else None
        return replace(data, kind=kind, binary=None)

    def apply(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the discretised data."""
        if data.is_discrete:
            raise NotApplicableError(f"{self.name}: {_NOT_CONTINUOUS}")
        levels, initial = self.levels, max(self.initial, self.levels)
        return _or_not_applicable(
            self,
            lambda: discretize(
                data, self.method, levels=levels, columns=self.columns, initial=initial
            ),
        )


@dataclass(frozen=True, kw_only=True)
class Log(Transform):
    """Replace continuous values by their natural logarithms.

    Parameters
    ----------
    columns
        The columns; null is all continuous ones.
    offset
        Number added to all values first; null adds half of the smallest positive value to columns
        with zeros, and nothing to the others. Negative values have no logarithm and are refused.
    """

    name = "log"
    keeps_model = False

    columns: tuple[str, ...] | None = None
    offset: float | None = None

    def problem(self) -> str:
        """Return a message if a column is named twice; empty otherwise."""
        return _listed(self.columns)

    def not_applicable(self, data: DataFacts) -> str:
        """Return a message if no column is continuous; empty otherwise."""
        return _NOT_CONTINUOUS if data.kind == "discrete" else ""

    def apply(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with logarithms."""
        if data.is_discrete:
            raise NotApplicableError(f"{self.name}: {_NOT_CONTINUOUS}")
        return _or_not_applicable(self, lambda: log_columns(data, self.columns, offset=self.offset))


def _listed(columns: tuple[str, ...] | None) -> str:
    """Return what is wrong with a list of columns; empty if nothing is."""
    if columns is None:
        return ""
    if not columns:
        return "columns names at least one column; null is all"
    twice = [name for name in columns if columns.count(name) > 1]
    return f"columns names {twice[0]!r} twice" if twice else ""


def _or_not_applicable(step: Transform, make: Callable[[], Dataset]) -> Dataset:
    """Call a function that makes data, turning a `DataError` into a `NotApplicableError`."""
    try:
        return make()
    except DataError as error:
        raise NotApplicableError(f"{step.name}: {error}") from None
