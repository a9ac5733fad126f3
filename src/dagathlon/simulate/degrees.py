"""Random graphs with given degrees: regular, or from a power law."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.errors import GraphError
from dagathlon.simulate.pairs import Pairs
from dagathlon.simulate.random_graph import RandomGraph

ATTEMPTS_PER_EDGE = 50
"""Attempted edge swaps per edge, far more than needed to mix."""

MAX_SEQUENCES = 1000
_STEEPEST = 50.0


@dataclass(frozen=True, kw_only=True)
class RegularGraph(RandomGraph):
    """Random regular graph: uniform over all graphs in which each node has the same degree."""

    name = "regular_graph"

    def obstacle(self) -> str:
        """Return a message if the degree is not whole or the sum of degrees is odd."""
        if self.neighbours != int(self.neighbours):
            return f"nodes have a whole number of neighbours each, not {self.neighbours:g}"
        if self.nodes * self.neighbours % 2:
            return (
                f"{self.nodes} nodes cannot have {self.neighbours:g} neighbours each: one of the "
                "two numbers must be even"
            )
        return ""

    def edges(self, rng: np.random.Generator) -> Pairs:
        """Draw a random regular graph."""
        return _with_degrees([int(self.neighbours)] * self.nodes, rng)


@dataclass(frozen=True, kw_only=True)
class PowerLaw(RandomGraph):
    """Power-law degrees with probabilities ``k**-γ``, at least 1; γ follows from `neighbours`.

    The degrees are drawn independently, and redrawn while no graph has them, which makes their
    mean somewhat lower in small graphs; if their sum is odd, the largest is lowered by one. All
    graphs with these degrees are equally likely.
    """

    name = "power_law"

    def obstacle(self) -> str:
        """Return a message if nodes would have fewer than one neighbour; empty otherwise."""
        if self.nodes < 2 or self.neighbours < 1:
            return (
                "in a power law every node has a neighbour: needed are at least 2 nodes and 1 "
                f"expected neighbour, found {self.nodes} and {self.neighbours:g}"
            )
        return ""

    def edges(self, rng: np.random.Generator) -> Pairs:
        """Draw degrees until a graph has them, then the graph."""
        probabilities = power_law(self.nodes - 1, self.neighbours)
        for _ in range(MAX_SEQUENCES):
            degrees = rng.choice(np.arange(1, self.nodes), self.nodes, p=probabilities)
            if degrees.sum() % 2:
                degrees[np.argmax(degrees)] -= 1
            if is_graphical(degrees):
                return _with_degrees(degrees.tolist(), rng)
        raise GraphError(
            f"none of {MAX_SEQUENCES} draws of degrees was that of a graph with {self.nodes} nodes "
            f"and {self.neighbours:g} expected neighbours; lower the number of neighbours"
        )


def is_graphical(degrees: npt.NDArray[np.int64]) -> bool:
    """Return whether a simple graph has these degrees (Erdős and Gallai 1960)."""
    ordered = np.sort(degrees)[::-1]
    first = np.arange(1, len(ordered) + 1)
    sums = np.cumsum(ordered)
    capped = np.array([np.minimum(ordered[k:], k).sum() for k in first])
    return bool(sums[-1] % 2 == 0 and np.all(sums <= first * (first - 1) + capped))


@functools.cache
def power_law(largest: int, mean: float) -> npt.NDArray[np.float64]:
    """Return power-law probabilities of 1, …, largest with the given mean."""
    degrees = np.arange(1, largest + 1, dtype=np.float64)
    low, high = -_STEEPEST, _STEEPEST
    for _ in range(200):
        middle = (low + high) / 2
        if _powers(degrees, middle) @ degrees > mean:
            low = middle
        else:
            high = middle
    return _powers(degrees, high)


def _powers(degrees: npt.NDArray[np.float64], gamma: float) -> npt.NDArray[np.float64]:
    logarithms = -gamma * np.log(degrees)
    weights = np.exp(logarithms - logarithms.max())
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def _with_degrees(degrees: Iterable[int], rng: np.random.Generator) -> Pairs:
    key = int(rng.integers(2**64, dtype=np.uint64))
    pairs: Pairs = _core.random_graph_with_degrees(list(degrees), ATTEMPTS_PER_EDGE, key)
    return pairs
