"""Random geometric graphs: points in space, joined where they are close."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from dagathlon.simulate.pairs import Pairs
from dagathlon.simulate.random_graph import RandomGraph

_NODES = 48


@dataclass(frozen=True, kw_only=True)
class GeometricGraph(RandomGraph):
    """Points drawn uniformly from a cube are joined when they are closer than a radius.

    The radius is the one that gives the expected number of neighbours, the faces of the cube
    taken into account.

    Parameters
    ----------
    dimension
        Dimension of the cube.
    """

    name = "geometric_graph"

    dimension: Literal[2, 3, 4, 5] = 2

    def edges(self, rng: np.random.Generator) -> Pairs:
        """Draw the points and join the near ones."""
        from scipy.spatial import cKDTree  # noqa: PLC0415 - SciPy only when asked for

        points = rng.random((self.nodes, self.dimension))
        if self.nodes < 2 or self.neighbours == 0:
            return np.empty((0, 2), dtype=np.int64)
        radius = radius_of(self.neighbours / (self.nodes - 1), self.dimension)
        found = cKDTree(points).query_pairs(radius, output_type="ndarray")
        pairs: Pairs = np.asarray(found, dtype=np.int64)
        return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


@functools.cache
def radius_of(probability: float, dimension: int) -> float:
    """The distance below which two random points of a cube are with the given probability."""
    low, high = 0.0, float(np.sqrt(dimension))
    for _ in range(50):
        middle = (low + high) / 2
        if _near(np.array([middle**2]), dimension)[0] < probability:
            low = middle
        else:
            high = middle
    return high


def _near(squares: npt.NDArray[np.float64], dimension: int) -> npt.NDArray[np.float64]:
    """Probability that the squared distance is at most each of these numbers.

    Coordinates differ by t with density 2(1 - t); the last one is integrated out, by Gauss and
    Legendre's rule on either side of the kinks, which the whole numbers below the square make.
    """
    capped = np.clip(squares, 0.0, dimension)
    if dimension == 1:
        return np.asarray(2 * np.sqrt(capped) - capped, dtype=np.float64)
    total = np.zeros_like(capped)
    # The rest s - t² crosses whole numbers k at t = √(s - k).
    kinks = np.sqrt(np.clip(capped[:, None] - np.arange(dimension, -1, -1), 0.0, 1.0))
    nodes, weights = np.polynomial.legendre.leggauss(_NODES if dimension == 2 else _NODES // 3)
    for a, b in zip(kinks.T[:-1], kinks.T[1:], strict=True):
        # The substitution t = b - (b-a)·(1-u)² takes the root's singularity at the end away.
        u = (nodes + 1) / 2
        t = b[:, None] - (b - a)[:, None] * (1 - u) ** 2
        jacobian = 2 * (b - a)[:, None] * (1 - u) * weights / 2
        inner = _near((capped[:, None] - t**2).ravel(), dimension - 1).reshape(t.shape)
        total += np.sum(jacobian * 2 * (1 - t) * inner, axis=1)
    return total
