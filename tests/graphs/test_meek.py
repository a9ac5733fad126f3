from __future__ import annotations

from collections import defaultdict
from itertools import combinations

import pytest
from brute_force import Arcs, all_dags, arcs_of, class_key, classes, dags, graph_of, pdags, union
from hypothesis import given

from dagathlon.errors import GraphError
from dagathlon.graphs import Graph, cpdag, interventional_essential_graph, meek, pattern


@given(dags())
def test_closing_a_pattern_gives_the_cpdag(graph) -> None:
    assert meek(pattern(graph)) == cpdag(graph)


@given(pdags())
def test_closing_twice_changes_nothing(graph) -> None:
    closed = meek(graph)
    assert meek(closed) == closed
    directed = {edge for edge in graph.edges() if edge.connector == "->"}
    assert directed <= set(closed.edges())


@pytest.mark.parametrize("how", ["required", "forbidden"])
def test_knowledge_leaves_the_union_of_the_members_that_agree_with_it(how) -> None:
    for members in classes(4).values():
        essential = union(members)
        free = [(i, j) for i, j in essential if (j, i) in essential]
        for size in (1, 2, 3):
            for known in combinations(free, size):
                agreeing = [dag for dag in members if set(known) <= dag]
                check_knowledge(graph_of(essential, 4), known, how, agreeing)


def check_knowledge(graph: Graph, known: tuple, how: str, agreeing: list[Arcs]) -> None:
    turn = 1 if how == "required" else -1
    pairs = [tuple(f"V{i}" for i in arc[::turn]) for arc in known]
    if agreeing:
        assert arcs_of(meek(graph, **{how: pairs})) == union(agreeing)
    else:
        with pytest.raises(GraphError, match=f"{how} edge V"):
            meek(graph, **{how: pairs})


def test_a_long_chain_is_directed_to_its_end() -> None:
    p = 130
    names = [f"N{i}" for i in range(p)]
    chain = [f"N{i} - N{i - 1}" for i in range(1, p)]
    closed = meek(Graph.from_edges(chain, names), required=[(names[-1], names[-2])])
    assert closed.is_dag
    assert closed.topological_order() == tuple(reversed(names))


@pytest.mark.parametrize(
    ("knowledge", "message"),
    [
        ({"required": [("A", "C")]}, "required edge A -> C: A and C are not adjacent"),
        ({"required": [("A", "B"), ("C", "B")]}, "required edge C -> B: .* compel B -> C"),
        ({"forbidden": [("A", "B"), ("B", "A")]}, "forbidden edge B -> A: .* compel B -> A"),
        ({"required": [("A", "B")], "forbidden": [("A", "B")]}, "forbidden edge A -> B"),
        ({"required": [("A", "X")]}, "unknown node 'X'"),
    ],
)
def test_knowledge_that_contradicts_is_refused(knowledge, message) -> None:
    chain = Graph.from_edges(["A - B", "B - C"])
    with pytest.raises(GraphError, match=message):
        meek(chain, **knowledge)


def test_a_forbidden_edge_between_nodes_that_are_not_adjacent_says_nothing() -> None:
    chain = Graph.from_edges(["A - B", "B - C"])
    assert meek(chain, forbidden=[("A", "C")]) == chain


def test_other_marks_are_refused() -> None:
    with pytest.raises(GraphError, match="Meek's rules needs a graph of directed"):
        meek(Graph.from_edges(["A o-> B"]))


FAMILIES = [
    [set()],
    [set(), {0}],
    [set(), {0, 1}],
    [{0}, {1}],
    [set(), {0}, {1, 2}],
    [{0, 1}, {2, 3}],
    [{3}, {0, 2}, {1}],
]


def mutilated(dag: Arcs, target: set[int]) -> Arcs:
    return frozenset((i, j) for i, j in dag if j not in target)


@pytest.mark.parametrize("targets", FAMILIES)
def test_interventional_essential_graphs_of_all_small_dags(targets) -> None:
    found = defaultdict(list)
    for dag in all_dags(4):
        found[tuple(class_key(mutilated(dag, target)) for target in targets)].append(dag)
    named = [{f"V{i}" for i in target} for target in targets]
    for members in found.values():
        expected = graph_of(union(members), 4)
        for dag in members:
            assert interventional_essential_graph(graph_of(dag, 4), named) == expected


@given(dags())
def test_observation_alone_gives_the_cpdag(graph) -> None:
    assert interventional_essential_graph(graph, [[]]) == cpdag(graph)
    assert interventional_essential_graph(graph, []) == cpdag(graph)


@given(dags())
def test_an_experiment_on_each_node_gives_the_dag(graph) -> None:
    assert interventional_essential_graph(graph, [[], *graph.names]) == graph


def test_a_node_that_is_never_left_alone_is_refused() -> None:
    dag = Graph.from_edges(["A -> B"])
    with pytest.raises(GraphError, match="node B is in every target"):
        interventional_essential_graph(dag, [{"A", "B"}, {"B"}])
    with pytest.raises(GraphError, match="needs a DAG"):
        interventional_essential_graph(Graph.from_edges(["A - B"]), [])
    with pytest.raises(GraphError, match="unknown node 'C'"):
        interventional_essential_graph(dag, [{"C"}])
