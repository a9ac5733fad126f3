"""Distances of all pairs of rows, each pair once, and matrices of them."""

from __future__ import annotations

import numpy as np

from dagathlon.learners.nonlinear.splines import Matrix, Vector


def squared_distances(rows: Matrix) -> Vector:
    """Of all pairs of rows, each pair once."""
    from scipy.spatial.distance import pdist  # noqa: PLC0415 - SciPy only when asked for

    result: Vector = pdist(rows, "sqeuclidean")
    return result


def median_distance(squares: Vector) -> float:
    """The median of the distances that are not 0, of their squares; 1 where all are."""
    apart = squares[squares > 0]
    return float(np.median(np.sqrt(apart))) if len(apart) else 1.0


def square(pairs: Vector, diagonal: float) -> Matrix:
    """The symmetric matrix of numbers of all pairs."""
    from scipy.spatial.distance import squareform  # noqa: PLC0415 - SciPy only when asked for

    result: Matrix = squareform(pairs)
    np.fill_diagonal(result, diagonal)
    return result
