"""Transforms that select rows: subsamples, bootstrap samples and folds."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dagathlon.data import Dataset
from dagathlon.data.spec import DataFacts
from dagathlon.errors import NotApplicableError
from dagathlon.modules import Natural
from dagathlon.simulate.transform import Transform


@dataclass(frozen=True, kw_only=True)
class Subsample(Transform):
    """Subsample: random rows without replacement.

    A smaller subsample of the same number is a prefix of a larger one.

    Parameters
    ----------
    n
        Number of rows.
    number
        Number of the subsample: other numbers give other rows.
    """

    name = "subsample"
    outside_stream = frozenset({"n"})

    n: Natural
    number: Natural = 1

    def facts(self, data: DataFacts) -> DataFacts:
        """Return the properties of the data with the new number of rows."""
        return replace(data, n_rows=self.n)

    def not_applicable(self, data: DataFacts) -> str:
        """Return a message if there are fewer rows; empty otherwise."""
        return "" if data.n_rows is None else self._reason(data.n_rows)

    def _reason(self, rows: int) -> str:
        return f"there are {rows} rows to take {self.n} from" if rows < self.n else ""

    def apply(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the selected rows, in random order."""
        reason = self._reason(len(data))
        if reason:
            raise NotApplicableError(f"{self.label}: {reason}")
        return data.take(rng.permutation(len(data))[: self.n])


@dataclass(frozen=True, kw_only=True)
class BootstrapSample(Transform):
    """Bootstrap sample: random rows with replacement.

    Parameters
    ----------
    n
        Number of rows; null is the number of rows of the data.
    number
        Number of the bootstrap sample: other numbers give other rows.
    """

    name = "bootstrap"
    outside_stream = frozenset({"n"})

    n: Natural | None = None
    number: Natural = 1

    def facts(self, data: DataFacts) -> DataFacts:
        """Return the properties of the data, which may have repeated rows."""
        return data if self.n is None else replace(data, n_rows=self.n)

    def not_applicable(self, data: DataFacts) -> str:
        """Return a message if there are no rows; empty otherwise."""
        return "there are no rows to take" if data.n_rows == 0 else ""

    def apply(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the selected rows, in random order."""
        if not len(data):
            raise NotApplicableError(f"{self.label}: there are no rows to take")
        return data.take(rng.integers(0, len(data), self.n or len(data)))


@dataclass(frozen=True, kw_only=True)
class Fold(Transform):
    """Fold of a cross-validation: the rows without one random part, or that part alone.

    The parts are the same for all numbers and for all learners; their sizes differ by one row
    at most. Rows keep their order.

    Parameters
    ----------
    number
        Number of the part, from 1.
    folds
        Number of parts.
    left_out
        Whether to take the rows of the part, instead of all others.
    """

    name = "fold"
    outside_stream = frozenset({"number", "folds", "left_out"})

    number: Natural = 1
    folds: Natural = 10
    left_out: bool = False

    @property
    def code(self) -> str:
        """The fold as text: ``3of10``, or ``3of10,left_out``."""
        return f"{self.number}of{self.folds}" + (",left_out" if self.left_out else "")

    def problem(self) -> str:
        """Return a message if there is no such fold, or fewer than two; empty otherwise."""
        if self.folds < 2:
            return "rows are left out of 2 or more folds"
        return f"there is no part {self.number}" if self.number > self.folds else ""

    def facts(self, data: DataFacts) -> DataFacts:
        """Return the properties of the data with the new number of rows, if known."""
        if data.n_rows is None:
            return data
        part = len(range(self.number - 1, data.n_rows, self.folds))
        return replace(data, n_rows=part if self.left_out else data.n_rows - part)

    def not_applicable(self, data: DataFacts) -> str:
        """Return a message if there are fewer rows than folds; empty otherwise."""
        return "" if data.n_rows is None else self._reason(data.n_rows)

    def _reason(self, rows: int) -> str:
        few = rows < self.folds
        return f"{self.folds} folds need a row each, and there are {rows}" if few else ""

    def apply(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the selected rows, in the order of the data."""
        reason = self._reason(len(data))
        if reason:
            raise NotApplicableError(f"{self.label}: {reason}")
        part = np.empty(len(data), dtype=np.intp)
        part[rng.permutation(len(data))] = np.arange(len(data)) % self.folds
        mine = part == self.number - 1
        return data.take(np.flatnonzero(mine if self.left_out else ~mine))
