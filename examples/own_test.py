"""A test of conditional independence in one file: G² of numbers cut into bins.

dagathlon modules binned --modules examples/own_test.py --check
dagathlon learn data.csv --modules examples/own_test.py --with 'pc[test=binned[bins=4]]'
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import chdtrc

from dagathlon import Dataset, PythonTest
from dagathlon.modules import Natural


@dataclass(frozen=True, kw_only=True)
class Binned(PythonTest):
    """G² of numbers cut at their quantiles: relations of any shape, for many rows.

    Parameters
    ----------
    bins
        Number of bins of each variable.
    """

    name = "binned"
    takes = frozenset({"continuous"})
    bins: Natural = 3

    def begin(self, data: Dataset) -> Any:
        """The bin of each value, by the name of the variable."""
        inner = np.linspace(0, 1, self.bins + 1)[1:-1]
        columns = {name: data.column(name) for name in data.names}
        return {n: np.digitize(column, np.quantile(column, inner)) for n, column in columns.items()}

    def p_value(self, data: Any, x: str, y: str, given: tuple[str, ...]) -> float | None:
        """Chi-square tail of G² summed over the cells of the given variables."""
        statistic, df = 0.0, 0
        cells = np.column_stack([data[name] for name in given] or [np.zeros_like(data[x])])
        for number in range(len(slices := np.unique(cells, axis=0))):
            rows = (cells == slices[number]).all(axis=1)
            counts = np.zeros((self.bins, self.bins))
            np.add.at(counts, (data[x][rows], data[y][rows]), 1)
            counts = counts[counts.any(axis=1)][:, counts.any(axis=0)]
            expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / counts.sum()
            seen = counts > 0
            statistic += 2 * float((counts[seen] * np.log(counts[seen] / expected[seen])).sum())
            df += (counts.shape[0] - 1) * (counts.shape[1] - 1)
        return float(chdtrc(df, max(statistic, 0.0))) if df else None
