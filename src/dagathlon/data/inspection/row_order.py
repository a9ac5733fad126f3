"""Detection of serial dependence: rows similar to their neighbours, as in time series."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.data.inspection.remarks import Remark
from dagathlon.errors import listing

Floats: TypeAlias = npt.NDArray[np.float64]

MOST_COLUMNS = 300
MOST_ROWS = 10_000
_LEAST_ROWS = 50
_LEVEL = 0.01
# Without a column of times, chance is to be out of the question, and several columns are to agree.
_SURE, _SEVERAL = 1e-6, 3
_LEAST = 0.15
_NAMED = 3


class _Serial(NamedTuple):
    """A column, its lag-1 autocorrelation, and the p-value of its ranks under random order."""

    name: str
    correlation: float
    p: float


class RowOrder:
    """Collector of columns that tests whether neighbouring rows are alike."""

    def __init__(self) -> None:
        self._heads: dict[str, Floats] = {}
        self._times: list[str] = []

    def add(self, name: str, values: Floats, is_number: bool, is_time: bool) -> None:
        """Test one more column: numbers, or codes of labels; NaN where missing."""
        if len(self._heads) >= MOST_COLUMNS and not is_time:
            return
        head = values[:MOST_ROWS]
        head = head[np.isfinite(head)]
        if is_time or (is_number and _is_monotone(head)):
            self._times.append(name)
        elif is_number and len(head) >= _LEAST_ROWS and head.min() < head.max():
            self._heads[name] = head.copy()

    def remarks(self, gone: Collection[str]) -> Iterator[Remark]:
        """Yield at most one remark, about the file; columns in `gone` are ignored."""
        tested = [_serial(name, head) for name, head in self._heads.items() if name not in gone]
        if not tested:
            return
        level = (_LEVEL if self._times else _SURE) / len(tested)
        alike = [serial for serial in tested if serial.p <= level and serial.correlation >= _LEAST]
        if len(alike) < (1 if self._times else _SEVERAL):
            return
        alike.sort(key=lambda serial: -serial.correlation)
        most = listing(f"{serial.correlation:.2f} in {serial.name!r}" for serial in alike[:_NAMED])
        columns = "column" if len(tested) == 1 else "columns"
        text = (
            f"neighbouring rows are alike in {len(alike)} of {len(tested)} {columns} (lag-1 "
            f"autocorrelation: {most}), as in time series. Learners take rows for independent: "
            "of such data they find too many edges and are too sure of them, and effects on later "
            "rows are not seen. If the rows were merely sorted, it does no harm"
        )
        yield Remark("serial dependence", text)


def _is_monotone(values: Floats) -> bool:
    """Whether numbers are strictly monotone in the row number, as times and row numbers are."""
    if len(values) < _LEAST_ROWS:
        return False
    steps = np.diff(values)
    return bool((steps > 0).all() or (steps < 0).all())


def _serial(name: str, values: Floats) -> _Serial:
    """Test serial correlation of ranks by its moments under random order of the rows.

    Wald and Wolfowitz (1943); the series is circular. The moments are exact with ties.
    """
    from scipy.special import ndtr  # noqa: PLC0415 - only where files are described

    centred = values - values.mean()
    centred /= np.abs(centred).max()
    correlation = float(centred[1:] @ centred[:-1] / (centred @ centred))
    ranks = _ranks(values)
    n, second, fourth = len(ranks), float((ranks**2).sum()), float((ranks**4).sum())
    mean = -second / (n - 1)
    pairs = (second**2 - fourth) / (n - 1)
    fours = (second**2 - 2 * fourth) / ((n - 1) * (n - 2))
    deviation = np.sqrt(pairs + fours - mean**2)
    statistic = float(ranks @ np.roll(ranks, 1))
    return _Serial(name, correlation, float(ndtr((mean - statistic) / deviation)))


def _ranks(values: Floats) -> Floats:
    """Return mid-ranks centred at 0, divided by the number of rows."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    middle = (np.cumsum(counts) - (counts - 1) / 2)[places]
    ranks: Floats = (middle - middle.mean()) / len(values)
    return ranks
