"""Transforms that choose rows: subsamples and bootstrap samples."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dagathlon.data import Dataset
from dagathlon.data.facts import DataFacts
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
