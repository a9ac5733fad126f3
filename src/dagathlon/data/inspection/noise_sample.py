"""Some rows of a file, kept while its columns go by, to look for noise in them."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.data.inspection.columns import FoundColumn
from dagathlon.data.inspection.words import NOTHING

Codes: TypeAlias = npt.NDArray[np.int64]

MOST_ROWS = 10_000
MOST_COLUMNS = 80
_MOST_LEVELS = 64
_GROUPS = 3


class SampledColumn(NamedTuple):
    """The kept rows of a column.

    Parameters
    ----------
    name
        The column.
    codes
        Levels, or the third in which a continuous value lies; -1 where it is missing: a gap, or a
        word for one.
    arity
        Number of levels.
    labels
        What the levels are called; none for thirds.
    words
        Words for missing values in the whole column, with how often each occurs.
    n_gaps
        Number of gaps in the whole column.
    """

    name: str
    codes: Codes
    arity: int
    labels: tuple[str, ...]
    words: dict[str, int]
    n_gaps: int

    @property
    def is_continuous(self) -> bool:
        """Whether the codes are thirds."""
        return not self.labels

    @property
    def n_missing(self) -> int:
        """Missing values of the whole column."""
        return self.n_gaps + sum(self.words.values())


class NoiseSample:
    """Takes columns one by one and keeps rows that lie evenly in the file.

    Parameters
    ----------
    n_rows
        Number of rows of the file.
    """

    def __init__(self, n_rows: int) -> None:
        self.n_rows = n_rows
        self.columns: list[SampledColumn] = []
        self.n_columns = 0
        kept = min(n_rows, MOST_ROWS)
        self.rows = np.linspace(0, max(n_rows - 1, 0), kept).astype(np.intp)

    def add(self, found: FoundColumn) -> None:
        """Look at one more column that can be read; of very many levels only the gaps are kept."""
        if found.plan is None:
            return
        self.n_columns += 1
        values = found.values
        words = {w: n for w, n in (found.words or {}).items() if w.casefold() in NOTHING}
        labels: tuple[str, ...] = ()
        if found.plan.variable.is_discrete:
            numbers, codes = _levels(values[self.rows])
            labels = tuple(_label(found, number) for number in numbers)
            codes = _without(codes, [i for i, label in enumerate(labels) if label in words])
            if len(numbers) > _MOST_LEVELS:
                labels, codes = ("any",), np.minimum(codes, 0)
        else:
            codes = _thirds(values[self.rows])
        gaps = int(np.isnan(values).sum())
        arity = max(len(labels) or _GROUPS, 1)
        self.columns.append(SampledColumn(found.name, codes, arity, labels, words, gaps))

    def varying(self, without: Collection[str]) -> list[SampledColumn]:
        """Columns that vary, spread over the file where they are many."""
        able = [
            column
            for column in self.columns
            if column.name not in without and _varies(column.codes)
        ]
        step = max(len(able) / MOST_COLUMNS, 1.0)
        return [able[int(i * step)] for i in range(min(len(able), MOST_COLUMNS))]


def _varies(codes: Codes) -> bool:
    present = codes[codes >= 0]
    return bool(len(present)) and bool((present != present[0]).any())


def _levels(values: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], Codes]:
    gaps = np.isnan(values)
    numbers, places = np.unique(values[~gaps], return_inverse=True)
    codes = np.full(len(values), -1, dtype=np.int64)
    codes[~gaps] = places
    return numbers, codes


def _label(found: FoundColumn, number: float) -> str:
    return f"{number:g}" if found.words is None else list(found.words)[int(number)]


def _without(codes: Codes, lost: list[int]) -> Codes:
    return np.where(np.isin(codes, lost), -1, codes) if lost else codes


def _thirds(values: npt.NDArray[np.float64]) -> Codes:
    present = np.isfinite(values)
    codes = np.full(len(values), -1, dtype=np.int64)
    if present.any():
        cuts = np.quantile(values[present], [1 / 3, 2 / 3])
        codes[present] = np.searchsorted(cuts, values[present])
    return codes
