"""Sample of rows, collected while the columns are read, for detecting noise."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.data.inspection.columns import FoundColumn
from dagathlon.data.inspection.words import NOTHING, numbers_but_for_gaps

Codes: TypeAlias = npt.NDArray[np.int64]

MOST_ROWS = 10_000
MOST_COLUMNS = 80
# In wider files only evenly spaced columns are sampled; others only have missing values counted.
_MOST_KEPT = 2_000
_MOST_LEVELS = 64
_GROUPS = 3
_NO_CODES: Codes = np.empty(0, dtype=np.int64)


class SampledColumn(NamedTuple):
    """Sampled rows of one column.

    Parameters
    ----------
    name
        The column.
    codes
        Levels, or the third in which a continuous value lies; -1 where it is missing: a gap, or a
        word for one. Empty for columns of wide files of which only the gaps are counted.
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
        """Whether the codes are thirds of a continuous column."""
        return not self.labels

    @property
    def n_missing(self) -> int:
        """Number of missing values in the whole column."""
        return self.n_gaps + sum(self.words.values())


class NoiseSample:
    """Collector of evenly spaced rows from columns added one by one.

    Parameters
    ----------
    n_rows, n_columns
        Number of rows and columns of the file.
    """

    def __init__(self, n_rows: int, n_columns: int = 0) -> None:
        self.n_rows = n_rows
        self._step = max(-(-n_columns // _MOST_KEPT), 1)
        self.columns: list[SampledColumn] = []
        self.n_columns = 0
        n_sampled = min(n_rows, MOST_ROWS)
        self.rows = np.linspace(0, max(n_rows - 1, 0), n_sampled).astype(np.intp)

    def add(self, column: FoundColumn, lost: Collection[str] = ()) -> None:
        """Sample one more readable column; with too many levels only missing values are kept.

        Numbers in `lost` count as missing.
        """
        spelled = numbers_but_for_gaps(column.words or ()) if column.problem else None
        if column.plan is None and not spelled:
            return
        self.n_columns += 1
        values = column.values
        gaps = int(np.isnan(values).sum())
        words = {w: n for w, n in (column.words or {}).items() if w.casefold() in NOTHING}
        if spelled:
            places = np.nan_to_num(values, nan=len(spelled)).astype(np.intp)
            values = np.array([*spelled, np.nan])[places]
        elif column.words is None and lost:
            values, words = _without_codes(values, lost)
        if (self.n_columns - 1) % self._step:
            self.columns.append(SampledColumn(column.name, _NO_CODES, 1, (), words, gaps))
            return
        labels: tuple[str, ...] = ()
        if column.plan is not None and column.plan.variable.is_discrete:
            numbers, codes = _levels(values[self.rows])
            labels = tuple(_label(column, number) for number in numbers)
            codes = _without(codes, [i for i, label in enumerate(labels) if label in words])
            if len(numbers) > _MOST_LEVELS:
                labels, codes = ("any",), np.minimum(codes, 0)
        else:
            codes = _thirds(values[self.rows])
        arity = max(len(labels) or _GROUPS, 1)
        self.columns.append(SampledColumn(column.name, codes, arity, labels, words, gaps))

    def varying(self, without: Collection[str]) -> list[SampledColumn]:
        """Return columns that vary, evenly thinned where they are too many."""
        able = [
            column
            for column in self.columns
            if column.name not in without and _varies(column.codes)
        ]
        step = max(len(able) / MOST_COLUMNS, 1.0)
        return [able[int(i * step)] for i in range(min(len(able), MOST_COLUMNS))]


def _without_codes(
    values: npt.NDArray[np.float64], codes: Collection[str]
) -> tuple[npt.NDArray[np.float64], dict[str, int]]:
    """Replace the numbers in `codes` by NaN; return the values and how often each code occurred."""
    values, counts = values.copy(), {}
    for code in codes:
        hits = values == float(code)
        counts[code] = int(np.count_nonzero(hits))
        values[hits] = np.nan
    return values, {code: count for code, count in counts.items() if count}


def _varies(codes: Codes) -> bool:
    present = codes[codes >= 0]
    return bool(len(present)) and bool((present != present[0]).any())


def _levels(values: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], Codes]:
    gaps = np.isnan(values)
    numbers, places = np.unique(values[~gaps], return_inverse=True)
    codes = np.full(len(values), -1, dtype=np.int64)
    codes[~gaps] = places
    return numbers, codes


def _label(column: FoundColumn, number: float) -> str:
    return f"{number:g}" if column.words is None else list(column.words)[int(number)]


def _without(codes: Codes, lost: list[int]) -> Codes:
    return np.where(np.isin(codes, lost), -1, codes) if lost else codes


def _thirds(values: npt.NDArray[np.float64]) -> Codes:
    present = np.isfinite(values)
    codes = np.full(len(values), -1, dtype=np.int64)
    if present.any():
        cuts = np.quantile(values[present], [1 / 3, 2 / 3])
        codes[present] = np.searchsorted(cuts, values[present])
    return codes
