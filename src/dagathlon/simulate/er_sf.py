"""ER and SF graphs: the four kinds of DAG of most studies of Bayesian causal discovery."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dagathlon.graphs import Graph
from dagathlon.modules import Delegate
from dagathlon.simulate.base import GraphGenerator, Nodes, check
from dagathlon.simulate.erdos_renyi import ErdosRenyi
from dagathlon.simulate.pairs import shuffled
from dagathlon.simulate.random_graph import numbered
from dagathlon.simulate.scale_free import ScaleFree, attach_nodes


@dataclass(frozen=True, kw_only=True)
class ErSf(GraphGenerator):
    """ER1, ER2, SF1, SF2: random DAGs with one or two edges per node.

    In the Erdős–Rényi graphs (ER) the number of edges is an expectation; five nodes with two
    edges each are all joined. In the scale-free graphs (SF) nodes are added one after another,
    each with one or two edges to earlier ones (as many as exist), and edges point from the
    later node to the earlier one, so that some nodes have very many parents.

    Parameters
    ----------
    nodes
        Number of nodes, called 1, 2, ….
    family
        Kind of graph and number of edges per node.
    """

    name = "er_sf"
    references = ("Karimi Mamaghan et al. 2024, ICML, PMLR 235", "Lorch et al. 2021, NeurIPS")

    nodes: Nodes = 5
    family: Literal["ER1", "ER2", "SF1", "SF2"] = "ER1"

    @property
    def _edges_per_node(self) -> int:
        return int(self.family[-1])

    def problem(self) -> str:
        """Return a message if the expected edges exceed the number of pairs; empty otherwise."""
        if self.family.startswith("ER"):
            return self._erdos_renyi().problem()
        return ""

    def delegates(self) -> tuple[Delegate, ...]:
        """Return the generators whose growth code is shared."""
        if self.family.startswith("ER"):
            return (self._erdos_renyi(),)
        return (ScaleFree(nodes=self.nodes),)

    def sample(self, rng: np.random.Generator) -> Graph:
        """Draw one graph."""
        check(self)
        if self.family.startswith("ER"):
            return self._erdos_renyi().sample(rng)
        counts = np.minimum(np.arange(self.nodes, dtype=np.int64), self._edges_per_node)
        edges = attach_nodes(counts, 1.0, rng, own_edges_attract=False)
        return Graph.from_pairs(numbered(self.nodes), shuffled(edges, self.nodes, rng))

    def _erdos_renyi(self) -> ErdosRenyi:
        return ErdosRenyi(nodes=self.nodes, neighbours=2.0 * self._edges_per_node)
