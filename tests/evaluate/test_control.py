"""The negative control."""

from __future__ import annotations

import numpy as np
import pytest

from dagathlon.errors import GraphError
from dagathlon.evaluate import random_control, random_graphs
from dagathlon.graphs import Graph

TRUTH = Graph.from_edges(["A -> C", "B -> C", "C -> D", "D -> E"], names="ABCDEF")


def test_as_dense_as_the_truth_and_the_same_for_a_seed() -> None:
    graphs = list(random_graphs(TRUTH, 20, seed=3))
    assert all(graph.is_dag and graph.n_edges == TRUTH.n_edges for graph in graphs)
    assert graphs == list(random_graphs(TRUTH, 20, seed=3))
    assert len({graph.marks.tobytes() for graph in graphs}) > 15


def test_an_undirected_truth_has_undirected_controls() -> None:
    truth = Graph.from_edges(["A - B", "B - C"], names="ABCD")
    assert all(graph.is_undirected for graph in random_graphs(truth, 5))


def test_the_expected_skeleton_is_that_of_a_random_choice_of_pairs() -> None:
    # Each of the 4 edges is found with probability 4/15, and precision equals recall.
    found = random_control(TRUTH, draws=4000, seed=1)
    assert found["control_F1_skel"] == pytest.approx(4 / 15, abs=0.01)


def test_directions_are_fair() -> None:
    complete = Graph.from_adjacency("ABCD", np.triu(np.ones((4, 4)), 1))
    into_a = [len(graph.parents("A")) for graph in random_graphs(complete, 2000)]
    assert np.mean(into_a) == pytest.approx(1.5, abs=0.1)


def test_no_edges_no_draws() -> None:
    assert random_control(Graph("AB"), draws=3)["control_SHD"] == 0
    assert random_control(TRUTH, draws=0)["control_SHD"] is None
    with pytest.raises(GraphError, match="at least 0"):
        list(random_graphs(TRUTH, -1))
