"""Base class of the random graphs with an expected number of neighbours."""

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
    """Base class of random undirected graphs, made DAGs by a random order of the nodes.

    A subclass draws the edges; nodes are relabelled at random afterwards, so that neither the
    position of a node nor the direction of its edges depends on its role in the construction.

    Parameters
    ----------
    nodes
        Number of nodes, called 1, 2, ….
    neighbours
        Expected number of neighbours of a node.
    directed
        Whether the graph is a DAG or undirected.
    max_parents
        Largest number of parents (neighbours, if undirected) of a node; graphs beyond it are
        redrawn. Null is no limit.
    """

    nodes: Nodes = 20
    neighbours: NonNegative = 4.0
    directed: bool = True
    max_parents: Count | None = None

    @property
    def gives(self) -> GraphKind:
        """Return "dag" or "undirected"."""
        return "dag" if self.directed else "undirected"

    def problem(self) -> str:
        """Return a message if the expected neighbours exceed the other nodes; empty otherwise."""
        if self.neighbours > self.nodes - 1:
            return f"{count_of(self.nodes, 'node')} cannot have {self.neighbours:g} neighbours each"
        return self.obstacle()

    def obstacle(self) -> str:
        """Return why no graph of this kind has these parameters; empty if one has."""
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
        """Draw the edges, regardless of direction."""


def numbered(n: int, first: int = 1) -> Iterable[str]:
    """Return numbers as node names."""
    return map(str, range(first, first + n))


def count_of(n: int, word: str) -> str:
    """Return a number with its noun, in singular or plural."""
    return counted(n, word)
