"""Random geometric graphs: random points, joined if they are close."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.simulate.pairs import Pairs
from dagathlon.simulate.random_graph import RandomGraph

Numbers: TypeAlias = npt.NDArray[np.float64]

_NODES = 16


@dataclass(frozen=True, kw_only=True)
class GeometricGraph(RandomGraph):
    """Random geometric graph: uniform points of a cube, joined if closer than a radius.

    The radius is computed from the expected number of neighbours, boundary effects of the cube
    included.

    Parameters
    ----------
    dimension
        Dimension of the cube.
    """

    name = "geometric_graph"

    dimension: Literal[2, 3, 4, 5] = 2

    def edges(self, rng: np.random.Generator) -> Pairs:
        """Draw the points and join the close ones."""
        from scipy.spatial import cKDTree  # noqa: PLC0415 - SciPy only when asked for

        points = rng.random((self.nodes, self.dimension))
        if self.nodes < 2 or self.neighbours == 0:
            return np.empty((0, 2), dtype=np.int64)
        radius = radius_of(self.neighbours / (self.nodes - 1), self.dimension)
        close = cKDTree(points).query_pairs(radius, output_type="ndarray")
        pairs: Pairs = np.asarray(close, dtype=np.int64)
        return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


@functools.cache
def radius_of(probability: float, dimension: int) -> float:
    """Return the distance within which two random points of a cube lie with a probability."""
    from scipy.optimize import brentq  # noqa: PLC0415 - SciPy only when asked for

    def surplus(square: float) -> float:
        return float(_distance_cdf(np.array([square]), dimension)[0]) - probability

    if probability >= 1:
        return math.sqrt(dimension)
    return math.sqrt(brentq(surplus, 0.0, float(dimension), xtol=1e-14, rtol=1e-13))


def _distance_cdf(squares: Numbers, dimension: int) -> Numbers:
    """Return the distribution function of the squared distance of two random points of a cube.

    Coordinates differ by t with density 2(1 - t). Above two dimensions, the last coordinate is
    integrated out by Gauss-Legendre quadrature between the kinks at the whole numbers below s.
    """
    s = np.clip(squares, 0.0, dimension)
    if dimension == 2:
        return _distance_cdf_in_square(s)
    total = np.zeros_like(s)
    # The rest s - t² crosses the whole number k at t = √(s - k).
    kinks = np.sqrt(np.clip(s[:, None] - np.arange(dimension, -1, -1), 0.0, 1.0))
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    # t = b - (b - a)·v² removes the square root singularity at the upper end.
    v = (1 - nodes) / 2
    for a, b in zip(kinks.T[:-1, :, None], kinks.T[1:, :, None], strict=True):
        t = b - (b - a) * v**2
        inner = _distance_cdf((s[:, None] - t**2).ravel(), dimension - 1).reshape(t.shape)
        total += np.sum(2 * (1 - t) * inner * (b - a) * v * weights, axis=1)
    return total


def _distance_cdf_in_square(s: Numbers) -> Numbers:
    """Return the distribution function in two dimensions, in closed form."""
    low = np.minimum(s, 1.0)
    below = math.pi * low - 8 / 3 * low**1.5 + low**2 / 2
    high = np.maximum(s, 1.0)
    w = np.sqrt(high - 1)
    above = 8 / 3 * w**3 - (high**2 - 1) / 2 - (2 - math.pi) * w**2 - 4 * (high * np.arctan(w) - w)
    return np.asarray(below + above, dtype=np.float64)
