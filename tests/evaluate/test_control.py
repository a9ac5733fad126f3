"""Baselines: random graphs, the empty and the complete one."""

from __future__ import annotations

import numpy as np
import pytest

from dagathlon.errors import GraphError
from dagathlon.evaluate import random_baselines, random_graphs
from dagathlon.evaluate.graphs.control import (
    COMPLETE,
    EMPTY,
    RANDOM,
    best_baseline,
    trivial_baselines,
)
from dagathlon.evaluate.graphs.counts import pattern_counts
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


@pytest.mark.slow
def test_the_expected_skeleton_is_that_of_a_random_choice_of_pairs() -> None:
    # Each of the 4 edges is found with probability 4/15, and precision equals recall.
    found = random_baselines(TRUTH, draws=4000, seed=1)
    assert found["control_F1_skel"] == pytest.approx(4 / 15, abs=0.01)


def test_directions_are_fair() -> None:
    complete = Graph.from_adjacency("ABCD", np.triu(np.ones((4, 4)), 1))
    into_a = [len(graph.parents("A")) for graph in random_graphs(complete, 2000)]
    assert np.mean(into_a) == pytest.approx(1.5, abs=0.1)


def test_trivial_graphs_by_hand() -> None:
    found = trivial_baselines(TRUTH)
    # Four true edges among fifteen pairs; the pattern has the directions of A -> C <- B only.
    assert found["SHD"] == {EMPTY: 4, COMPLETE: 15}
    assert found["SHD_cpdag"][EMPTY] == found["SHD_pattern"][EMPTY] == 4
    assert found["SHD_pattern"][COMPLETE] == 11 + 2 * pattern_counts(full(TRUTH), TRUTH).fn
    assert found["F1_skel"] == {EMPTY: 0, COMPLETE: pytest.approx(2 * 4 / (4 + 15))}
    assert found["bsf"][EMPTY] == 0
    # By these rates one of the two would be perfect.
    assert not {"TPR_pattern", "FPRn_pattern"} & set(found)


def full(truth: Graph) -> Graph:
    return Graph.from_adjacency(truth.names, 1 - np.eye(len(truth), dtype=np.uint8))


def test_the_empty_graph_is_perfect_where_nothing_is_to_be_found() -> None:
    assert trivial_baselines(Graph("AB"))["SHD_pattern"][EMPTY] == 0


def test_the_yardstick_is_the_best_mean_that_all_data_sets_have() -> None:
    found = [{EMPTY: 10.0, RANDOM: 2.0}, {EMPTY: 20.0, RANDOM: 30.0, COMPLETE: 1.0}]
    assert best_baseline(found, "less") == (EMPTY, 15.0)
    assert best_baseline(found, "more") == (RANDOM, 16.0)
    assert best_baseline([], "less") is None
    assert best_baseline([{EMPTY: 1.0}, {RANDOM: 1.0}], "less") is None


def test_no_edges_no_draws() -> None:
    assert random_baselines(Graph("AB"), draws=3)["control_SHD"] == 0
    assert random_baselines(TRUTH, draws=0)["control_SHD"] is None
    with pytest.raises(GraphError, match="at least 0"):
        list(random_graphs(TRUTH, -1))
