"""Kernel ridge regression with a Gaussian kernel of low rank."""

from __future__ import annotations

import numpy as np

from dagathlon.learners.nonlinear.splines import Matrix, Vector


def kernel_features(rows: Matrix, gamma: float, tolerance: float, most: int) -> Matrix:
    """Columns whose products are the Gaussian kernel exp(-gamma·|x - y|²) of all pairs of rows.

    By Cholesky decomposition with pivots: the next row is always the one that those before explain
    least.

    Parameters
    ----------
    rows
        The points.
    gamma
        Of the kernel.
    tolerance
        The decomposition ends when no diagonal element is wrong by more.
    most
        Largest number of columns.
    """
    n = len(rows)
    features = np.zeros((n, min(most, n)), order="F")
    left = np.ones(n)
    for k in range(features.shape[1]):
        pivot = int(np.argmax(left))
        if left[pivot] <= tolerance:
            return features[:, :k]
        column = np.exp(-gamma * ((rows - rows[pivot]) ** 2).sum(axis=1))
        column -= features[:, :k] @ features[pivot, :k]
        features[:, k] = column / np.sqrt(left[pivot])
        left -= features[:, k] ** 2
        left[pivot] = 0.0
    return features


def held_out_fits(features: Matrix, target: Vector, ridge: float, folds: int) -> Vector:
    """Fits of each row by ridge regression on the rows of the other folds, which are contiguous.

    Parameters
    ----------
    features
        From `kernel_features`; there is no intercept.
    target
        What to fit.
    ridge
        The penalty, in units of the kernel.
    folds
        Number of folds.
    """
    fits = np.empty(len(target))
    products, moments = features.T @ features, features.T @ target
    diagonal = np.arange(features.shape[1])
    products[diagonal, diagonal] += ridge
    for fold in np.array_split(np.arange(len(target)), folds):
        out = features[fold]
        weights = np.linalg.solve(products - out.T @ out, moments - out.T @ target[fold])
        fits[fold] = out @ weights
    return fits


def smoothest_residuals(features: Matrix, target: Vector) -> Vector:
    """Residuals of ridge regression with the penalty of the best generalised cross-validation.

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
