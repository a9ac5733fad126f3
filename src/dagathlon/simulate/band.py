"""Band graphs: each node is joined to the following ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dagathlon.graphs import Graph
from dagathlon.modules import Count, Natural
from dagathlon.simulate.base import GraphGenerator, GraphKind, Nodes, check
from dagathlon.simulate.random_graph import numbered


@dataclass(frozen=True, kw_only=True)
class Band(GraphGenerator):
    """Band graph: the undirected graph in which nodes at most `width` places apart are joined.

    Parameters
    ----------
    nodes
        Number of nodes, called 0, 1, ….
    bandwidth
        Largest distance of two joined nodes.
    """

    name = "band"

    nodes: Nodes = 20
    bandwidth: Count = 2

    @property
    def gives(self) -> GraphKind:
        """Return "undirected"."""
        return "undirected"

    def sample(self, rng: np.random.Generator) -> Graph:
        """Return the graph, which is deterministic."""
        check(self)
        return _band_graph(np.full(self.nodes, self.bandwidth))


@dataclass(frozen=True, kw_only=True)
class RandomBand(GraphGenerator):
    """A band graph whose width is a random walk along the nodes; it is decomposable.

    Parameters
    ----------
    nodes
        Number of nodes, called 0, 1, ….
    max_bandwidth
        Largest width.
    """

    name = "random_band"
    version = 2

    nodes: Nodes = 20
    max_bandwidth: Natural = 5

    @property
    def gives(self) -> GraphKind:
        """Return "undirected"."""
        return "undirected"

    def sample(self, rng: np.random.Generator) -> Graph:
        """Draw the steps of the walk: narrower, the same or wider with equal probability."""
        check(self)
        widths = []
        width = 1
        for step in rng.integers(-1, 2, self.nodes):
            width = min(max(width + int(step), 1), self.max_bandwidth)
            widths.append(width)
        return _band_graph(np.array(widths))


def _band_graph(widths: np.ndarray[tuple[int], np.dtype[np.int_]]) -> Graph:
    """Return the graph in which node i is joined to the next ``widths[i]`` nodes."""
    place = np.arange(len(widths))
    ahead = place[None, :] - place[:, None]
    upper = (ahead > 0) & (ahead <= widths[:, None])
    return Graph.from_adjacency(numbered(len(widths), first=0), upper | upper.T)
