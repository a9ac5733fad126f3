"""Stein estimators of the gradient of the log density at each row, and its derivatives.

Stein's identity with a Gaussian kernel gives the score by ridge regression (Li and Turner 2018,
ICLR), and applied again its Jacobian (Rolland et al. 2022, ICML). The width of the kernel is the
median distance of two rows. Sums over pairs of rows are expanded into products of matrices.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dagathlon.learners.nonlinear.distances import median_distance, square, squared_distances
from dagathlon.learners.nonlinear.splines import Matrix, Vector


class Stein:
    """Stein estimates at the rows of a data set.

    Parameters
    ----------
    rows
        The data, a column for each variable.
    ridge
        Regularisation of both regressions.
    """

    def __init__(self, rows: Matrix, ridge: float) -> None:
        from scipy.linalg import lapack  # noqa: PLC0415 - SciPy only when asked for

        self.rows = rows - rows.mean(axis=0)
        squares = squared_distances(rows)
        self.width = median_distance(squares)
        self.kernel = square(np.exp(squares / (-2 * self.width**2)) / self.width, 1 / self.width)
        self.sums: Vector = self.kernel.sum(axis=1)[:, None]
        self.weighted = self.kernel @ self.rows
        self._solve = lapack.dpotrs
        self._factor, failed = lapack.dpotrf(
            self.kernel + ridge * np.eye(len(rows)), lower=1, overwrite_a=1
        )
        if failed:
            raise np.linalg.LinAlgError("the kernel matrix is singular; use a larger ridge")
        self.score = self._regressed((self.weighted - self.rows * self.sums) / self.width**2)

    def _regressed(self, sides: Matrix) -> Matrix:
        result: Matrix = self._solve(self._factor, sides, lower=1)[0]
        return result

    def jacobian_diagonal(self) -> Matrix:
        """Return the second derivatives of the log density by each variable, for each row."""
        squares = self.kernel @ self.rows**2
        spread = self.rows**2 * self.sums - 2 * self.rows * self.weighted + squares
        sides = spread / self.width**4 - self.sums / self.width**2
        result: Matrix = self._regressed(sides) - self.score**2
        return result

    def jacobian_rows(self, variable: int) -> Matrix:
        """Return the gradient of one component of the score, for each row."""
        column = self.rows[:, [variable]]
        spread = column * self.rows * self.sums - column * self.weighted
        spread += self.kernel @ (column * self.rows) - self.rows * self.weighted[:, [variable]]
        sides = spread / self.width**4
        sides[:, variable] -= self.sums[:, 0] / self.width**2
        result: Matrix = self._regressed(sides) - self.score[:, [variable]] * self.score
        return result


def drawn_rows(
    values: Matrix, most: int | None, rng: np.random.Generator, learner: str
) -> tuple[Matrix, tuple[str, ...]]:
    """Draw at most `most` rows at random; return them, and a note if there were more."""
    if most is None or len(values) <= most:
        return values, ()
    chosen: npt.NDArray[np.int64] = np.sort(rng.choice(len(values), most, replace=False))
    note = (
        f"{learner} found the order from {most:,} of {len(values):,} rows, drawn at random: the "
        "cost grows steeply with them. max_rows says how many."
    )
    return values[chosen], (note,)
