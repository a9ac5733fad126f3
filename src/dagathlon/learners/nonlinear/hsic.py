"""The Hilbert-Schmidt independence criterion (HSIC) of two groups of variables.

The kernels are Gaussian, exp(-d²/m) of the distance d with m the median of d²; the null
distribution is approximated by a gamma distribution (Gretton et al. 2007, NeurIPS).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dagathlon.learners.nonlinear.distances import square, squared_distances
from dagathlon.learners.nonlinear.splines import Matrix


@dataclass(frozen=True)
class Independence:
    """Result of an independence test.

    Parameters
    ----------
    statistic
        HSIC with centred kernels, times the number of rows.
    mean, variance
        Of the statistic under independence.
    """

    statistic: float
    mean: float
    variance: float

    @property
    def excess(self) -> float:
        """The statistic in standard deviations above its mean under independence."""
        return (self.statistic - self.mean) / np.sqrt(self.variance) if self.variance > 0 else 0.0

    @property
    def p_value(self) -> float:
        """Probability of a statistic at least as large under independence."""
        from scipy.special import gammaincc  # noqa: PLC0415 - SciPy only when asked for

        if self.variance <= 0 or self.mean <= 0:
            return 1.0
        shape, scale = self.mean**2 / self.variance, self.variance / self.mean
        return float(gammaincc(shape, max(self.statistic, 0.0) / scale))


class CentredKernel:
    """Centred Gaussian kernel matrix of a group of variables.

    Parameters
    ----------
    rows
        A column for each variable.
    """

    def __init__(self, rows: Matrix) -> None:
        squares = squared_distances(rows)
        apart = squares[squares > 0]
        pairs = np.exp(squares / -(float(np.median(apart)) if len(apart) else 1.0))
        # The mean over pairs of distinct rows; the diagonal is 1.
        self.mean = float(pairs.mean()) if len(pairs) else 1.0
        kernel = square(pairs, 1.0)
        means = kernel.mean(axis=0)
        kernel -= means
        kernel -= means[:, None] - means.mean()
        self.matrix: Matrix = kernel


def independence(first: CentredKernel, second: CentredKernel) -> Independence:
    """Test whether two groups of variables are independent.

    Parameters
    ----------
    first, second
        Their kernels, over the same rows, at least 6.
    """
    products = first.matrix * second.matrix
    n = len(products)
    statistic = float(products.sum()) / n
    squares = float((products**2).sum()) - float((np.diag(products) ** 2).sum())
    variance = squares / 36 / n / (n - 1)
    variance *= 72 * (n - 4) * (n - 5) / n / (n - 1) / (n - 2) / (n - 3)
    mean = (1 + first.mean * second.mean - first.mean - second.mean) / n
    # Moments of the criterion itself; the statistic is it times the rows.
    return Independence(statistic, mean * n, variance * n**2)
