"""FastICA: independent component analysis by fixed-point iteration."""

from __future__ import annotations

import numpy as np

from dagathlon.errors import DataError
from dagathlon.learners.continuous.weights import Matrix
from dagathlon.pulse import aside, beat

_MANY = 200


def independent_components(values: Matrix, max_iter: int, rng: np.random.Generator) -> Matrix:
    """Return the unmixing matrix: a row of column weights for each independent component.

    All components are estimated jointly, with the contrast log cosh (Hyvärinen 1999, IEEE
    Transactions on Neural Networks 10). Collinear columns have no such matrix and raise an
    error.
    """
    centred = (values - values.mean(axis=0)).T
    left, sizes, _ = aside(np.linalg.svd, centred, full_matrices=False)
    if sizes[-1] <= 1e-10 * sizes[0]:
        raise DataError("ica_lingam needs columns of which none is a combination of others")
    whitening = (left / sizes).T * np.sqrt(centred.shape[1])
    white = whitening @ centred
    rotation = _orthogonal(rng.normal(size=(len(white),) * 2))
    for step in range(max_iter):
        beat(step, max_iter)
        curves = np.tanh(rotation @ white)
        slopes = (1 - curves**2).mean(axis=1)
        turned = _orthogonal(curves @ white.T / white.shape[1] - slopes[:, None] * rotation)
        change = np.abs(np.abs(np.einsum("ij,ij->i", turned, rotation)) - 1).max()
        rotation = turned
        if change < 1e-4:
            break
    result: Matrix = rotation @ whitening
    return result


def _orthogonal(rows: Matrix) -> Matrix:
    """Return the nearest matrix with orthonormal rows (polar decomposition)."""
    # In this thread: starting another one costs as much as a small decomposition.
    left, _, right = aside(_decomposed, rows) if len(rows) > _MANY else _decomposed(rows)
    result: Matrix = left @ right
    return result


def _decomposed(rows: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    left, sizes, right = np.linalg.svd(rows)
    return left, sizes, right
