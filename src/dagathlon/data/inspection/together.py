"""Statistics over all columns: patterns of missing values, and duplicated columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from dagathlon.data.inspection import across
from dagathlon.data.inspection.remarks import Remark


class ColumnStatistics:
    """Collector of statistics over all columns, which are added one by one.

    Parameters
    ----------
    n_rows
        Number of rows.
    """

    def __init__(self, n_rows: int) -> None:
        self.n_rows = n_rows
        self.gaps: dict[str, npt.NDArray[np.uint8]] = {}
        self._incomplete = np.zeros(n_rows, dtype=bool)
        self._pattern = np.zeros(n_rows, dtype=np.uint64)
        self._copies = across.Copies()
        self._heads: dict[str, npt.NDArray[np.float64]] = {}

    def add(
        self,
        name: str,
        values: npt.NDArray[np.float64],
        is_continuous: bool,
        words: Sequence[str] = (),
    ) -> None:
        """Add one column to the statistics."""
        gap = np.isnan(values)
        if gap.any():
            key = np.random.Generator(np.random.Philox(key=len(self.gaps))).integers(2**63)
            self._pattern[gap] ^= np.uint64(key)
            self._incomplete |= gap
            self.gaps[name] = np.packbits(gap)
        self._copies.add(name, values, words)
        if is_continuous and len(self._heads) <= across.MOST_COLUMNS:
            self._heads[name] = values[: across.MOST_ROWS].copy()

    def remarks(self, gone: Collection[str]) -> list[Remark]:
        """Return remarks on duplicates and exact dependence among the columns not in `gone`."""
        copies = [one for one in self._copies.remarks if one.column not in gone]
        known = [remark.column for remark in copies if remark.column is not None]
        return [*copies, *across.dependences(self._heads, [*known, *gone])]

    def missing(self) -> dict[str, Any]:
        """Return the number of complete rows and the most frequent pattern of missing values."""
        complete = int(np.count_nonzero(~self._incomplete))
        summary: dict[str, Any] = {"complete_rows": complete, "columns": len(self.gaps)}
        if not self.gaps:
            return summary
        rows = np.flatnonzero(self._incomplete)
        _, first, counts = np.unique(self._pattern[rows], return_index=True, return_counts=True)
        most = int(np.argmax(counts))
        row = int(rows[first[most]])
        names = [name for name, bits in self.gaps.items() if bits[row // 8] >> (7 - row % 8) & 1]
        summary["patterns"] = len(counts)
        summary["most_frequent"] = {"columns": names, "rows": int(counts[most])}
        return summary
