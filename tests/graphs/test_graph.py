from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagathlon.errors import GraphError
from dagathlon.graphs import Edge, Graph, Mark


@st.composite
def mark_matrices(draw: st.DrawFn) -> np.ndarray:
    p = draw(st.integers(0, 6))
    marks = np.zeros((p, p), dtype=np.uint8)
    for i in range(p):
        for j in range(i):
            if draw(st.booleans()):
                marks[i, j] = draw(st.integers(1, 3))
                marks[j, i] = draw(st.integers(1, 3))
    return marks


def test_an_edge_is_read_from_row_to_column() -> None:
    graph = Graph.from_edges(["A -> B", ("B", "C"), ("C", "<->", "D"), "D o-o A"])
    assert graph.names == ("A", "B", "C", "D")
    assert graph.marks[0, 1] == Mark.ARROW
    assert graph.marks[1, 0] == Mark.TAIL
    assert graph.parents("B") == ("A",)
    assert graph.children("B") == ("C",)
    assert graph.spouses("C") == ("D",)
    assert graph.adjacencies("A") == ("B", "D")
    assert graph.n_edges == 4


def test_backward_edges_are_written_forward() -> None:
    graph = Graph.from_edges(["B -> A", "C o-> A"], names="ABC")
    assert graph.edges() == [Edge("B", "->", "A"), Edge("C", "o->", "A")]


def test_adjacency_matrix_has_both_directions_for_undirected_edges() -> None:
    matrix = [[0, 1, 1], [0, 0, 0], [1, 0, 0]]
    graph = Graph.from_adjacency("XYZ", matrix)
    assert [str(edge) for edge in graph.edges()] == ["X -> Y", "X - Z"]
    assert graph.adjacency.tolist() == matrix


@given(mark_matrices(), st.randoms(use_true_random=False))
def test_equality_and_hash_ignore_the_order_of_nodes(marks, random) -> None:
    names = [f"V{i}" for i in range(len(marks))]
    graph = Graph(names, marks)
    shuffled = random.sample(names, len(names))
    other = graph.subgraph(shuffled)
    assert other == graph
    assert hash(other) == hash(graph)
    assert np.array_equal(graph.marks, marks)
    assert pickle.loads(pickle.dumps(graph)) == graph


@given(mark_matrices())
def test_edges_rebuild_the_graph(marks) -> None:
    names = [f"V{i}" for i in range(len(marks))]
    graph = Graph(names, marks)
    assert Graph.from_edges(graph.edges(), names) == graph
    assert len(graph.edges()) == graph.n_edges


def test_native_graphs_take_as_many_names_as_they_have_nodes() -> None:
    graph = Graph.from_edges(["A -> B", "B <-> C"])
    assert Graph.from_native(["X", "Y", "Z"], graph.native) == graph.renamed(["X", "Y", "Z"])
    with pytest.raises(GraphError, match="3 nodes cannot take 2 names"):
        Graph.from_native(["X", "Y"], graph.native)


def test_graphs_cannot_be_changed() -> None:
    graph = Graph("AB", [[0, 2], [3, 0]])
    with pytest.raises(ValueError, match="read-only"):
        graph.marks[0, 1] = 0


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Graph("AA"), "'A' stands twice"),
        (lambda: Graph(["A", ""]), "non-empty"),
        (lambda: Graph("AB", [[0, 2], [0, 0]]), "between A and B"),
        (lambda: Graph("AB", [[0, 7], [3, 0]]), "between A and B"),
        (lambda: Graph("AB", [[2, 0], [0, 0]]), "between A and A"),
        (lambda: Graph("AB", [[0]]), "2×2, found 1×1"),
        (lambda: Graph.from_adjacency("AB", [[0, 3], [0, 0]]), "found 3"),
        (lambda: Graph.from_adjacency("AB", [[1, 0], [0, 0]]), "edge with itself"),
        (lambda: Graph.from_edges(["A -> A"]), "no edge with itself"),
        (lambda: Graph.from_edges(["A -> B", "B -> A"]), "joined twice"),
        (lambda: Graph.from_edges(["A => B"]), "unknown edge '=>'"),
        (lambda: Graph.from_edges(["A B"]), "written like"),
        (lambda: Graph.from_edges(["smoke -> lung"], names=["smoke", "lungs"]), "did you mean"),
        (lambda: Graph("AB").parents("C"), "unknown node 'C'"),
        (lambda: Graph("AB").subgraph("AA"), "each node once"),
        (lambda: Graph("AB").renamed("A"), "cannot take"),
    ],
)
def test_wrong_graphs_are_refused_with_the_place(build, message) -> None:
    with pytest.raises(GraphError, match=message):
        build()
