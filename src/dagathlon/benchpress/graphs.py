"""Benchpress's graph modules."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from dagathlon.benchpress.base import BenchpressGraph
from dagathlon.benchpress.translation import same
from dagathlon.errors import StudyError
from dagathlon.modules import Count, Natural, NonNegative
from dagathlon.simulate.band import Band, RandomBand
from dagathlon.simulate.base import GraphGenerator, GraphKind, Nodes
from dagathlon.simulate.blocks import Bipartite, Islands
from dagathlon.simulate.decomposable import DecomposableGraph
from dagathlon.simulate.degrees import PowerLaw, RegularGraph
from dagathlon.simulate.erdos_renyi import ErdosRenyi
from dagathlon.simulate.geometric import GeometricGraph
from dagathlon.simulate.random_graph import RandomGraph, numbered
from dagathlon.simulate.scale_free import ScaleFree
from dagathlon.simulate.shapes import ShapedGraph
from dagathlon.simulate.small_world import SmallWorld

if TYPE_CHECKING:
    import numpy as np

    from dagathlon.graphs import Graph

Randdag: TypeAlias = Literal[
    "er", "regular", "watts", "bipartite", "barabasi", "geometric", "power", "interEr"
]

# For each method: our generator, and what par1 and par2 are called there.
_METHODS: Mapping[Randdag, tuple[type[RandomGraph], str, str]] = {
    "er": (ErdosRenyi, "", ""),
    "regular": (RegularGraph, "", ""),
    "watts": (SmallWorld, "moved", ""),
    "bipartite": (Bipartite, "part", ""),
    "barabasi": (ScaleFree, "power", ""),
    "geometric": (GeometricGraph, "dimension", ""),
    "power": (PowerLaw, "", ""),
    "interEr": (Islands, "islands", "between"),
}


@dataclass(frozen=True, kw_only=True)
class PcalgRanddag(BenchpressGraph):
    """Random DAGs and undirected graphs with an expected number of neighbours.

    Benchpress cuts d, par1 and par2 down to whole numbers; here they are what pcalg documents.
    The expected number of neighbours is met more closely than in pcalg, which rounds it for some
    methods and forgets the borders of geometric graphs.

    Parameters
    ----------
    n
        Number of nodes.
    d
        Expected number of neighbours of a node.
    method
        er: all pairs with the same probability; regular: exactly d neighbours each; watts: a ring
        with edges moved; bipartite; barabasi: preferential attachment; geometric: near points of
        a cube; power: degrees from a power law; interEr: islands with edges between them.
    par1
        watts: probability that an edge is moved (0.5); bipartite: share of the first group (0.5);
        barabasi: power of the attachment (1); geometric: dimension, 2 to 5 (2); interEr: number of
        islands (2). Null is the number in parentheses; other methods ignore it.
    par2
        interEr: amount of edges between the islands (0.25); other methods ignore it.
    max_parents
        Graphs with more parents at a node are drawn again; null is no limit.
    DAG
        Whether the graph is a DAG rather than undirected.
    """

    name = "pcalg_randdag"
    version = 2
    implementation = "dagathlon (re-implementation of pcalg 2.7-8 randDAG)"
    references = ("Kalisch et al. 2012, JSS 47(11)",)

    n: Nodes = 20
    d: NonNegative = 4.0
    method: Randdag = "er"
    par1: NonNegative | None = None
    par2: NonNegative | None = None
    max_parents: Count | None = None
    DAG: bool = True

    @property
    def gives(self) -> GraphKind:
        """A DAG or an undirected graph."""
        return "dag" if self.DAG else "undirected"

    def problem(self) -> str:
        """What the native generator says of the parameters, in Benchpress's words."""
        _, first, second = _METHODS[self.method]
        try:
            self.native()
        except StudyError as error:
            place, _, text = str(error).partition(": ")
            names = {first: "par1: ", second: "par2: "}
            return f"method {self.method!r}: {names.get(place, '')}{text}"
        return ""

    def native(self) -> GraphGenerator:
        """The same graphs under our name."""
        return _METHODS[self.method][0].from_json(self._values())

    def _values(self) -> dict[str, Any]:
        _, *names = _METHODS[self.method]
        given = {
            name: int(value) if float(value).is_integer() else value
            for name, value in zip(names, (self.par1, self.par2), strict=True)
            if name and value is not None
        }
        return {
            "nodes": self.n,
            "neighbours": self.d,
            "directed": self.DAG,
            "max_parents": self.max_parents,
            **given,
        }


@dataclass(frozen=True, kw_only=True)
class GcastleDag(BenchpressGraph):
    """Random DAGs with an expected number of edges.

    The number is met in expectation; gCastle falls short of it by the factor 1 - 1/n_nodes (er)
    or rounds the edges per node (sf).

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
    references = ("Zhang et al. 2021, gCastle, arXiv 2111.15155",)

    n_nodes: Nodes = 20
    n_edges: Count = 40
    method: Literal["er", "sf"] = "er"

    def problem(self) -> str:
        """The edges must fit between the nodes."""
        most = math.comb(self.n_nodes, 2)
        if self.n_edges > most:
            return f"{self.n_nodes} nodes have at most {most} edges, not {self.n_edges}"
        return ""

    def native(self) -> GraphGenerator:
        """The same graphs under our name."""
        generator = ErdosRenyi if self.method == "er" else ScaleFree
        return generator(nodes=self.n_nodes, neighbours=2 * self.n_edges / self.n_nodes)

    def sample(self, rng: np.random.Generator) -> Graph:
        """Draw one graph; nodes are counted from 0."""
        return cast("Graph", super().sample(rng)).renamed(numbered(self.n_nodes, first=0))


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

    Benchpress hands `class` over as `size`; here each is what BDgraph documents.
    """

    name = "bdgraph_graphsim"
    runs = ShapedGraph
    inherits = same("size", p="nodes", graph="shape", prob="probability", class_="groups")
    implementation = "dagathlon (re-implementation of BDgraph 2.72 graph.sim)"
    references = ("Mohammadi and Wit 2019, BDgraph, JSS 89(3)",)

    class_: Natural | None = field(default=None, metadata={"json": "class"})


@dataclass(frozen=True, kw_only=True)
class TrilearnBandmat(UndirectedGraph):
    """The band graph: nodes at most so many places apart are joined."""

    name = "trilearn_bandmat"
    runs = Band
    inherits = same("bandwidth", dim="nodes")
    implementation = "dagathlon (re-implementation of trilearn 2.0.5)"
    references = ("Olsson, Pavlenko and Rios 2019, Electronic Journal of Statistics 13",)


@dataclass(frozen=True, kw_only=True)
class TrilearnRandBandmat(UndirectedGraph):
    """A band graph whose width is a random walk."""

    name = "trilearn_rand_bandmat"
    runs = RandomBand
    inherits = same("max_bandwidth", dim="nodes")
    implementation = "dagathlon (re-implementation of trilearn 2.0.5)"
    references = ("Olsson, Pavlenko and Rios 2019, Electronic Journal of Statistics 13",)


@dataclass(frozen=True, kw_only=True)
class TrilearnCta(UndirectedGraph):
    """Random decomposable graphs by the Christmas tree algorithm."""

    name = "trilearn_cta"
    runs = DecomposableGraph
    inherits = same(order="nodes", alpha="spread", beta="attach")
    implementation = "dagathlon (re-implementation of trilearn 2.0.5)"
    references = ("Olsson, Pavlenko and Rios 2022, Statistics and Computing 32",)
