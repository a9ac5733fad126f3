"""Erdős–Rényi graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dagathlon.graphs import Graph
from dagathlon.modules import Count, Natural, NonNegative
from dagathlon.simulate.base import GraphGenerator, GraphKind
from dagathlon.simulate.redraw import Adjacency, redraw

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, kw_only=True)
class ErdosRenyi(GraphGenerator):
    """Every pair of nodes is joined with the same probability; directions follow a random order.

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

    name = "erdos_renyi"
    references = ("Erdős and Rényi 1959, On random graphs I, Publicationes Mathematicae 6",)

    nodes: Natural = 20
    neighbours: NonNegative = 4.0
    directed: bool = True
    max_parents: Count | None = None

    @property
    def gives(self) -> GraphKind:
        """A DAG or an undirected graph."""
        return "dag" if self.directed else "undirected"

    def problem(self) -> str:
        """A node has at most all others as neighbours."""
        if self.neighbours > max(self.nodes - 1, 0):
            return f"{self.nodes} nodes cannot have {self.neighbours:g} neighbours each"
        return ""

    def sample(self, rng: np.random.Generator) -> Graph:
        """Draw one graph."""
        matrix = redraw(lambda: self._draw(rng), self.max_parents)
        return Graph.from_adjacency(numbered(self.nodes), matrix)

    def _draw(self, rng: np.random.Generator) -> Adjacency:
        n = self.nodes
        probability = self.neighbours / (n - 1) if n > 1 else 0.0
        upper = np.triu(rng.random((n, n)) < probability, 1)
        if not self.directed:
            return upper | upper.T
        order = rng.permutation(n)
        return upper[np.ix_(order, order)]


def numbered(n: int, first: int = 1) -> Iterable[str]:
    """Node names that are numbers."""
    return map(str, range(first, first + n))
