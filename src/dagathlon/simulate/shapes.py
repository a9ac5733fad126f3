"""Undirected graphs of simple shapes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dagathlon.graphs import Graph
from dagathlon.modules import Count, Natural, Probability
from dagathlon.simulate.base import GraphGenerator, GraphKind, Nodes, check
from dagathlon.simulate.pairs import Pairs, number_of_pairs, random_pairs
from dagathlon.simulate.random_graph import count_of, numbered
from dagathlon.simulate.scale_free import attach_nodes


@dataclass(frozen=True, kw_only=True)
class ShapedGraph(GraphGenerator):
    """Undirected graphs: random, clustered, scale-free, with hubs, a circle, a star, a lattice.

    Parameters
    ----------
    nodes
        Number of nodes, called 0, 1, ….
    shape
        random: every pair alike; cluster: only pairs within a cluster; scale-free: a tree grown by
        preferential attachment; hub: some nodes are joined to all others; circle; star: one node
        is joined to all others; lattice: a grid of about as many rows as columns.
    probability
        Probability of an edge, in random graphs and inside clusters.
    groups
        Number of clusters or hubs; null is one per 20 nodes, and at least two clusters.
    size
        Number of edges of a random graph or in all clusters together; null draws it by
        `probability`.
    """

    name = "shaped_graph"
    references = ("Mohammadi and Wit 2019, BDgraph, JSS 89(3)",)

    nodes: Nodes = 10
    shape: Literal["random", "cluster", "scale-free", "hub", "circle", "star", "lattice"] = "random"
    probability: Probability = 0.2
    groups: Natural | None = None
    size: Count | None = None

    @property
    def gives(self) -> GraphKind:
        """Return "undirected"."""
        return "undirected"

    def problem(self) -> str:
        """Return a message if groups or sizes do not fit the shape; empty otherwise."""
        if self.groups is not None and self.shape not in ("cluster", "hub"):
            return f"a {self.shape} graph has no clusters or hubs; set their number to null"
        if self.groups is not None and self.groups > self.nodes:
            return f"{count_of(self.nodes, 'node')} cannot form {self.groups} groups"
        if self.size is not None and self.shape not in ("random", "cluster"):
            return f"the number of edges of a {self.shape} graph is given; set size to null"
        most = sum(math.comb(n, 2) for n in self._cluster_sizes())
        if self.size is not None and self.size > most:
            return f"there is room for at most {most} edges, not for {self.size}"
        return ""

    def sample(self, rng: np.random.Generator) -> Graph:
        """Draw one graph."""
        check(self)
        pairs = _SHAPES[self.shape](self, rng)
        return Graph.from_pairs(numbered(self.nodes, first=0), pairs, directed=False)

    def _cluster_sizes(self) -> list[int]:
        """Return the sizes of the clusters, equal up to one node, the larger ones last."""
        if self.shape != "cluster":
            return [self.nodes]
        clusters = min(self.groups or max(2, math.ceil(self.nodes / 20)), self.nodes)
        small, larger = divmod(self.nodes, clusters)
        return [small] * (clusters - larger) + [small + 1] * larger

    def _clusters(self, rng: np.random.Generator) -> Pairs:
        sizes = self._cluster_sizes()
        starts = np.cumsum([0, *sizes[:-1]])
        if self.size is None:
            drawn = [random_pairs(n, self.probability, rng) for n in sizes]
        else:
            capacity = [math.comb(n, 2) for n in sizes]
            counts = rng.multivariate_hypergeometric(capacity, self.size).tolist()
            drawn = [number_of_pairs(n, c, rng) for n, c in zip(sizes, counts, strict=True)]
        return np.concatenate([pairs + start for pairs, start in zip(drawn, starts, strict=True)])

    def _tree(self, rng: np.random.Generator) -> Pairs:
        return attach_nodes(np.minimum(np.arange(self.nodes, dtype=np.int64), 1), 1.0, rng)

    def _hubs(self, rng: np.random.Generator) -> Pairs:
        default = 1 if self.shape == "star" else math.ceil(self.nodes / 20)
        hubs = rng.choice(self.nodes, self.groups or default, replace=False)
        joined = np.zeros((self.nodes, self.nodes), dtype=bool)
        joined[hubs, :] = joined[:, hubs] = True
        return np.argwhere(np.triu(joined, 1))

    def _circle(self, rng: np.random.Generator) -> Pairs:
        node = np.arange(self.nodes if self.nodes > 2 else self.nodes - 1)
        return np.column_stack((node, (node + 1) % self.nodes))

    def _lattice(self, rng: np.random.Generator) -> Pairs:
        columns = round(math.sqrt(self.nodes))
        node = np.arange(self.nodes)
        right = node[(node % columns != columns - 1) & (node + 1 < self.nodes)]
        below = node[node + columns < self.nodes]
        return np.concatenate(
            (np.column_stack((right, right + 1)), np.column_stack((below, below + columns)))
        )


_SHAPES: dict[str, Callable[[ShapedGraph, np.random.Generator], Pairs]] = {
    "random": ShapedGraph._clusters,
    "cluster": ShapedGraph._clusters,
    "scale-free": ShapedGraph._tree,
    "hub": ShapedGraph._hubs,
    "star": ShapedGraph._hubs,
    "circle": ShapedGraph._circle,
    "lattice": ShapedGraph._lattice,
}
