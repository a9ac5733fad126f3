"""Discrete decomposable models with hyper-Dirichlet tables."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dagathlon.data import Network
from dagathlon.data.spec import DataFacts
from dagathlon.graphs import Graph, perfect_elimination_order
from dagathlon.graphs.checks import not_chordal, require_undirected
from dagathlon.modules import NonNegative
from dagathlon.simulate.base import GraphKind, ParameterGenerator, check, not_positive
from dagathlon.simulate.discrete import Levels, dirichlet_rows, network_of


@dataclass(frozen=True, kw_only=True)
class HyperDirichlet(ParameterGenerator):
    """Discrete model on a decomposable graph; the table of each clique is a Dirichlet draw.

    The pseudo-observations are spread evenly over all cells, so that the tables of two cliques
    agree on their separator. The model is returned as a Bayesian network on a DAG without
    v-structures, which has the same independences.

    Parameters
    ----------
    levels
        Number of levels of every variable.
    pseudo_observations
        Total number of pseudo-observations; more make the distributions more uniform.
    """

    name = "hyper_dirichlet"
    needs: ClassVar[GraphKind] = "undirected"
    gives = DataFacts(kind="discrete", missing=False)
    references = ("Dawid and Lauritzen 1993, Annals of Statistics 21",)

    levels: Levels = 2
    pseudo_observations: NonNegative = 1.0

    def problem(self) -> str:
        """Return a message if the distribution is improper; empty otherwise."""
        return not_positive(self, "pseudo_observations")

    def sample(self, graph: Graph, rng: np.random.Generator) -> Network:
        """Draw independent conditional tables along a perfect order."""
        check(self)
        return network_of(
            perfect_dag(graph),
            [self.levels] * len(graph),
            lambda shape, _: dirichlet_rows(
                shape, self.pseudo_observations / math.prod(shape), rng
            ),
        )


def perfect_dag(graph: Graph) -> Graph:
    """Direct a chordal graph so that all parents of a node are adjacent."""
    require_undirected(graph, "a decomposable model")
    if not graph.is_chordal:
        raise not_chordal(graph, "a decomposable model")
    order = graph.positions(perfect_elimination_order(graph))
    place = np.empty(len(graph), dtype=np.int64)
    place[order] = np.arange(len(graph))
    later = place[:, None] > place[None, :]
    return Graph.from_adjacency(graph.names, graph.adjacency.astype(bool) & later)
