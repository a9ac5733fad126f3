"""Discretisation that preserves mutual information between columns (Hartemink 2001).

All columns are first cut into many levels. Then, in rounds, each column in turn loses one cut: that
between two neighbouring levels whose union loses least of the sum of the mutual information with
all other columns, as these are cut at that moment. Columns that are discrete already take part in
the sum and stay as they are. Mutual information of two columns is over the rows in which both are
present.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.data.dataset import Dataset
from dagathlon.errors import DataError
from dagathlon.pulse import beat

Floats: TypeAlias = npt.NDArray[np.float64]
Start: TypeAlias = Callable[[Floats, int], Floats]
_MOST_CELLS = 100_000_000
# Losses that differ by less are ties up to rounding: the lower of two cuts is removed.
_DIGITS = 10


def hartemink_cuts(
    data: Dataset, columns: Sequence[str], levels: int, initial: int, start: Start
) -> dict[str, Floats]:
    """Return the cuts of each column.

    Parameters
    ----------
    data
        The data.
    columns
        The continuous columns to cut; the others give no information unless they are discrete.
    levels, initial
        Numbers of levels at the end and at the beginning.
    start
        Cuts values into a number of levels.
    """
    cuts = {}
    for name in columns:
        column = data.column(name)
        cuts[name] = start(column[~np.isnan(column)], initial)
    discrete = [v.name for v in data.variables if v.is_discrete]
    tables = _Tables([_codes(data, name, cuts.get(name)) for name in (*columns, *discrete)])
    done, total = 0, max(initial - levels, 1) * len(columns)
    for most in range(initial - 1, levels - 1, -1):
        for j, name in enumerate(columns):
            beat(done, total)
            done += 1
            if len(cuts[name]) + 1 > most:
                place = int(np.argmin(np.round(tables.losses(j), _DIGITS)))
                tables.join(j, place)
                cuts[name] = np.delete(cuts[name], place)
    return cuts


def _codes(data: Dataset, name: str, cuts: Floats | None) -> tuple[npt.NDArray[np.int64], int]:
    """Return the codes of a column, −1 where it is missing, and the number of its levels."""
    column = data.column(name)
    if cuts is None:
        arity = data.variables[data.position(name)].arity
        return np.where(column == data.missing_code, -1, column.astype(np.int64)), arity
    codes = np.searchsorted(cuts, column, side="right")
    return np.where(np.isnan(column), -1, codes).astype(np.int64), len(cuts) + 1


class _Tables:
    """Contingency tables of all pairs of columns, in one matrix.

    A level that has been joined with another leaves zeros, which add nothing.
    """

    def __init__(self, columns: Sequence[tuple[npt.NDArray[np.int64], int]]) -> None:
        arities = [arity for _, arity in columns]
        width = sum(arities)
        if width * width > _MOST_CELLS:
            raise DataError(
                f"hartemink compares {width:,} levels with each other, which is too many; begin "
                "with fewer (initial), or choose columns"
            )
        ends = np.cumsum(arities)
        self.starts: npt.NDArray[np.intp] = (ends - arities).astype(np.intp)
        self.levels = [
            list(range(end - arity, end)) for end, arity in zip(ends, arities, strict=True)
        ]
        indicators = np.zeros((len(columns[0][0]), width), dtype=np.float32)
        for start, (codes, _) in zip(self.starts, columns, strict=True):
            rows = np.flatnonzero(codes >= 0)
            indicators[rows, start + codes[rows]] = 1
        self.counts = _product(indicators)

    def losses(self, j: int) -> Floats:
        """Return the information lost by joining each two neighbouring levels of a column."""
        rows = self.counts[self.levels[j]]
        joint = np.add.reduceat(_joined(rows), self.starts, axis=1)
        margins = np.add.reduceat(rows, self.starts, axis=1)
        totals = np.maximum(margins.sum(axis=0), 1)
        lost = (joint - _joined(margins)) / totals
        lost[:, j] = 0  # what a column says about itself does not count
        result: Floats = lost.sum(axis=1)
        return result

    def join(self, j: int, place: int) -> None:
        """Join the levels `place` and `place` + 1 of a column."""
        low, high = self.levels[j][place], self.levels[j].pop(place + 1)
        for table in (self.counts, self.counts.T):
            table[low] += table[high]
            table[high] = 0


def _product(indicators: npt.NDArray[np.float32]) -> Floats:
    """Return pair counts as a matrix product, exact in single precision up to 16 million rows."""
    counts = np.zeros((indicators.shape[1],) * 2)
    for start in range(0, len(indicators), 1 << 23):
        part = indicators[start : start + (1 << 23)]
        counts += part.T @ part
    return counts


def _joined(counts: Floats) -> Floats:
    """Return the change in x log x sums by merging rows, for all pairs of adjacent rows."""
    both = counts[:-1] + counts[1:]
    return _log(counts[:-1]) + _log(counts[1:]) - _log(both)


def _log(counts: Floats) -> Floats:
    return counts * np.log(np.maximum(counts, 1))
