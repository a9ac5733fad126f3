from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from brute_force import all_pdags, arcs_of, dags, graph_of, names_of, pdags, random_dag
from hypothesis import given

from dagathlon.errors import GraphError
from dagathlon.graphs import Graph, moral, skeleton

ASIA = Graph.from_edges(
    [
        "asia -> tub",
        "smoke -> lung",
        "smoke -> bronc",
        "tub -> either",
        "lung -> either",
        "either -> xray",
        "either -> dysp",
        "bronc -> dysp",
    ]
)


def as_networkx(graph: Graph) -> nx.DiGraph:
    result = nx.DiGraph()
    result.add_nodes_from(graph.names)
    result.add_edges_from((edge.left, edge.right) for edge in graph.edges())
    return result


def test_asia_by_hand() -> None:
    assert ASIA.is_dag
    assert ASIA.ancestors("either") == ("asia", "tub", "smoke", "lung", "either")
    assert ASIA.ancestors(["tub", "bronc"]) == ("asia", "tub", "smoke", "bronc")
    assert ASIA.descendants("lung") == ("lung", "either", "xray", "dysp")
    assert ASIA.markov_blanket("lung") == ("tub", "smoke", "either")
    assert ASIA.markov_blanket("bronc") == ("smoke", "either", "dysp")
    assert ASIA.v_structures() == [("tub", "either", "lung"), ("bronc", "dysp", "either")]
    married = set(moral(ASIA).edges()) - set(skeleton(ASIA).edges())
    assert {str(edge) for edge in married} == {"tub - lung", "bronc - either"}


def test_colliders_need_an_arrow_only_at_the_collider() -> None:
    graph = Graph.from_edges(["A o-> C", "B <-> C", "D -> C", "A - D", "E -o C"])
    assert graph.v_structures() == [("A", "C", "B"), ("B", "C", "D")]


@given(dags())
def test_order_and_ancestry_against_networkx(graph) -> None:
    other = as_networkx(graph)
    order = {name: k for k, name in enumerate(graph.topological_order())}
    assert len(order) == len(graph)
    assert all(order[edge.left] < order[edge.right] for edge in graph.edges())
    for name in graph.names:
        assert set(graph.ancestors(name)) == nx.ancestors(other, name) | {name}
        assert set(graph.descendants(name)) == nx.descendants(other, name) | {name}
    assert {frozenset(edge) for edge in nx.moral_graph(other).edges} == {
        frozenset((edge.left, edge.right)) for edge in moral(graph).edges()
    }


@given(dags())
def test_markov_blanket_is_the_neighbourhood_in_the_moral_graph(graph) -> None:
    married = moral(graph)
    assert all(graph.markov_blanket(name) == married.neighbours(name) for name in graph.names)


def test_a_graph_of_directed_edges_is_a_dag_unless_networkx_finds_a_cycle() -> None:
    for arcs in all_pdags(4):
        one_way = all((j, i) not in arcs for i, j in arcs)
        expected = one_way and nx.is_directed_acyclic_graph(nx.DiGraph(list(arcs)))
        assert graph_of(arcs, 4).is_dag == expected


@pytest.mark.parametrize("p", [0, 1, 63, 64, 65, 128, 200])
def test_sizes_around_word_borders(p) -> None:
    graph = graph_of(random_dag(p, 3, p), p)
    other = as_networkx(graph)
    assert graph.topological_order() == tuple(
        nx.lexicographical_topological_sort(other, key=graph.position)
    )
    for name in names_of(p)[-2:]:
        assert set(graph.ancestors(name)) == nx.ancestors(other, name) | {name}
    assert moral(graph).n_edges == nx.moral_graph(other).number_of_edges()


@pytest.mark.parametrize(
    ("edges", "kind"),
    [
        ([], "dag"),
        (["A -> B", "B -> C"], "dag"),
        (["A -> B", "C -> B"], "dag"),
        (["A - B"], "undirected"),
        (["A - B", "B - C", "C - D", "D - A"], "undirected"),
        (["A - B", "C -> D", "E -> D"], "cpdag"),
        (["A -> C", "B -> C", "C - D"], "pattern"),
        (["A -> B", "B - C"], "mixed"),
        (["A -> B", "B -> C", "C -> A"], "mixed"),
        (["A -> B", "C -> D", "A - C", "B - D"], "mixed"),
    ],
)
def test_kind(edges, kind) -> None:
    assert Graph.from_edges(edges).kind == kind


@given(pdags())
def test_kind_agrees_with_the_questions(graph) -> None:
    truths = {
        "dag": graph.is_dag,
        "undirected": graph.is_undirected,
        "cpdag": graph.is_cpdag,
        "pattern": graph.is_pattern,
        "mixed": True,
    }
    assert graph.kind == next(kind for kind, holds in truths.items() if holds)


@given(pdags())
def test_a_cycle_that_is_named_is_there(graph) -> None:
    one_way = graph_of([(i, j) for i, j in arcs_of(graph) if graph.marks[i, j] == 2], len(graph))
    if one_way.is_dag:
        return
    with pytest.raises(GraphError, match="is a directed cycle") as refused:
        one_way.topological_order()
    path = str(refused.value).split(": ")[1].removesuffix(" is a directed cycle").split(" -> ")
    assert path[0] == path[-1]
    assert len(set(path)) == len(path) - 1
    assert all(b in one_way.children(a) for a, b in pairwise(path))


def test_marks_of_any_kind_are_answered() -> None:
    rng = np.random.default_rng(1)
    for p in (2, 5, 65):
        upper = np.triu(rng.integers(0, 4, (p, p)), 1).astype(np.uint8)
        lower = np.tril(rng.integers(1, 4, (p, p)), -1).astype(np.uint8)
        graph = Graph(names_of(p), upper + lower * (upper.T != 0))
        answers = [graph.is_dag, graph.is_undirected, graph.is_chordal, graph.is_cpdag]
        assert {type(answer) for answer in [*answers, graph.is_pattern]} == {bool}
        assert all(name in graph.ancestors(name) for name in graph.names)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: Graph.from_edges(["A - B"]).topological_order(), "needs a DAG, found .* A - B"),
        (lambda: Graph.from_edges(["A o-> B"]).markov_blanket("A"), "found the edge A o-> B"),
        (lambda: moral(Graph.from_edges(["A <-> B"])), "moral graph needs a DAG"),
        (lambda: ASIA.ancestors("lnug"), "did you mean 'lung'"),
        (lambda: ASIA.markov_blanket("x"), "unknown node 'x'"),
    ],
)
def test_wrong_questions_are_refused(ask, message) -> None:
    with pytest.raises(GraphError, match=message):
        ask()
