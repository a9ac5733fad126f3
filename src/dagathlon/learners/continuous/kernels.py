"""Independence by Gaussian kernels: HSIC with its gamma test, and the order of kernel LiNGAM."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dagathlon.learners.continuous.weights import Matrix
from dagathlon.pulse import aside, beat

Vector = npt.NDArray[np.float64]


def gaussian_kernel(values: Vector, variance: float) -> Matrix:
    """exp(-(x - y)²/(2·variance)) for all pairs of values."""
    kernel: Matrix = np.exp(np.subtract.outer(values, values) ** 2 / (-2 * variance))
    return kernel


def dependent(x: Vector, y: Vector, alpha: float) -> bool:
    """Whether HSIC refuses independence at level alpha, by its gamma approximation.

    The width of each kernel is the median distance of standardised values (Gretton et al. 2007,
    NeurIPS).
    """
    from scipy.stats import gamma  # noqa: PLC0415 - SciPy only when asked for

    n = len(x)
    kernels = [_median_kernel((v - v.mean()) / v.std()) for v in (x, y)]
    products = _centred(kernels[0]) * _centred(kernels[1])
    statistic = products.sum() / n
    squares = (products / 6) ** 2
    spread = (squares.sum() - np.trace(squares)) / n / (n - 1)
    spread *= 72 * (n - 4) * (n - 5) / n / (n - 1) / (n - 2) / (n - 3)
    mean_x, mean_y = ((kernel.sum() - n) / n / (n - 1) for kernel in kernels)
    mean = (1 + mean_x * mean_y - mean_x - mean_y) / n
    critical = gamma.ppf(1 - alpha, mean**2 / spread, scale=spread * n / mean)
    return bool(statistic >= critical)


def _median_kernel(values: Vector) -> Matrix:
    squares = np.subtract.outer(values, values) ** 2
    apart = squares[np.triu_indices(len(values), 1)]
    apart = apart[apart > 0]
    return gaussian_kernel(values, float(np.median(apart)) / 2 if len(apart) else 1.0)


def _centred(kernel: Matrix) -> Matrix:
    means = kernel.mean(axis=0)
    result: Matrix = kernel - means - means[:, None] + means.mean()
    return result


def kernel_order(values: Matrix) -> list[int]:
    """The causal order of DirectLiNGAM by kernel mutual information (Shimizu et al. 2011)."""
    residuals = np.array((values - values.mean(axis=0)) / values.std(axis=0), dtype=np.float64)
    left = list(range(values.shape[1]))
    order: list[int] = []
    while left:
        beat(len(order), values.shape[1])
        sums = [_total_dependence(residuals, left, j) for j in left]
        first = left.pop(int(np.argmin(sums)))
        order.append(first)
        for i in left:
            residuals[:, i] = _residual(residuals[:, i], residuals[:, first])
    return order


def _total_dependence(values: Matrix, left: list[int], j: int) -> float:
    own = aside(_smoother, values[:, j])
    others = (_residual(values[:, i], values[:, j]) for i in left if i != j)
    return sum(aside(_dependence, own, other) for other in others)


def _dependence(own: Matrix, other: Vector) -> float:
    return _mutual_information(own, _smoother(other))


def _residual(x: Vector, on: Vector) -> Vector:
    spread = float(on @ on)
    result: Vector = x - (x @ on / spread) * on if spread > 0 else x
    return result


def _smoother(values: Vector) -> Matrix:
    n = len(values)
    ridge, width = (2e-3, 0.5) if n > 1000 else (2e-2, 1.0)
    kernel = gaussian_kernel(values, width**2)
    smoother = np.linalg.solve(kernel + n * ridge / 2 * np.eye(n), kernel)
    return np.asarray(smoother, dtype=np.float64)


def _mutual_information(first: Matrix, second: Matrix) -> float:
    """-½ log det of the regularised correlation operator, by its Schur complement."""
    product = first @ second
    return float(-0.5 * np.linalg.slogdet(np.eye(len(product)) - product.T @ product)[1])
