"""Undirected graphs of given shapes, and decomposable ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from graph_draws import degrees, draws, stream
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dagathlon.benchpress.graphs import BdgraphGraphsim, TrilearnCta, TrilearnRandBandmat
from dagathlon.graphs import Graph
from dagathlon.simulate.decomposable import DecomposableGraph
from dagathlon.simulate.shapes import ShapedGraph


def edges(graph: Graph) -> set[tuple[int, int]]:
    return {(int(edge.left), int(edge.right)) for edge in graph.edges()}


def test_circle():
    graph = ShapedGraph(nodes=5, shape="circle").sample(stream())
    assert edges(graph) == {(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)}
    assert edges(ShapedGraph(nodes=2, shape="circle").sample(stream())) == {(0, 1)}
    assert edges(ShapedGraph(nodes=1, shape="circle").sample(stream())) == set()


def test_lattice():
    graph = ShapedGraph(nodes=9, shape="lattice").sample(stream())
    across = {(0, 1), (1, 2), (3, 4), (4, 5), (6, 7), (7, 8)}
    assert edges(graph) == across | {(i, i + 3) for i in range(6)}
    # Seven nodes are two rows of three and one more.
    odd = ShapedGraph(nodes=7, shape="lattice").sample(stream())
    assert edges(odd) == {(0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (1, 4), (2, 5), (3, 6)}


def test_star_and_hubs():
    for graph in draws(ShapedGraph(nodes=7, shape="star"), 10):
        assert sorted(degrees(graph)) == [1] * 6 + [6]
    for graph in draws(ShapedGraph(nodes=30, shape="hub"), 10):
        assert sorted(degrees(graph)) == [2] * 28 + [29] * 2
    assert (
        sorted(degrees(ShapedGraph(nodes=6, shape="hub", groups=3).sample(stream())))
        == [3] * 3 + [5] * 3
    )


def test_every_node_can_be_the_hub():
    graphs = draws(ShapedGraph(nodes=6, shape="star"), 1200)
    counts = np.bincount([int(degrees(graph).argmax()) for graph in graphs], minlength=6)
    assert stats.chi2.sf(((counts - 200) ** 2 / 200).sum(), 5) > 1e-4


def test_scale_free_graphs_are_trees():
    for graph in draws(ShapedGraph(nodes=40, shape="scale-free"), 20):
        assert graph.n_edges == 39
        assert len(graph.ancestors("0")) == 1  # undirected: no directed paths
        joined = np.eye(40) + graph.adjacency
        assert np.all(np.linalg.matrix_power(joined, 40) > 0)
    heavy = [degrees(g).max() for g in draws(ShapedGraph(nodes=200, shape="scale-free"), 20)]
    assert np.mean(heavy) > 12


def test_random_graphs_by_probability_and_by_size():
    counts = [g.n_edges for g in draws(ShapedGraph(nodes=10, probability=0.2), 2000)]
    assert abs(np.mean(counts) - 9) < 4.5 * math.sqrt(45 * 0.16 / 2000)
    assert {g.n_edges for g in draws(ShapedGraph(nodes=10, size=17), 20)} == {17}
    assert ShapedGraph(nodes=10, size=45).sample(stream()).n_edges == 45


def test_clusters_are_apart():
    graph = ShapedGraph(nodes=11, shape="cluster", probability=1.0, groups=3).sample(stream())
    blocks = [range(3), range(3, 7), range(7, 11)]
    assert edges(graph) == {(i, j) for block in blocks for i in block for j in block if i < j}
    by_default = ShapedGraph(nodes=45, shape="cluster", probability=1.0).sample(stream())
    assert sorted(degrees(by_default)) == [14] * 45
    sized = ShapedGraph(nodes=11, shape="cluster", groups=3, size=9)
    for graph in draws(sized, 20):
        assert graph.n_edges == 9
        assert edges(graph) <= {(i, j) for block in blocks for i in block for j in block if i < j}


def test_bdgraph_class_is_not_its_size():
    given_class = BdgraphGraphsim.from_json({"p": 9, "graph": "cluster", "prob": 1, "class": 3})
    assert given_class.native() == ShapedGraph(nodes=9, shape="cluster", probability=1, groups=3)
    assert given_class.sample(stream()).n_edges == 9


def test_three_nodes_of_a_christmas_tree_by_hand():
    a, b = 0.3, 0.6
    # The second node joins with b. The third joins an edge with b, to one end or both alike; to
    # two single nodes with b, to both of them if the subtree goes on.
    expected = {
        0: (1 - b) ** 2,
        1: b * (1 - b) + (1 - b) * b * (1 - a),
        2: b * b / 2 + (1 - b) * b * a,
        3: b * b / 2,
    }
    assert sum(expected.values()) == pytest.approx(1)
    graphs = draws(TrilearnCta(order=3, alpha=a, beta=b), 4000)
    counts = np.bincount([graph.n_edges for graph in graphs], minlength=4)
    wanted = np.array([4000 * expected[k] for k in range(4)])
    assert stats.chi2.sf(((counts - wanted) ** 2 / wanted).sum(), 3) > 1e-4


def test_christmas_trees_reach_all_chordal_graphs_and_no_node_is_special():
    graphs = draws(DecomposableGraph(nodes=4), 6000)
    assert len({graph.adjacency.tobytes() for graph in graphs}) == 61  # of 64; three are squares
    counts = np.array([degrees(graph) for graph in graphs], dtype=float)
    error = counts.std(axis=0) / math.sqrt(len(graphs))
    assert np.all(np.abs(counts.mean(axis=0) - counts.mean()) < 4.5 * error)


@given(st.integers(1, 40), st.floats(0, 1), st.floats(0, 1), st.integers(0, 2**32))
def test_christmas_trees_are_decomposable(nodes: int, spread: float, attach: float, seed: int):
    graph = DecomposableGraph(nodes=nodes, spread=spread, attach=attach).sample(stream(seed))
    assert graph.is_chordal
    assert len(graph) == nodes


def test_christmas_trees_at_the_ends():
    assert DecomposableGraph(nodes=12, attach=0).sample(stream()).n_edges == 0
    for graph in draws(DecomposableGraph(nodes=12, attach=1, spread=0.5), 20):
        joined = np.eye(12) + graph.adjacency
        assert np.all(np.linalg.matrix_power(joined, 12) > 0)
    first, again = (TrilearnCta(order=50).sample(stream(3)) for _ in range(2))
    assert first == again


def test_random_bands_are_decomposable_walks():
    starts = []
    for graph in draws(TrilearnRandBandmat(dim=30, max_bandwidth=4), 600):
        assert graph.is_chordal
        widths = np.triu(graph.adjacency).sum(axis=1)[:26].astype(int)
        assert set(widths) <= {1, 2, 3, 4}
        assert np.abs(np.diff(widths)).max() <= 1
        starts.append(widths[0])
    # The walk starts at 1 and takes its first step before the first row.
    assert abs(np.mean(np.array(starts) == 2) - 1 / 3) < 4.5 * math.sqrt(2 / 9 / 600)
