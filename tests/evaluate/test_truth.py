from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagathlon.data import Network
from dagathlon.errors import GraphError
from dagathlon.evaluate import free_parameters, graph_statistics, samples_per_parameter
from dagathlon.graphs import Graph
from dagathlon.graphs.cliques import all_maximal_cliques


def test_a_dag() -> None:
    graph = Graph.from_edges(["A -> C", "B -> C", "C -> D"])
    assert graph_statistics(graph) == {
        "n_inedges": 3,
        "n_nodes": 4,
        "max_indegree": 2,
        "clique_size_min": None,
        "clique_size_max": None,
        "clique_size_avg": None,
        "indegree_avg": 0.75,
        "max_degree": 3,
        "mean_degree": 1.5,
    }


def test_an_undirected_graph_with_a_hole() -> None:
    square = Graph.from_edges(
        ["A - B", "B - C", "C - D", "D - A", "A - E", "B - E"], names="ABCDEF"
    )
    found = graph_statistics(square)
    assert found["n_inedges"] == 6
    assert found["max_indegree"] == 3
    sizes = [found[f"clique_size_{which}"] for which in ("min", "max", "avg")]
    assert sizes == [1, 3, (3 + 2 + 2 + 2 + 1) / 5]


@given(st.integers(0, 2**21 - 1))
def test_cliques_against_networkx(bits) -> None:
    upper = np.zeros((7, 7), dtype=int)
    upper[np.triu_indices(7, 1)] = [bits >> i & 1 for i in range(21)]
    graph = Graph.from_adjacency("ABCDEFG", upper + upper.T)
    expected = {frozenset("ABCDEFG"[i] for i in c) for c in nx.find_cliques(nx.Graph(upper))}
    found = list(all_maximal_cliques(graph))
    assert len(found) == len(expected)
    assert {frozenset(clique) for clique in found} == expected


@pytest.mark.parametrize("name", ["asia", "alarm", "ecoli70"])
def test_parameters_are_those_of_the_network(name) -> None:
    network = Network.load(name)
    data = network.sample(50, 1)
    assert free_parameters(network.graph, data) == network.n_parameters
    assert samples_per_parameter(network.graph, data) == 50 / network.n_parameters


def test_an_undirected_gaussian_model_has_means_variances_and_edges() -> None:
    data = Network.load("ecoli70").sample(5, 1)
    graph = Graph.from_edges([(data.names[0], "-", data.names[1])], names=data.names)
    assert free_parameters(graph, data) == 2 * 46 + 1
    mixed = Graph.from_edges([(data.names[0], "<->", data.names[1])], names=data.names)
    with pytest.raises(GraphError, match="counted on a DAG"):
        free_parameters(mixed, data)
