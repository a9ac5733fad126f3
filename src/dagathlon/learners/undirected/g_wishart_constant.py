"""Normalising constants of G-Wishart distributions."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.graphs.checks import require_undirected


class LogConstant(NamedTuple):
    """Logarithm of a normalising constant with its standard error, 0 if it is exact."""

    value: float
    error: float


def log_constant(
    graph: Graph,
    b: float = 3.0,
    scale: npt.ArrayLike | None = None,
    *,
    method: Literal["monte_carlo", "laplace"] = "monte_carlo",
    draws: int = 10_000,
    rng: np.random.Generator | None = None,
) -> LogConstant:
    """Return the logarithm of the normalising constant of a G-Wishart distribution.

    That is the integral of ``|K|^((b-2)/2) exp(-tr(K D)/2)`` over the precision matrices K with
    the zeros of the graph. The marginal likelihood of n rows X of mean zero is the constant of
    b + n and D + X'X over that of b and D, over ``(2 pi)^(n p/2)``. It has a closed form for
    decomposable graphs, and for all parts of other graphs that are attached by cliques; only
    the rest is estimated.

    Parameters
    ----------
    graph
        An undirected graph.
    b
        Degrees of freedom, above 0.
    scale
        The positive definite scale D, over the nodes of the graph in their order; the identity by
        default.
    method
        Estimator of the other factors: Monte Carlo, with a standard error, or Laplace's
        approximation at the mode, which is fast, good for large b, needs b above 2 and has no known
        error (NaN).
    draws
        Number of Monte Carlo draws.
    rng
        Source of randomness of Monte Carlo; always the same unless given.

    References
    ----------
    Atay-Kayis and Massam 2005, Biometrika 92; Lenkoski and Dobra 2011, JCGS 20.
    """
    require_undirected(graph, "a G-Wishart distribution")
    matrix = _checked_scale(scale, len(graph))
    if not (b > 0 and np.isfinite(b)):
        raise DataError(f"b: found {b:g}, expected a number above 0")
    try:
        if method == "monte_carlo":
            seed = 0 if rng is None else int(rng.integers(2**63))
            return LogConstant(*_core.g_wishart_constant(graph.native, b, matrix, draws, seed))
        value, exact = _core.g_wishart_laplace(graph.native, b, matrix)
        return LogConstant(value, 0.0 if exact else np.nan)
    except ValueError as error:
        raise DataError(f"no G-Wishart distribution: {error}") from None


def _checked_scale(scale: npt.ArrayLike | None, p: int) -> npt.NDArray[np.float64]:
    matrix = np.ascontiguousarray(np.eye(p) if scale is None else scale, dtype=np.float64)
    if matrix.shape != (p, p) or not np.isfinite(matrix).all():
        raise DataError(f"scale: a {p} x {p} matrix of finite numbers is needed")
    if not np.allclose(matrix, matrix.T):
        raise DataError("scale: the matrix is not symmetric")
    return matrix
