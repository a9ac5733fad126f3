"""Small-world graphs: a ring lattice with some edges rewired."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dagathlon.modules import Probability
from dagathlon.simulate.pairs import Pairs
from dagathlon.simulate.random_graph import RandomGraph


@dataclass(frozen=True, kw_only=True)
class SmallWorld(RandomGraph):
    """Small-world graph: a ring of nodes joined to the nearest ones, with edges rewired.

    A node is joined to as many nodes on either side as half of `neighbours`; where that is not
    a whole number, each edge to the next further node exists with the remaining probability. An
    edge is rewired to a random other end that is not joined to its first end yet.

    Parameters
    ----------
    moved
        Probability that an edge is rewired: 0 is a ring lattice, and 1 almost an Erdős–Rényi graph.
    """

    name = "small_world"
    references = ("Watts and Strogatz 1998, Nature 393",)

    moved: Probability = 0.5

    def edges(self, rng: np.random.Generator) -> Pairs:
        """Build the ring, then rewire edges one after another."""
        ring = _ring(self.nodes, self.neighbours, rng)
        joined: list[set[int]] = [set() for _ in range(self.nodes)]
        for a, b in ring.tolist():
            joined[a].add(b)
            joined[b].add(a)
        for k in np.flatnonzero(rng.random(len(ring)) < self.moved).tolist():
            a, b = ring[k].tolist()
            if len(joined[a]) == self.nodes - 1:
                continue
            end = _other_end(joined[a], a, self.nodes, rng)
            joined[a].remove(b)
            joined[b].remove(a)
            joined[a].add(end)
            joined[end].add(a)
            ring[k, 1] = end
        return ring


def _ring(n: int, neighbours: float, rng: np.random.Generator) -> Pairs:
    """Return the edges of the ring lattice; those of the last distance by chance."""
    node = np.arange(n, dtype=np.int64)
    whole = int(neighbours // 2)
    rest = neighbours / 2 - whole
    parts = [np.column_stack((node, (node + step) % n)) for step in range(1, whole + 1)]
    if rest > 0:
        # Opposite nodes of an even ring meet twice: half as many pairs, twice as likely.
        opposite = 2 * (whole + 1) == n
        start = node[: n // 2] if opposite else node
        chosen = start[rng.random(len(start)) < (2 * rest if opposite else rest)]
        parts.append(np.column_stack((chosen, (chosen + whole + 1) % n)))
    return np.concatenate([np.empty((0, 2), dtype=np.int64), *parts])


def _other_end(joined: set[int], node: int, n: int, rng: np.random.Generator) -> int:
    """Draw a node, uniformly, that is neither `node` nor joined to it."""
    while True:
        end = int(rng.integers(n))
        if end != node and end not in joined:
            return end
