"""Graphs that grow by preferential attachment."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.modules import NonNegative
from dagathlon.simulate.pairs import Pairs
from dagathlon.simulate.random_graph import RandomGraph

_MAX_EXPONENT = 200
"""Largest attachment weight, as a power of ten."""


@dataclass(frozen=True, kw_only=True)
class ScaleFree(RandomGraph):
    """Preferential attachment: new nodes join earlier ones, those of high degree more often.

    A node of degree k is chosen in proportion to ``k**power + 1``. The number of nodes that a
    new one attaches to is one of two consecutive whole numbers, drawn so that the expected
    number of neighbours is met.

    Parameters
    ----------
    power
        Exponent of preferential attachment; 1 gives degrees with a power law.
    """

    name = "scale_free"
    references = ("Barabási and Albert 1999, Science 286",)

    power: NonNegative = 1.0

    def obstacle(self) -> str:
        """Return a message if the largest attachment weight would overflow; empty otherwise."""
        if self.power * math.log10(self.nodes + 1) > _MAX_EXPONENT:
            return f"power {self.power:g} is too large for {self.nodes} nodes"
        return ""

    def edges(self, rng: np.random.Generator) -> Pairs:
        """Grow the graph."""
        counts = _attachments(self.nodes, self.neighbours * self.nodes / 2, rng)
        return attach_nodes(counts, self.power, rng)


def _attachments(n: int, edges: float, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Draw, for each node, the number of earlier nodes it joins; `edges` is the expected total.

    The first nodes attach to all before them, since there are no more; the others to k or to k
    + 1.
    """
    place = np.arange(n, dtype=np.int64)
    least = 0
    while least + 1 < n and np.minimum(place, least + 1).sum() <= edges:
        least += 1
    later = n - 1 - least
    surplus = edges - np.minimum(place, least).sum()
    more = rng.random(n) < (surplus / later if later else 0.0)
    counts: npt.NDArray[np.int64] = np.minimum(place, least + more)
    return counts


def attach_nodes(
    counts: npt.NDArray[np.int64],
    power: float,
    rng: np.random.Generator,
    *,
    own_edges_attract: bool = True,
) -> Pairs:
    """Edges from each node to earlier ones, drawn by preferential attachment without repetition.

    Parameters
    ----------
    counts
        For each node, the number of earlier ones it attaches to.
    power
        A node with k edges is chosen in proportion to ``k**power + 1``.
    rng
        The random stream.
    own_edges_attract
        Whether a node's degree k includes the edges to earlier nodes that it was added with.
    """
    key = int(rng.integers(2**64, dtype=np.uint64))
    edges: Pairs = _core.grow_by_attachment(counts.tolist(), power, own_edges_attract, key)
    return edges
