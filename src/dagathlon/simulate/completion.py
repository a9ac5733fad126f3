"""Covariance matrices whose inverse has the zeros of a graph."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dagathlon.errors import DataError

MAX_SWEEPS = 10_000


def complete_covariance(
    covariance: npt.NDArray[np.float64],
    joined: npt.NDArray[np.bool_],
    tolerance: float = 1e-8,
) -> npt.NDArray[np.float64]:
    """The covariance that agrees with a given one on the edges of an undirected graph.

    Of all covariance matrices with the given variances and the given entries on the edges, it is
    the one whose inverse is zero off the edges. Each sweep makes the rows, one after another,
    regressions on the neighbours alone (Lenkoski 2013).

    Parameters
    ----------
    covariance
        A positive definite matrix.
    joined
        Symmetric adjacency matrix.
    tolerance
        Stop when a sweep changes no entry by more than this.
    """
    result = covariance.copy()
    neighbours = [np.flatnonzero(row) for row in joined]
    for _ in range(MAX_SWEEPS):
        before = result.copy()
        for j, near in enumerate(neighbours):
            block = result[np.ix_(near, near)]
            column = result[:, near] @ np.linalg.solve(block, covariance[near, j])
            column[j] = covariance[j, j]
            result[:, j] = result[j, :] = column
        if np.max(np.abs(result - before), initial=0.0) <= tolerance:
            return result
    raise DataError(
        f"no covariance with the zeros of the graph was found in {MAX_SWEEPS} sweeps; raise the "
        "tolerance"
    )
