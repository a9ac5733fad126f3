"""Gaussian kernel methods: HSIC with its gamma test, and the order of kernel LiNGAM."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dagathlon.learners.continuous.weights import Matrix
from dagathlon.learners.nonlinear.hsic import CentredKernel, independence
from dagathlon.pulse import aside, beat

Vector = npt.NDArray[np.float64]


def gaussian_kernel(values: Vector, variance: float) -> Matrix:
    """Return exp(-(x - y)²/(2·variance)) for all pairs of values."""
    kernel: Matrix = np.exp(np.subtract.outer(values, values) ** 2 / (-2 * variance))
    return kernel


def dependent(x: Vector, y: Vector, alpha: float) -> bool:
    """Return whether HSIC rejects independence at level alpha, by its gamma approximation.

    The width of each kernel is the median distance of two values.
    """
    first, second = (CentredKernel(column[:, None]) for column in (x, y))
    return independence(first, second).p_value <= alpha


def kernel_order(values: Matrix) -> list[int]:
    """Return DirectLiNGAM's causal order by kernel mutual information (Shimizu et al. 2011)."""
    residuals = np.array((values - values.mean(axis=0)) / values.std(axis=0), dtype=np.float64)
    remaining = list(range(values.shape[1]))
    order: list[int] = []
    while remaining:
        beat(len(order), values.shape[1])
        sums = [_total_dependence(residuals, remaining, j) for j in remaining]
        first = remaining.pop(int(np.argmin(sums)))
        order.append(first)
        for i in remaining:
            residuals[:, i] = _residual(residuals[:, i], residuals[:, first])
    return order


def _total_dependence(values: Matrix, left: list[int], j: int) -> float:
    smoother = aside(_smoother, values[:, j])
    others = (_residual(values[:, i], values[:, j]) for i in left if i != j)
    return sum(aside(_dependence, smoother, other) for other in others)


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
    """Return -½ log det of the regularised correlation operator, by its Schur complement."""
    product = first @ second
    return float(-0.5 * np.linalg.slogdet(np.eye(len(product)) - product.T @ product)[1])
