"""Random graphs with groups of nodes: bipartite graphs and islands."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from dagathlon.modules import Natural, NonNegative, Probability
from dagathlon.simulate.pairs import Pairs, bernoulli_places, random_pairs
from dagathlon.simulate.random_graph import RandomGraph, count_of


@dataclass(frozen=True, kw_only=True)
class Bipartite(RandomGraph):
    """Bipartite random graphs: pairs of one node from each group are joined independently.

    Parameters
    ----------
    part
        Share of the nodes in the first group; a fraction of a node counts as one.
    """

    name = "bipartite"

    part: Probability = 0.5

    @property
    def _sizes(self) -> tuple[int, int]:
        # A share such as 0.28 of 100 nodes must not become 29 by rounding error.
        first = min(math.ceil(self.nodes * self.part - 1e-9), self.nodes)
        return first, self.nodes - first

    @property
    def _probability(self) -> float:
        first, second = self._sizes
        if self.neighbours == 0:
            return 0.0
        return self.neighbours * self.nodes / (2 * first * second) if first * second else math.inf

    def obstacle(self) -> str:
        """Return a message if there are too few pairs between the groups; empty otherwise."""
        first, second = self._sizes
        if self._probability > 1:
            return (
                f"groups of {first} and {second} nodes cannot have {self.neighbours:g} "
                f"neighbours on average, at most {2 * first * second / self.nodes:g}"
            )
        return ""

    def edges(self, rng: np.random.Generator) -> Pairs:
        """Draw each pair between the groups independently."""
        first, second = self._sizes
        places = bernoulli_places(first * second, self._probability, rng)
        return _between(0, first, max(second, 1), places)


@dataclass(frozen=True, kw_only=True)
class Islands(RandomGraph):
    """Islands: Erdős–Rényi groups of equal size, with some edges between every two of them.

    Parameters
    ----------
    islands
        Number of groups, which divides the number of nodes.
    between
        Density of edges between the islands: a node's expected neighbours on other islands are half
        of this times those on its own.
    """

    name = "islands"

    islands: Natural = 2
    between: NonNegative = 0.25

    @property
    def _inside(self) -> float:
        """Expected number of neighbours of a node on its own island."""
        return 2 * self.neighbours / (2 + self.between)

    @property
    def _bridges(self) -> float:
        """Expected number of edges between two islands."""
        total = self.nodes * (self.neighbours - self._inside) / 2
        return total / math.comb(self.islands, 2)

    def obstacle(self) -> str:
        """Return a message if islands would be unequal, fewer than two, or too small."""
        if self.islands < 2 or self.nodes % self.islands:
            return (
                f"{count_of(self.nodes, 'node')} cannot be split into {self.islands} equal "
                "islands, at least two"
            )
        size = self.nodes // self.islands
        if self._inside > size - 1 or math.ceil(self._bridges) > size**2:
            return (
                f"{self.islands} islands of {count_of(size, 'node')} cannot have "
                f"{self.neighbours:g} neighbours each; lower that or the number of islands"
            )
        return ""

    def edges(self, rng: np.random.Generator) -> Pairs:
        """Draw each island, then a fixed number of edges between every two."""
        size = self.nodes // self.islands
        probability = self._inside / (size - 1) if size > 1 else 0.0
        parts = [
            random_pairs(size, probability, rng) + island * size for island in range(self.islands)
        ]
        for one, other in combinations(range(self.islands), 2):
            count = int(self._bridges + rng.random())
            places = rng.choice(size**2, count, replace=False)
            parts.append(_between(one * size, other * size, size, places))
        return np.concatenate(parts)


def _between(one: int, other: int, size: int, places: Pairs) -> Pairs:
    """Return pairs of nodes of two groups from row-by-row indices.

    The groups begin at the nodes `one` and `other`; `size` is that of the second group.
    """
    return np.column_stack((one + places // size, other + places % size))
