"""Pairwise distances of rows, condensed (each pair once) or as matrices."""

from __future__ import annotations

import numpy as np

from dagathlon.learners.nonlinear.splines import Matrix, Vector


def squared_distances(rows: Matrix) -> Vector:
    """Return the squared distances of all pairs of rows, each pair once."""
    from scipy.spatial.distance import pdist  # noqa: PLC0415 - SciPy only when asked for

    result: Vector = pdist(rows, "sqeuclidean")
    return result


def median_distance(squares: Vector) -> float:
    """Return the median of the non-zero distances, from their squares; 1 if there are none."""
    apart = squares[squares > 0]
    return float(np.median(np.sqrt(apart))) if len(apart) else 1.0


def square(pairs: Vector, diagonal: float) -> Matrix:
    """Return the symmetric matrix of condensed pairwise values."""
    from scipy.spatial.distance import squareform  # noqa: PLC0415 - SciPy only when asked for

    result: Matrix = squareform(pairs)
    np.fill_diagonal(result, diagonal)
    return result
