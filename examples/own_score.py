"""A score in one file: BIC of regressions with squares, for curved relations.

dagathlon modules quadratic --modules examples/own_score.py --check
dagathlon learn data.csv --modules examples/own_score.py --with 'hc[score=quadratic[penalty=2]]'
"""

from dataclasses import dataclass
from math import log

import numpy as np

from dagathlon import Dataset, PythonScore
from dagathlon.modules import NonNegative


@dataclass(frozen=True, kw_only=True)
class Quadratic(PythonScore):
    """BIC of a regression on the parents and their squares.

    Parameters
    ----------
    penalty
        Factor of the penalty.
    """

    name = "quadratic"
    takes = frozenset({"continuous"})
    assumes = ("Gaussian noise around sums of parabolas",)
    penalty: NonNegative = 1.0

    def local_score(self, data: Dataset, node: str, parents: tuple[str, ...]) -> float:
        """Log likelihood, less half the logarithm of the rows for each coefficient."""
        n = len(data)
        columns = [data.column(name) - data.column(name).mean() for name in parents]
        design = np.column_stack([np.ones(n), *columns, *(column**2 for column in columns)])
        if n <= design.shape[1]:
            return -np.inf
        y = data.column(node)
        left = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
        variance = max(float(left @ left) / n, 1e-10 * float(y.var()), 1e-300)
        return -n / 2 * log(variance) - self.penalty * design.shape[1] * log(n) / 2
