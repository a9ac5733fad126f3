from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mixed_graph_oracles import (
    ALL_KINDS,
    admits_separation,
    dags,
    graphs,
    model,
    queries,
    random_dag,
    separated_by_moralising,
    separated_by_paths,
)

from dagathlon import _core
from dagathlon.errors import GraphError
from dagathlon.graphs import Graph, separated, separating_set


def numbered(marks: np.ndarray) -> Graph:
    return Graph([str(i) for i in range(len(marks))], marks)


def labels(nodes: object) -> list[str]:
    return [str(i) for i in nodes]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("edges", "x", "y", "given_", "expected"),
    [
        (["A -> B", "B -> C"], "A", "C", (), False),
        (["A -> B", "B -> C"], "A", "C", "B", True),
        (["B -> A", "B -> C"], "A", "C", "B", True),
        (["A -> B", "C -> B"], "A", "C", (), True),
        (["A -> B", "C -> B"], "A", "C", "B", False),
        (["A -> B", "C -> B", "B -> D"], "A", "C", "D", False),
        (["A <-> B", "B <-> C"], "A", "C", (), True),
        (["A <-> B", "B <-> C"], "A", "C", "B", False),
        (["A - B", "B - C"], "A", "C", (), False),
        (["A - B", "B - C"], "A", "C", "B", True),
        (["A - B", "B -> C", "C <-> D"], "A", "D", (), True),
        (["A - B", "B -> C", "C <-> D"], "A", "D", "C", False),
        (["A - B", "B -> C", "C <-> D"], "A", "D", ["B", "C"], True),
        # A <-> B into its own descendant: an acyclic directed mixed graph that is not ancestral.
        (["A -> B", "B -> C", "A <-> C", "C -> D"], "A", "D", ["C"], True),
        (["A -> B", "B -> C", "A <-> C", "D -> C"], "A", "D", ["C"], False),
    ],
)
def test_separation_by_hand(edges, x, y, given_, expected) -> None:
    graph = Graph.from_edges(edges)
    assert separated(graph, x, y, given_) is expected
    assert separated(graph, y, x, given_) is expected


def test_sets_are_separated_when_all_their_nodes_are() -> None:
    graph = Graph.from_edges(["A -> C", "B -> C", "C -> D", "E -> D"])
    assert separated(graph, ["A", "B"], ["D"], ["C"])
    assert separated(graph, ["A", "B"], ["E"])
    assert not separated(graph, ["A", "B"], ["E", "D"])
    assert not separated(graph, "A", {"B", "E"}, given="D")
    assert separated(graph, [], "A")


@pytest.mark.parametrize("p", [2, 3, 4])
def test_d_separation_in_every_small_dag(p) -> None:
    for marks in dags(p):
        expected = [separated_by_moralising(marks, [x], [y], z) for x, y, z in queries(p)]
        assert list(model(marks)) == expected, marks


def check_mixed_graphs(p: int) -> None:
    tried = 0
    for marks in graphs(p, ALL_KINDS):
        if admits_separation(marks):
            tried += 1
            expected = [separated_by_paths(marks, x, y, z) for x, y, z in queries(p)]
            assert list(model(marks)) == expected, marks
        else:
            with pytest.raises(ValueError, match="not defined"):
                _core.SeparationOracle(_core.MarkedGraph(marks))
    assert tried > 0


@pytest.mark.parametrize("p", [2, 3])
def test_m_separation_in_every_small_mixed_graph(p) -> None:
    check_mixed_graphs(p)


@pytest.mark.slow
def test_m_separation_in_every_mixed_graph_on_four_nodes() -> None:
    check_mixed_graphs(4)


@given(st.integers(0, 2**32 - 1), st.integers(2, 9), st.floats(0, 5))
def test_d_separation_of_sets_in_random_dags(seed, p, degree) -> None:
    rng = np.random.default_rng(seed)
    marks = random_dag(p, degree, rng)
    graph = numbered(marks)
    role = rng.integers(0, 4, p)
    x, y, z = (np.flatnonzero(role == k).tolist() for k in range(3))
    expected = separated_by_moralising(marks, x, y, z)
    assert separated(graph, labels(x), labels(y), labels(z)) is expected


@pytest.mark.parametrize("p", [63, 64, 65, 127, 128, 129])
def test_graphs_at_the_borders_of_words(p) -> None:
    rng = np.random.default_rng(p)
    marks = random_dag(p, 2.5, rng)
    graph = numbered(marks)
    answers = set()
    for _ in range(150):
        nodes = rng.permutation(p)[: 2 + rng.integers(0, 5)].tolist()
        x, y, z = int(rng.choice([0, p - 1])), nodes[1], nodes[2:]
        if len({x, y, *z}) == 2 + len(z):
            expected = separated_by_moralising(marks, [x], [y], z)
            assert separated(graph, str(x), str(y), labels(z)) is expected
            answers.add(expected)
    assert answers == {True, False}


@pytest.mark.parametrize("p", [2, 3, 4])
def test_separating_sets_exist_and_are_minimal(p) -> None:
    kinds = ALL_KINDS if p < 4 else ALL_KINDS[:4]
    for marks in graphs(p, kinds):
        if not admits_separation(marks):
            continue
        oracle = _core.SeparationOracle(_core.MarkedGraph(marks))
        separations: dict[tuple[int, int], list[set[int]]] = {}
        for (x, y, z), holds in zip(queries(p), model(marks), strict=True):
            separations.setdefault((x, y), []).extend([set(z)] if holds else [])
        for (x, y), sets in separations.items():
            found = oracle.separating_set(x, y)
            assert (found is None) == (not sets)
            if found is not None:
                assert set(found) in sets
                assert not any(smaller < set(found) for smaller in sets)


def test_separating_set_names_nodes() -> None:
    graph = Graph.from_edges(["A -> B", "B -> C", "A -> D", "D -> C", "C -> E"])
    assert separating_set(graph, "A", "C") == ("B", "D")
    assert separating_set(graph, "A", "E") == ("B", "D")
    assert separating_set(graph, "E", "A") == ("C",)
    assert separating_set(graph, "A", "B") is None


def test_threads_may_ask_the_same_graph() -> None:
    rng = np.random.default_rng(7)
    graph = numbered(random_dag(70, 3, rng))
    asked = [rng.permutation(70)[:5].tolist() for _ in range(400)]

    def answer(nodes: list[int]) -> bool:
        return separated(graph, str(nodes[0]), str(nodes[1]), labels(nodes[2:]))

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(answer, asked)) == [answer(nodes) for nodes in asked]


def test_a_graph_of_one_node_has_nothing_to_separate() -> None:
    assert separated(Graph("A"), "A", [])
    assert separated(Graph([]), [], [])


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda g: separated(g, "smok", "lung"), "unknown node 'smok' .did you mean 'smoke'"),
        (lambda g: separated(g, "smoke", "lung", ["tar", "x"]), "unknown node 'x'"),
        (lambda g: separated(g, "smoke", ["tar", "smoke"]), "smoke in both x and y"),
        (lambda g: separated(g, "smoke", "lung", "smoke"), "smoke in both x and given"),
        (lambda g: separated(g, "smoke", "lung", ["lung"]), "lung in both y and given"),
        (lambda g: separating_set(g, "smoke", "smoke"), "found smoke twice"),
        (lambda g: separating_set(g, "smoke", "x"), "unknown node 'x'"),
    ],
)
def test_wrong_questions_are_refused(ask, message) -> None:
    with pytest.raises(GraphError, match=message):
        ask(Graph.from_edges(["smoke -> tar", "tar -> lung"]))


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        (["A o-> B"], "between B and A has a circle"),
        (["A -> B", "B - C"], "an arrow points at B"),
        (["S -> A", "A -> B", "B -> C", "C -> A", "C -> T"], "cycle among A, B, C$"),
    ],
)
def test_graphs_without_separation_are_refused_with_the_place(edges, message) -> None:
    with pytest.raises(GraphError, match=message):
        separated(Graph.from_edges(edges), "A", "B")


def test_native_indices_are_checked() -> None:
    oracle = _core.SeparationOracle(Graph("AB").native)
    with pytest.raises(IndexError):
        oracle.separated([0], [2], [])
    with pytest.raises(IndexError):
        oracle.separating_set(0, 2)


@pytest.mark.shared
def test_d_separations_are_those_of_bnlearn(shared: Path) -> None:
    reference = json.loads((shared / "reference" / "numeric" / "graphs_p8.json").read_text())
    names = reference["nodes"]
    asked = 0
    for case in reference["graphs"]:
        graph = Graph.from_adjacency(names, case["dag"])
        for query in case["dsep_bnlearn"]:
            x, y, *z = (names[i - 1] for i in (query["x"], query["y"], *query["z"]))
            assert separated(graph, x, y, z) is query["dsep"]
            asked += 1
    assert asked == 600


@given(st.integers(0, 2**32 - 1))
def test_adding_an_edge_only_removes_separations(seed) -> None:
    rng = np.random.default_rng(seed)
    marks = random_dag(5, 2, rng)
    edges = np.argwhere(np.triu(marks != 0)).tolist()
    for i, j in edges:
        fewer = marks.copy()
        fewer[i, j] = fewer[j, i] = 0
        assert all(
            after or not before for before, after in zip(model(marks), model(fewer), strict=True)
        )
