"""Benchpress's graph modules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from dagathlon.benchpress.base import BenchpressGraph
from dagathlon.modules import Count, Natural, NonNegative, Probability
from dagathlon.simulate.band import Band, RandomBand
from dagathlon.simulate.base import GraphGenerator, GraphKind
from dagathlon.simulate.erdos_renyi import ErdosRenyi


@dataclass(frozen=True, kw_only=True)
class PcalgRanddag(BenchpressGraph):
    """Random DAGs and undirected graphs with an expected number of neighbours.

    Parameters
    ----------
    n
        Number of nodes.
    d
        Expected number of neighbours of a node.
    method
        Kind of random graph; ``er`` joins all pairs with the same probability.
    par1, par2
        Parameters of the kinds other than ``er`` and ``regular``; null is their default.
    max_parents
        Graphs with more parents at a node are drawn again; null is no limit.
    DAG
        Whether the graph is a DAG rather than undirected.
    """

    name = "pcalg_randdag"
    implementation = "dagathlon (re-implementation of pcalg 2.7-8 randDAG)"
    references = ("Kuipers and Moffa 2015, Statistics and Computing 25", "Kalisch et al. 2012, JSS")

    n: Natural = 20
    d: NonNegative = 4.0
    method: Literal[
        "er", "regular", "watts", "bipartite", "barabasi", "geometric", "power", "interEr"
    ] = "er"
    par1: NonNegative | None = None
    par2: NonNegative | None = None
    max_parents: Count | None = None
    DAG: bool = True

    @property
    def gives(self) -> GraphKind:
        """A DAG or an undirected graph."""
        return "dag" if self.DAG else "undirected"

    def problem(self) -> str:
        """Only one kind of random graph is there so far."""
        if self.method != "er":
            return f"method {self.method!r} is not available yet; use 'er'"
        return self.native().problem()

    def native(self) -> GraphGenerator:
        """The same graphs under our name."""
        return ErdosRenyi(
            nodes=self.n, neighbours=self.d, directed=self.DAG, max_parents=self.max_parents
        )


@dataclass(frozen=True, kw_only=True)
class GcastleDag(BenchpressGraph):
    """Random DAGs with an expected number of edges.

    Parameters
    ----------
    n_nodes
        Number of nodes.
    n_edges
        Expected number of edges.
    method
        All pairs with the same probability (er) or scale-free (sf).
    """

    name = "gcastle_dag"
    implementation = "dagathlon (re-implementation of gCastle 1.0.3 DAG)"
    unavailable = "not implemented yet: scale-free graphs are to come"
    references = ("Zhang et al. 2021, gCastle, arXiv 2111.15155",)

    n_nodes: Natural = 20
    n_edges: Count = 40
    method: Literal["er", "sf"] = "er"


@dataclass(frozen=True, kw_only=True)
class UndirectedGraph(BenchpressGraph):
    """A generator of undirected graphs."""

    @property
    def gives(self) -> GraphKind:
        """An undirected graph."""
        return "undirected"


@dataclass(frozen=True, kw_only=True)
class BdgraphGraphsim(UndirectedGraph):
    """Undirected graphs of several shapes.

    Parameters
    ----------
    p
        Number of nodes.
    graph
        Shape.
    prob
        Probability of an edge, for random graphs and clusters.
    class
        Number of clusters or hubs; null chooses by the number of nodes.
    size
        Number of edges of a random graph; null leaves it to `prob`.
    """

    name = "bdgraph_graphsim"
    implementation = "dagathlon (re-implementation of BDgraph 2.72 graph.sim)"
    unavailable = "not implemented yet: undirected graphs of several shapes are to come"
    references = ("Mohammadi and Wit 2019, BDgraph, JSS 89(3)",)

    p: Natural = 10
    graph: Literal["random", "cluster", "scale-free", "hub", "circle", "star", "lattice"] = "random"
    prob: Probability = 0.2
    class_: Count | None = field(default=None, metadata={"json": "class"})
    size: Count | None = None


@dataclass(frozen=True, kw_only=True)
class TrilearnBandmat(UndirectedGraph):
    """The band graph: nodes at most so many places apart are joined.

    Parameters
    ----------
    dim
        Number of nodes.
    bandwidth
        Largest distance of two joined nodes.
    """

    name = "trilearn_bandmat"
    implementation = "dagathlon (re-implementation of trilearn 2.0.5)"
    references = ("Olsson, Pavlenko and Rios 2019, Electronic Journal of Statistics 13",)

    dim: Natural = 20
    bandwidth: Count = 2

    def native(self) -> GraphGenerator:
        """The same graph under our name."""
        return Band(nodes=self.dim, bandwidth=self.bandwidth)


@dataclass(frozen=True, kw_only=True)
class TrilearnRandBandmat(UndirectedGraph):
    """A band graph whose width is a random walk.

    Parameters
    ----------
    dim
        Number of nodes.
    max_bandwidth
        Largest width.
    """

    name = "trilearn_rand_bandmat"
    implementation = "dagathlon (re-implementation of trilearn 2.0.5)"
    references = ("Olsson, Pavlenko and Rios 2019, Electronic Journal of Statistics 13",)

    dim: Natural = 20
    max_bandwidth: Natural = 5

    def native(self) -> GraphGenerator:
        """The same graphs under our name."""
        return RandomBand(nodes=self.dim, max_bandwidth=self.max_bandwidth)


@dataclass(frozen=True, kw_only=True)
class TrilearnCta(UndirectedGraph):
    """Random decomposable graphs by the Christmas tree algorithm.

    Parameters
    ----------
    order
        Number of nodes.
    alpha, beta
        Probabilities that steer how the junction tree grows: how often, and how far.
    """

    name = "trilearn_cta"
    implementation = "dagathlon (re-implementation of trilearn 2.0.5)"
    unavailable = "not implemented yet: the Christmas tree algorithm is to come"
    references = ("Olsson, Pavlenko and Rios 2022, Statistics and Computing 32",)

    order: Natural = 20
    alpha: Probability = 0.5
    beta: Probability = 0.5
