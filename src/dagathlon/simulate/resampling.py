"""Transforms that choose rows: subsamples, bootstrap samples and folds."""

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
    """Take rows at random, each at most once.

    A smaller subsample of the same number is the beginning of a larger one.

    Parameters
    ----------
    n
        Number of rows.
    number
        Which of many subsamples.
    """

    name = "subsample"
    outside_stream = frozenset({"n"})

    n: Natural
    number: Natural = 1

    def facts(self, data: DataFacts) -> DataFacts:
        """The number of rows is known."""
        return replace(data, n_rows=self.n)

    def not_applicable(self, data: DataFacts) -> str:
        """There must be as many rows."""
        return "" if data.n_rows is None else self._reason(data.n_rows)

    def _reason(self, rows: int) -> str:
        return f"there are {rows} rows to take {self.n} from" if rows < self.n else ""

    def apply(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """The chosen rows, in random order."""
        reason = self._reason(len(data))
        if reason:
            raise NotApplicableError(f"{self.label}: {reason}")
        return data.take(rng.permutation(len(data))[: self.n])


@dataclass(frozen=True, kw_only=True)
class BootstrapSample(Transform):
    """Take rows at random with replacement.

    Parameters
    ----------
    n
        Number of rows; null takes as many as there are.
    number
        Which of many bootstrap samples.
    """

    name = "bootstrap"
    outside_stream = frozenset({"n"})

    n: Natural | None = None
    number: Natural = 1

    def facts(self, data: DataFacts) -> DataFacts:
        """Rows may repeat; their number is known if it was before."""
        return data if self.n is None else replace(data, n_rows=self.n)

    def not_applicable(self, data: DataFacts) -> str:
        """There must be rows."""
        return "there are no rows to take" if data.n_rows == 0 else ""

    def apply(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """The chosen rows, in random order."""
        if not len(data):
            raise NotApplicableError(f"{self.label}: there are no rows to take")
        return data.take(rng.integers(0, len(data), self.n or len(data)))


@dataclass(frozen=True, kw_only=True)
class Fold(Transform):
    """Leave out one of several random parts of the rows, or take that part alone.

    The parts are the same for all numbers and for all learners; their sizes differ by one row at
    most. Rows keep their order.

    Parameters
    ----------
    number
        Which part, from 1.
    folds
        Number of parts.
    left_out
        Whether to take the rows of the part instead of all others.
    """

    name = "fold"
    outside_stream = frozenset({"number", "folds", "left_out"})

    number: Natural = 1
    folds: Natural = 10
    left_out: bool = False

    @property
    def code(self) -> str:
        """``3of10``, or ``3of10,left_out``."""
        return f"{self.number}of{self.folds}" + (",left_out" if self.left_out else "")

    def problem(self) -> str:
        """There must be such a part, and others."""
        if self.folds < 2:
            return "rows are left out of 2 or more folds"
        return f"there is no part {self.number}" if self.number > self.folds else ""

    def facts(self, data: DataFacts) -> DataFacts:
        """The number of rows is known if it was before."""
        if data.n_rows is None:
            return data
        part = len(range(self.number - 1, data.n_rows, self.folds))
        return replace(data, n_rows=part if self.left_out else data.n_rows - part)

    def not_applicable(self, data: DataFacts) -> str:
        """There must be a row for each part."""
        return "" if data.n_rows is None else self._reason(data.n_rows)

    def _reason(self, rows: int) -> str:
        few = rows < self.folds
        return f"{self.folds} folds need a row each, and there are {rows}" if few else ""

    def apply(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """The chosen rows, in the order of the data."""
        reason = self._reason(len(data))
        if reason:
            raise NotApplicableError(f"{self.label}: {reason}")
        part = np.empty(len(data), dtype=np.intp)
        part[rng.permutation(len(data))] = np.arange(len(data)) % self.folds
        mine = part == self.number - 1
        return data.take(np.flatnonzero(mine if self.left_out else ~mine))
