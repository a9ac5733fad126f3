"""Graphs of many nodes and few edges: lists of edges, and what is drawn of them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagathlon.errors import GraphError
from dagathlon.evaluate import compare
from dagathlon.graphs import Graph, Mark, cpdag, read_graph, to_svg, write_graph
from dagathlon.graphs.drawing.overview import MOST_DRAWN, overview
from dagathlon.graphs.drawing.picture import marked_differences
from dagathlon.graphs.graph import EdgeArrays

NODES = 3000
NAMES = [f"V{i}" for i in range(NODES)]


def star_and_chain() -> Graph:
    """V0 is the parent of V1 to V20, V100 to V199 are a chain; all other nodes are alone."""
    pairs = [(0, i) for i in range(1, 21)] + [(i, i + 1) for i in range(100, 199)]
    return Graph.from_pairs(NAMES, pairs)


@st.composite
def mixed_graphs(draw: st.DrawFn) -> Graph:
    p = draw(st.integers(0, 70))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    upper = np.triu(rng.random((p, p)) < 0.1, 1)
    joined = upper | upper.T
    marks = np.where(joined, rng.integers(1, 4, (p, p)), 0).astype(np.uint8)
    return Graph([f"V{i}" for i in range(p)], marks)


@given(mixed_graphs())
def test_edges_as_arrays_say_what_the_marks_say(graph: Graph) -> None:
    pairs, ends = graph.edge_arrays()
    assert pairs.tolist() == np.argwhere(np.triu(graph.marks)).tolist()
    assert [graph.marks[j, i] for i, j in pairs] == ends[:, 0].tolist()
    assert [graph.marks[i, j] for i, j in pairs] == ends[:, 1].tolist()
    turned = EdgeArrays(pairs[::-1, ::-1], ends[::-1, ::-1])
    assert Graph.from_edge_arrays(graph.names, turned) == graph


@given(mixed_graphs(), st.randoms(use_true_random=False))
def test_a_subgraph_has_the_marks_among_its_nodes(graph: Graph, random) -> None:
    rows = random.sample(range(len(graph)), random.randint(0, len(graph)))
    found = graph.subgraph([graph.names[row] for row in rows])
    assert np.array_equal(found.marks, graph.marks[np.ix_(rows, rows)])


@given(mixed_graphs())
def test_every_edge_that_is_not_directed_has_both_cells(graph: Graph) -> None:
    marks = graph.marks
    directed = (marks == Mark.ARROW) & (marks.T == Mark.TAIL)
    assert np.array_equal(graph.adjacency, (marks != Mark.NONE) & ~directed.T)


@pytest.mark.parametrize(
    ("pairs", "marks", "message"),
    [
        ([[0, 3]], [[3, 2]], "edges as pairs"),
        ([[0, -1]], [[3, 2]], "edges as pairs"),
        ([[1, 1]], [[3, 2]], "a node has no edge with itself"),
        ([[0, 1], [1, 0]], [[3, 2], [3, 2]], "two nodes are joined twice"),
        ([[0, 1]], [[3, 0]], "a mark is 1 \\(circle\\), 2 \\(arrow\\) or 3 \\(tail\\)"),
        ([[0, 1]], [[3, 2], [3, 2]], "an edge has two marks"),
    ],
)
def test_wrong_arrays_are_refused(pairs, marks, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        Graph.from_edge_arrays("ABC", EdgeArrays(np.array(pairs), np.array(marks)))


def test_thousands_of_nodes_are_compared_by_their_edges() -> None:
    truth = star_and_chain()
    learned = Graph.from_pairs(NAMES, [(i, 0) for i in range(1, 21)] + [(2000, 2001)])
    found = compare(learned, truth)
    assert (found["TP_skel"], found["FN_skel"], found["FP_skel"]) == (20, 99, 1)
    assert found["TN_skel"] == NODES * (NODES - 1) // 2 - 120
    assert found["SHD"] == 120
    assert found["arrowhead_recall"] == 0
    # Twenty parents of V0, none of which are adjacent; the truth has no v-structure.
    assert found["v_structure_precision"] == 0
    assert found["bayesys_recall"] == 10 / 119


def test_a_file_of_edges_has_the_lonely_nodes_too(tmp_path: Path) -> None:
    graph = cpdag(star_and_chain())
    write_graph(graph, tmp_path / "graph.txt")
    assert read_graph(tmp_path / "graph.txt", names=NAMES) == graph
    assert len(read_graph(tmp_path / "graph.txt")) == NODES


def test_an_overview_counts_degrees_parts_and_hubs() -> None:
    degrees, parts, hubs = overview(star_and_chain())
    alone = NODES - 21 - 100
    assert dict(degrees.rows)["0"] == alone
    assert dict(degrees.rows)["1"] == 22
    assert dict(degrees.rows)["2"] == 98
    assert dict(degrees.rows)["12 or more"] == 1
    assert parts.rows == [("100", 1), ("21", 1), ("1", alone)]
    assert hubs.rows[0] == ("V0", 20)
    assert hubs.rows[1] == ("V101", 2)


def test_an_overview_stands_for_a_drawing_of_too_many_nodes() -> None:
    graph = star_and_chain()
    drawn = to_svg(graph)
    assert "nodes with most edges" in drawn
    assert f"Graph of {NODES:,} nodes and 119 edges" in drawn
    assert re.search(r'viewBox="0 0 [\d.]+ [\d.]+" width="[\d.]+" height="[\d.]+"', drawn)
    few = graph.subgraph(NAMES[:MOST_DRAWN])
    assert "nodes with most edges" not in to_svg(few, layout="grid")
    assert "nodes with most edges" not in to_svg(graph, layout="grid")


def test_edges_against_the_truth_of_many_nodes() -> None:
    truth = star_and_chain()
    learned = Graph.from_pairs(NAMES, [(1, 0), (0, 2), (5, 6)])
    together, classes = marked_differences(learned, truth)
    assert together.n_edges == 120
    assert classes["V0", "V1"] == "reversed"
    assert classes["V0", "V2"] == "correct"
    assert classes["V5", "V6"] == "wrong"
    assert sum(kind == "missing" for kind in classes.values()) == 117
