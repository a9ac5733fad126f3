from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mixed_graph_oracles import (
    ALL_KINDS,
    CAUSAL_KINDS,
    ancestors,
    dags,
    graphs,
    is_ancestral,
    model,
    queries,
    random_dag,
    separated_by_paths,
)

from dagathlon import _core
from dagathlon.errors import GraphError
from dagathlon.graphs import Graph, Mark, latent_projection, mag_of_pag, pag

OBSERVED, LATENT, SELECTED = range(3)


def written(graph: Graph) -> list[str]:
    return [str(edge) for edge in graph.edges()]


def numbered(marks: np.ndarray) -> Graph:
    return Graph([str(i) for i in range(len(marks))], marks)


def is_mag(marks: np.ndarray) -> bool:
    return _core.is_mag(_core.MarkedGraph(marks))


def pag_marks(marks: np.ndarray) -> np.ndarray:
    return _core.pag(_core.MarkedGraph(marks)).marks()


# Latent projection


@pytest.mark.parametrize(
    ("edges", "latent", "selection", "expected"),
    [
        (["L -> A", "L -> B"], "L", (), ["A <-> B"]),
        (["A -> L", "L -> B"], "L", (), ["A -> B"]),
        (["A -> S", "B -> S"], (), "S", ["A - B"]),
        (["A -> S", "B -> T", "T -> S"], "T", "S", ["A - B"]),
        (["A -> L", "B -> L"], "L", (), []),
        # An arrow into a cause of the selection becomes a tail.
        (["A -> B", "B -> S"], (), "S", ["A - B"]),
        (["L -> A", "L -> B", "A -> B"], "L", (), ["A -> B"]),
        # An inducing path through an observed collider that is an ancestor of an end.
        (
            ["L -> A", "L -> B", "M -> B", "M -> C", "B -> C"],
            ["L", "M"],
            (),
            ["A <-> B", "A <-> C", "B -> C"],
        ),
    ],
)
def test_projection_by_hand(edges, latent, selection, expected) -> None:
    projection = latent_projection(Graph.from_edges(edges), latent, selection)
    assert sorted(written(projection)) == expected
    assert projection.is_mag


def assert_projection(marks: np.ndarray, roles: Iterable[int], separations: dict) -> None:
    """Same separations as the graph, a MAG, and tails exactly at ancestors."""
    groups: list[list[int]] = [[], [], []]
    for v, role in enumerate(roles):
        groups[role].append(v)
    observed, latent, selection = groups
    native = _core.latent_projection(_core.MarkedGraph(marks), latent, selection)
    projected = native.marks()
    assert _core.is_mag(native)
    for (x, y, z), holds in zip(queries(len(observed)), model(projected), strict=True):
        known = frozenset(observed[v] for v in z) | set(selection)
        assert holds == separations[observed[x], observed[y], known], (marks, roles)
    for i, j in np.argwhere(projected).tolist():
        causes = ancestors(marks, [observed[i], *selection])
        assert (projected[i, j] == Mark.TAIL) == (observed[j] in causes)


def separations_of(marks: np.ndarray) -> dict:
    pairs = zip(queries(len(marks)), model(marks), strict=True)
    return {(x, y, frozenset(z)): holds for (x, y, z), holds in pairs}


@pytest.mark.parametrize("p", [1, 2, 3, 4])
def test_projection_keeps_separations_for_all_latent_sets(p) -> None:
    for marks in dags(p):
        separations = separations_of(marks)
        for roles in product((OBSERVED, LATENT), repeat=p):
            assert_projection(marks, roles, separations)


@pytest.mark.parametrize("p", [1, 2, 3])
def test_projection_keeps_separations_under_selection(p) -> None:
    for marks in dags(p):
        separations = separations_of(marks)
        for roles in product((OBSERVED, LATENT, SELECTED), repeat=p):
            assert_projection(marks, roles, separations)


@pytest.mark.slow
def test_projection_with_selection_of_every_dag_on_four_nodes() -> None:
    for marks in dags(4):
        separations = separations_of(marks)
        for roles in product((OBSERVED, LATENT, SELECTED), repeat=4):
            assert_projection(marks, roles, separations)


@pytest.mark.slow
def test_projection_of_every_dag_on_five_nodes() -> None:
    tried = 0
    for marks in dags(5):
        separations = separations_of(marks)
        for roles in product((OBSERVED, LATENT), repeat=5):
            assert_projection(marks, roles, separations)
        tried += 1
    assert tried == 29281


@given(st.integers(0, 2**32 - 1))
def test_projections_compose(seed) -> None:
    """Hiding nodes at once or one set after the other is the same, also with selection."""
    rng = np.random.default_rng(seed)
    graph = numbered(random_dag(12, 3, rng))
    roles = rng.integers(0, 6, 12)
    first, second, chosen, later = ([str(v) for v in np.flatnonzero(roles == k)] for k in range(4))
    at_once = latent_projection(graph, first + second, chosen + later)
    in_turn = latent_projection(latent_projection(graph, first, chosen), second, later)
    assert in_turn == at_once
    assert at_once.is_mag


def test_a_maximal_ancestral_graph_is_its_own_projection() -> None:
    tried = 0
    for marks in graphs(3, ALL_KINDS):
        if is_ancestral(marks):
            assert latent_projection(numbered(marks), ()).is_mag
        if is_mag(marks):
            assert latent_projection(numbered(marks), ()) == numbered(marks)
            tried += 1
    assert tried > 50


def test_projection_takes_all_nodes_or_none() -> None:
    graph = Graph.from_edges(["A -> B"])
    assert len(latent_projection(graph, ["A", "B"])) == 0
    assert latent_projection(graph, ()) == graph
    assert len(latent_projection(Graph([]), ())) == 0


@pytest.mark.parametrize("p", [64, 65, 128])
def test_hiding_a_common_cause_at_the_borders_of_words(p) -> None:
    names = [f"V{i}" for i in range(p)]
    edges = [(names[-1], names[0]), (names[-1], names[-2]), (names[p // 2], names[0])]
    projection = latent_projection(Graph.from_edges(edges, names), names[-1])
    assert written(projection) == [f"V{p // 2} -> V0", f"V0 <-> V{p - 2}"]
    assert written(pag(projection)) == [f"V{p // 2} o-> V0", f"V{p - 2} o-> V0"]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda g: latent_projection(g, "lumg"), "did you mean 'lung'"),
        (lambda g: latent_projection(g, "tar", ["lung", "tar"]), "not both: tar"),
        (lambda g: latent_projection(pag(g), "tar"), "has a circle"),
        (lambda g: pag(pag(g)), "has a circle"),
        (mag_of_pag, "not a PAG"),
    ],
)
def test_wrong_questions_are_refused(ask, message) -> None:
    with pytest.raises(GraphError, match=message):
        ask(Graph.from_edges(["smoke -> tar", "tar -> lung"]))


def test_a_pag_needs_a_maximal_graph() -> None:
    graph = Graph.from_edges(["A <-> B", "B <-> C", "C <-> D", "B -> D", "C -> A"])
    assert not graph.is_mag
    with pytest.raises(GraphError, match="cannot be separated"):
        pag(graph)
    assert latent_projection(graph, ()).n_edges == 6


# MAGs


def brute_is_mag(marks: np.ndarray) -> bool:
    if not is_ancestral(marks):
        return False
    apart = [(x, y, z) for x, y, z in queries(len(marks)) if not marks[x, y]]
    separable = {(x, y) for x, y, z in apart if separated_by_paths(marks, x, y, z)}
    return separable == {(x, y) for x, y, _ in apart}


@pytest.mark.slow
@pytest.mark.parametrize("p", [0, 1, 2, 3, 4])
def test_is_mag_on_every_small_graph(p) -> None:
    found = 0
    for marks in graphs(p, ALL_KINDS):
        expected = brute_is_mag(marks)
        assert is_mag(marks) is expected, marks
        found += expected
    assert found > 0


def test_graphs_with_circles_are_no_mags() -> None:
    assert not Graph.from_edges(["A o-> B"]).is_mag
    assert Graph.from_edges(["A -> B", "B -> C"]).is_mag
    assert Graph.from_edges(["A - B", "B - C"]).is_mag


# PAGs


def classes_of_mags(p: int, kinds: tuple[tuple[int, int], ...]) -> Iterator[list[np.ndarray]]:
    """All MAGs on p nodes, those with the same separations together."""
    classes: dict[tuple[bool, ...], list[np.ndarray]] = defaultdict(list)
    for marks in graphs(p, kinds):
        if is_mag(marks):
            classes[model(marks)].append(marks)
    yield from classes.values()


def common_marks(mags: list[np.ndarray]) -> np.ndarray:
    same = np.all(np.stack(mags) == mags[0], axis=0)
    return np.where(same, mags[0], np.uint8(Mark.CIRCLE))


@pytest.mark.parametrize("p", [0, 1, 2, 3, 4])
def test_a_pag_has_exactly_the_common_marks_of_its_class(p) -> None:
    for mags in classes_of_mags(p, ALL_KINDS):
        expected = common_marks(mags)
        for marks in mags:
            assert np.array_equal(pag_marks(marks), expected), (marks, expected)


@pytest.mark.slow
@pytest.mark.parametrize("kinds", [CAUSAL_KINDS, ALL_KINDS], ids=["causal", "with selection"])
def test_a_pag_has_exactly_the_common_marks_of_its_class_on_five_nodes(kinds) -> None:
    for mags in classes_of_mags(5, kinds):
        expected = common_marks(mags)
        assert all(np.array_equal(pag_marks(marks), expected) for marks in mags), expected


def pags(p: int) -> set[bytes]:
    return {pag_marks(mags[0]).tobytes() for mags in classes_of_mags(p, ALL_KINDS)}


ANY_KINDS = ((0, 0), *product((1, 2, 3), repeat=2))


@pytest.mark.parametrize("p", [0, 1, 2, 3])
def test_is_pag_on_every_small_graph(p) -> None:
    expected = pags(p)
    for marks in graphs(p, ANY_KINDS):
        assert _core.is_pag(_core.MarkedGraph(marks)) is (marks.tobytes() in expected), marks


def test_is_pag_on_sampled_graphs_of_four_nodes() -> None:
    expected = pags(4)
    rng = np.random.default_rng(5)
    for marks_ in sorted(expected):
        marks = np.frombuffer(marks_, dtype=np.uint8).reshape(4, 4).copy()
        assert _core.is_pag(_core.MarkedGraph(marks))
        for i, j in np.argwhere(marks).tolist():
            if rng.random() < 0.5:
                changed = marks.copy()
                changed[i, j] = rng.choice([m for m in (1, 2, 3) if m != marks[i, j]])
                known = changed.tobytes() in expected
                assert _core.is_pag(_core.MarkedGraph(changed)) is known, changed


@pytest.mark.slow
def test_is_pag_on_every_graph_of_four_nodes() -> None:
    expected = pags(4)
    found = {
        marks.tobytes() for marks in graphs(4, ANY_KINDS) if _core.is_pag(_core.MarkedGraph(marks))
    }
    assert found == expected


@given(st.integers(0, 2**32 - 1), st.integers(5, 30), st.floats(1, 5))
def test_pags_of_hidden_dags_come_back_from_their_mag(seed, p, degree) -> None:
    rng = np.random.default_rng(seed)
    graph = numbered(random_dag(p, degree, rng))
    roles = rng.integers(0, 8, p)
    latent, chosen = ([str(v) for v in np.flatnonzero(roles == k)] for k in range(2))
    mag = latent_projection(graph, latent, chosen)
    found = pag(mag)
    assert found.is_pag
    marks, truth = found.marks, mag.marks
    assert np.all((marks == truth) | (marks == Mark.CIRCLE))
    assert np.array_equal(marks != 0, truth != 0)
    representative = mag_of_pag(found)
    assert representative.is_mag
    assert pag(representative) == found
    if len(mag) <= 6:
        assert model(mag.marks) == model(representative.marks)


def test_pags_by_hand() -> None:
    assert written(pag(Graph.from_edges(["A -> B", "C -> B", "B -> D"]))) == [
        "A o-> B",
        "C o-> B",
        "B -> D",
    ]
    square = Graph.from_edges(["A - B", "B - C", "C - D", "A - D"])
    assert pag(square) == square
    assert square.is_pag
    assert not Graph.from_edges(["A - B"]).is_pag
    assert mag_of_pag(Graph.from_edges(["A o-o B", "B o-o C"])).n_edges == 2


# References


def bayesys_graph(path: Path) -> Graph:
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return Graph.from_edges((r["Variable 1"], r["Dependency"], r["Variable 2"]) for r in rows)


@pytest.mark.shared
def test_alarm_with_four_latent_nodes_is_the_published_mag(shared: Path) -> None:
    dag = bayesys_graph(shared / "bayesys" / "DAGtrue_ALARM.csv")
    expected = bayesys_graph(shared / "bayesys" / "ALARM_MAGtrue_L10.csv")
    found = latent_projection(dag, ["TPR", "VENTALV", "MINVOLSET", "VENTLUNG"])
    assert expected.n_edges == 55
    assert found == expected


@pytest.mark.shared
def test_pags_and_their_mags_are_those_of_pcalg(shared: Path) -> None:
    """The PAG is that of the DAG with latent nodes; pcalg's MAG is one that belongs to the PAG."""
    reference = json.loads((shared / "reference" / "numeric" / "graphs_p8.json").read_text())
    names = reference["nodes"]
    for case in reference["graphs"]:
        dag = Graph.from_adjacency(names, case["dag"])
        mag = latent_projection(dag, [names[i - 1] for i in case["latents_1based"]])
        expected = Graph(case["pag_pcalg"]["observed"], case["pag_pcalg"]["amat_pag"])
        member = Graph(expected.names, case["mag_pcalg"])
        assert pag(mag) == expected
        assert expected.is_pag
        assert member.is_mag
        assert pag(member) == expected
    assert len(reference["graphs"]) == 30
