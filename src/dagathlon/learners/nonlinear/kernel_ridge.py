"""Kernel ridge regression with a low-rank Gaussian kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dagathlon.learners.nonlinear.distances import square, squared_distances
from dagathlon.learners.nonlinear.splines import Matrix, Vector, positive_inverse

# Approximation error of the kernel, negligible beside any sensible penalty.
EXACT = 1e-6
# A low-rank decomposition is faster up to this share of the rows.
_FEW = 4


def kernel_features(rows: Matrix, gamma: float, most: int) -> tuple[Matrix, float]:
    """Return columns whose products approximate the kernel exp(-gamma·|x - y|²) of all rows.

    By pivoted Cholesky decomposition: the next pivot is the row that those before explain
    least. It stops at `most` columns or when the residual is negligible.

    Parameters
    ----------
    rows
        The points.
    gamma
        Parameter of the kernel.
    most
        Largest number of columns.

    Returns
    -------
    tuple
        The columns, and the largest error of a diagonal element, which is 1.
    """
    n = len(rows)
    features = np.zeros((n, min(most, n)), order="F")
    residual = np.ones(n)
    for k in range(features.shape[1]):
        pivot = int(np.argmax(residual))
        if residual[pivot] <= EXACT:
            return features[:, :k], EXACT
        column = np.exp(-gamma * ((rows - rows[pivot]) ** 2).sum(axis=1))
        column -= features[:, :k] @ features[pivot, :k]
        features[:, k] = column / np.sqrt(residual[pivot])
        residual -= features[:, k] ** 2
        residual[pivot] = 0.0
    return features, float(residual.max(initial=0.0))


@dataclass(frozen=True, kw_only=True)
class HeldOut:
    """Cross-validated kernel ridge regression without an intercept.

    Parameters
    ----------
    gamma
        Parameter of the kernel.
    ridge
        The penalty, in units of the kernel.
    folds
        Number of contiguous parts that are held out in turn.
    """

    gamma: float
    ridge: float
    folds: int

    def fits(self, rows: Matrix, target: Vector) -> Vector:
        """Return the held-out fits of the target: each fold's rows fitted by the other folds."""
        features, error = kernel_features(rows, self.gamma, len(rows) // _FEW)
        return (
            self._by_features(features, target) if error <= EXACT else self._by_rows(rows, target)
        )

    def _parts(self, n: int) -> list[npt.NDArray[np.int64]]:
        return np.array_split(np.arange(n), self.folds)

    def _by_features(self, features: Matrix, target: Vector) -> Vector:
        fits = np.empty(len(target))
        products, moments = features.T @ features, features.T @ target
        products[np.diag_indices_from(products)] += self.ridge
        for fold in self._parts(len(target)):
            out = features[fold]
            weights = np.linalg.solve(products - out.T @ out, moments - out.T @ target[fold])
            fits[fold] = out @ weights
        return fits

    def _by_rows(self, rows: Matrix, target: Vector) -> Vector:
        """Compute held-out fits from one inverse: its blocks remove the effect of a fold."""
        kernel = square(np.exp(-self.gamma * squared_distances(rows)), 1 + self.ridge)
        inverse = positive_inverse(kernel)
        weights = inverse @ target
        fits = target.copy()
        for fold in self._parts(len(target)):
            fits[fold] -= np.linalg.solve(inverse[np.ix_(fold, fold)], weights[fold])
        return fits


def smoothest_residuals(features: Matrix, target: Vector) -> Vector:
    """Return residuals of ridge regression, its penalty chosen by generalised cross-validation.

    Parameters
    ----------
    features
        From `kernel_features`.
    target
        What to fit; its mean is fitted without a penalty.
    """
    n = len(target)
    centred = features - features.mean(axis=0)
    aim = target - target.mean()
    sizes, turn = np.linalg.eigh(centred.T @ centred)
    sizes = np.maximum(sizes, 0.0)
    moments = turn.T @ (centred.T @ aim)
    penalties = np.exp(np.linspace(np.log(1e-6), np.log(1e2), 33))[:, None] * max(sizes[-1], 1e-12)
    shares = sizes / (sizes + penalties)
    weights = moments / (sizes + penalties)
    rest = aim @ aim - (weights * (2 * moments - sizes * weights)).sum(axis=1)
    free = n - 1 - shares.sum(axis=1)
    best = int(np.argmin(np.maximum(rest, 0.0) / np.maximum(free, 1.0) ** 2))
    result: Vector = aim - centred @ (turn @ weights[best])
    return result
