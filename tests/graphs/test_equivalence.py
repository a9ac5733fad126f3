from __future__ import annotations

from itertools import product

import pytest
from brute_force import (
    Arcs,
    all_dags,
    all_pdags,
    arcs_of,
    class_key,
    classes,
    dags,
    graph_of,
    naive_cpdag,
    pattern_of,
    random_dag,
    skeleton_of,
    strict,
    union,
    v_structures_of,
)
from hypothesis import given
from hypothesis import strategies as st

from dagathlon.errors import GraphError
from dagathlon.graphs import Graph, cpdag, extension, pattern, skeleton


@pytest.mark.parametrize("p", [0, 1, 2, 3, 4])
def test_cpdag_of_every_small_dag_is_the_union_of_its_class(p) -> None:
    for members in classes(p).values():
        expected = graph_of(union(members), p)
        assert all(cpdag(graph_of(dag, p)) == expected for dag in members)


@pytest.mark.slow
def test_cpdag_of_every_dag_of_five_nodes() -> None:
    for members in classes(5).values():
        expected = graph_of(union(members), 5)
        assert all(cpdag(graph_of(dag, 5)) == expected for dag in members)


@given(st.integers(0, 10**6), st.sampled_from([1.0, 2.0, 3.0]))
def test_cpdag_of_dags_of_five_nodes(seed, degree) -> None:
    dag = random_dag(5, degree, seed)
    skeleton_arcs = [tuple(pair) for pair in skeleton_of(dag)]
    members = []
    for turned in product((False, True), repeat=len(skeleton_arcs)):
        chosen = zip(skeleton_arcs, turned, strict=True)
        arcs: Arcs = frozenset((j, i) if turn else (i, j) for (i, j), turn in chosen)
        if v_structures_of(arcs) == v_structures_of(dag) and graph_of(arcs, 5).is_dag:
            members.append(arcs)
    assert arcs_of(cpdag(graph_of(dag, 5))) == union(members)


@pytest.mark.parametrize("p", [63, 64, 65, 128])
@pytest.mark.parametrize("degree", [2, 6])
def test_cpdag_at_word_borders(p, degree) -> None:
    dag = random_dag(p, degree, p)
    assert arcs_of(cpdag(graph_of(dag, p))) == naive_cpdag(dag, p)


def test_every_small_pdag_against_brute_force() -> None:
    cpdags = {union(members) for members in classes(4).values()}
    patterns = {pattern_of(dag) for dag in all_dags(4)}
    for arcs in all_pdags(4):
        graph = graph_of(arcs, 4)
        assert graph.is_cpdag == (arcs in cpdags)
        assert graph.is_pattern == (arcs in patterns)
        assert arcs_of(pattern(graph)) == pattern_of(arcs)
        extensions = [dag for dag in classes(4).get(class_key(arcs), []) if strict(arcs) <= dag]
        if extensions:
            assert arcs_of(extension(graph)) in extensions
            assert arcs_of(cpdag(graph)) == union(classes(4)[class_key(arcs)])
        else:
            for function in (extension, cpdag):
                with pytest.raises(GraphError, match="no DAG extends this graph"):
                    function(graph)


@given(dags())
def test_extension_of_a_cpdag_is_in_its_class(graph) -> None:
    essential = cpdag(graph)
    member = extension(essential)
    assert member.is_dag
    assert skeleton(member) == skeleton(graph)
    assert member.v_structures() == graph.v_structures()
    assert cpdag(member) == essential == cpdag(essential)
    assert essential.is_cpdag


@given(dags())
def test_pattern_and_skeleton(graph) -> None:
    found = pattern(graph)
    assert found.is_pattern
    assert pattern(found) == found == pattern(cpdag(graph))
    assert cpdag(found) == cpdag(graph)
    assert skeleton(found) == skeleton(graph)
    assert skeleton(graph).is_undirected


@given(dags(), st.randoms(use_true_random=False))
def test_the_order_of_nodes_does_not_matter(graph, random) -> None:
    shuffled = graph.subgraph(random.sample(graph.names, len(graph)))
    assert cpdag(shuffled) == cpdag(graph)
    assert pattern(shuffled) == pattern(graph)
    assert shuffled.is_cpdag == graph.is_cpdag


def test_free_edges_of_an_extension_follow_the_order_of_the_nodes() -> None:
    graph = Graph.from_edges(["A - B", "B - C", "D - C"], names="ABCD")
    assert extension(graph) == Graph.from_edges(["A -> B", "B -> C", "C -> D"])


def test_pattern_of_a_graph_with_other_marks_directs_strict_colliders_only() -> None:
    graph = Graph.from_edges(["A -> C", "B -> C", "D <-> C", "E o-> F", "A -> F", "C -o G"])
    expected = ["A -> C", "B -> C", "C - D", "E - F", "A - F", "C - G"]
    assert pattern(graph) == Graph.from_edges(expected)


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        (["A -> B", "B -> C", "C -> A", "C - D"], "A -> B -> C -> A is a directed cycle"),
        (["A - B", "B - C", "C - D", "D - A"], "come last: A, B, C, D"),
        (["A <-> B"], "directed and undirected edges, found the edge A <-> B"),
        (["A o-o B"], "found the edge A o-o B"),
    ],
)
def test_what_has_no_extension_is_refused(edges, message) -> None:
    for function in (extension, cpdag):
        with pytest.raises(GraphError, match=message):
            function(Graph.from_edges(edges))
