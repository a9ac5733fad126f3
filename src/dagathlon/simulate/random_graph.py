"""What the random graphs with an expected number of neighbours have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dagathlon.graphs import Graph
from dagathlon.modules import Count, NonNegative
from dagathlon.simulate.base import GraphGenerator, GraphKind, Nodes, check
from dagathlon.simulate.pairs import Pairs, acyclic, redraw, shuffled
from dagathlon.wording import counted

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, kw_only=True)
class RandomGraph(GraphGenerator):
    """A random undirected graph, made a DAG by a random order of the nodes.

    A subclass draws the edges; nodes are numbered at random afterwards, so that neither the place
    of a node nor the direction of its edges says anything about its part in the construction.

    Parameters
    ----------
    nodes
        Number of nodes, called 1, 2, ….
    neighbours
        Expected number of neighbours of a node.
    directed
        Whether the graph is a DAG rather than undirected.
    max_parents
        Graphs with more parents (neighbours, if undirected) at a node are drawn again; null is no
        limit.
    """

    nodes: Nodes = 20
    neighbours: NonNegative = 4.0
    directed: bool = True
    max_parents: Count | None = None

    @property
    def gives(self) -> GraphKind:
        """A DAG or an undirected graph."""
        return "dag" if self.directed else "undirected"

    def problem(self) -> str:
        """A node has at most all others as neighbours."""
        if self.neighbours > self.nodes - 1:
            return f"{count_of(self.nodes, 'node')} cannot have {self.neighbours:g} neighbours each"
        return self.obstacle()

    def obstacle(self) -> str:
        """Why this kind of graph does not exist with these parameters; empty when it does."""
        return ""

    def sample(self, rng: np.random.Generator) -> Graph:
        """Draw one graph."""
        check(self)
        edges = redraw(
            lambda: self._draw(rng),
            self.nodes,
            directed=self.directed,
            max_parents=self.max_parents,
        )
        return Graph.from_pairs(numbered(self.nodes), edges, directed=self.directed)

    def _draw(self, rng: np.random.Generator) -> Pairs:
        edges = self.edges(rng)
        if self.directed:
            edges = acyclic(edges, self.nodes, rng)
        return shuffled(edges, self.nodes, rng)

    @abstractmethod
    def edges(self, rng: np.random.Generator) -> Pairs:
        """Draw the edges, without regard to direction."""


def numbered(n: int, first: int = 1) -> Iterable[str]:
    """Node names that are numbers."""
    return map(str, range(first, first + n))


def count_of(n: int, word: str) -> str:
    """A number with its noun."""
    return counted(n, word)
