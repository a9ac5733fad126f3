"""Benchpress's graph modules."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from dagathlon.benchpress.base import BenchpressGraph
from dagathlon.benchpress.table import add_classes
from dagathlon.errors import StudyError
from dagathlon.simulate.base import GraphGenerator, GraphKind
from dagathlon.simulate.blocks import Bipartite, Islands
from dagathlon.simulate.degrees import PowerLaw, RegularGraph
from dagathlon.simulate.erdos_renyi import ErdosRenyi
from dagathlon.simulate.geometric import GeometricGraph
from dagathlon.simulate.random_graph import RandomGraph, numbered
from dagathlon.simulate.scale_free import ScaleFree
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
    """

    name = "pcalg_randdag"

    @property
    def gives(self) -> GraphKind:
        """The kind of graph, by the parameter `DAG`: a DAG or an undirected graph."""
        return "dag" if self.DAG else "undirected"

    def problem(self) -> str:
        """Return our generator's objection in Benchpress's parameter names; else empty."""
        _, first, second = _METHODS[self.method]
        try:
            self.native()
        except StudyError as error:
            place, _, text = str(error).partition(": ")
            names = {first: "par1: ", second: "par2: "}
            return f"method {self.method!r}: {names.get(place, '')}{text}"
        return ""

    def native(self) -> GraphGenerator:
        """Return our generator of the same graphs."""
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
    """

    name = "gcastle_dag"

    def problem(self) -> str:
        """Return an error when there are more edges than node pairs; else empty."""
        most = math.comb(self.n_nodes, 2)
        if self.n_edges > most:
            return f"{self.n_nodes} nodes have at most {most} edges, not {self.n_edges}"
        return ""

    def native(self) -> GraphGenerator:
        """Return our generator of the same graphs."""
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
        """The kind of graph: undirected."""
        return "undirected"


add_classes(__name__)
