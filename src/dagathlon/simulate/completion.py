"""Completion of covariance matrices whose inverse has the zeros of a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.errors import DataError
from dagathlon.graphs import Graph

Matrix: TypeAlias = npt.NDArray[np.float64]

MAX_SWEEPS = 10_000


def complete_covariance(covariance: Matrix, graph: Graph, tolerance: float = 1e-8) -> Matrix:
    """Return the covariance that agrees with a given one on the edges of an undirected graph.

    Of all covariance matrices with the given variances and the given entries on the edges, it
    is the one whose inverse is zero off the edges. Each sweep replaces the rows, one after
    another, by regressions on the neighbours alone (Lenkoski 2013).

    Parameters
    ----------
    covariance
        A positive definite matrix.
    graph
        An undirected graph.
    tolerance
        Stop when a sweep changes no entry by more than this.
    """
    return _completed(_core.complete_covariance, covariance, graph, tolerance)


def complete_inverse(factor: Matrix, graph: Graph, tolerance: float = 1e-8) -> Matrix:
    """Complete the covariance ``inv(factor @ factor.T)``, given a lower triangular factor."""
    return _completed(_core.g_wishart_covariance, factor, graph, tolerance)


def _completed(
    kernel: Callable[..., Matrix], matrix: Matrix, graph: Graph, tolerance: float
) -> Matrix:
    cells = np.ascontiguousarray(matrix, dtype=np.float64)
    try:
        return kernel(cells, graph.native, tolerance, MAX_SWEEPS)
    except ValueError as error:
        raise DataError(f"no covariance has the zeros of the graph: {error}") from None
    except RuntimeError:
        raise DataError(
            f"no covariance with the zeros of the graph was found in {MAX_SWEEPS} sweeps; raise "
            "the tolerance"
        ) from None
