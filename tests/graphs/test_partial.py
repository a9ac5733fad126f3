"""Partial graphs against dictionaries of pairs, and the laws that they keep."""

from __future__ import annotations

import pickle
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagathlon.errors import GraphError
from dagathlon.evaluate import shd
from dagathlon.graphs import (
    Graph,
    PartialGraph,
    agreement_graph,
    common_language,
    cpdag,
    pag,
    partial_hamming_distance,
)
from dagathlon.graphs.partial import OUTSIDE

NAMES = list("ABCDE")
MIRROR = {"->": "<-", "<-": "->", "-": "-", "<->": "<->", "o->": "<-o", "<-o": "o->", "o-o": "o-o"}
Dictionary = dict[tuple[str, str], str]


def drawn(seed: int, p: int = 5, marks: tuple[int, ...] = (2, 3)) -> Graph:
    """A random graph, its nodes in random order."""
    rng = np.random.default_rng(seed)
    matrix = np.zeros((p, p), dtype=np.uint8)
    for i, j in combinations(range(p), 2):
        if rng.random() < 0.6:
            matrix[i, j], matrix[j, i] = rng.choice(marks, 2)
    return Graph(rng.permutation(NAMES[:p]).tolist(), matrix)


def drawn_dag(seed: int, p: int = 5) -> Graph:
    rng = np.random.default_rng(seed)
    order = rng.permutation(NAMES[:p]).tolist()
    arcs = [pair for pair in combinations(order, 2) if rng.random() < 0.5]
    return Graph.from_edges(arcs, names=rng.permutation(NAMES[:p]).tolist())


def dictionary(graph: Graph) -> Dictionary:
    """The edge between every two names in alphabetical order, as it is written."""
    found = dict.fromkeys(combinations(sorted(graph.names), 2), "")
    for edge in (cpdag(graph) if graph.is_dag else graph).edges():
        if edge.left < edge.right:
            found[edge.left, edge.right] = edge.connector
        else:
            found[edge.right, edge.left] = MIRROR[edge.connector]
    return found


def said(partial: PartialGraph) -> Dictionary:
    """The pairs of a partial graph in the same way."""
    pairs = combinations(sorted(partial.names), 2)
    return {pair: kind for pair in pairs if (kind := partial.type_of(*pair)) is not None}


def both(left: Dictionary, right: Dictionary) -> Dictionary:
    return {pair: kind for pair, kind in left.items() if right.get(pair, "outside") == kind}


def distance(graph: Dictionary, agreed: Dictionary) -> int:
    return sum(graph[pair] != kind for pair, kind in agreed.items())


SEEDS = st.integers(0, 10**6)
FEW = settings(max_examples=6)


@FEW
@given(st.lists(SEEDS, min_size=1, max_size=4), SEEDS)
def test_agreement_and_distance_are_those_of_dictionaries(seeds: list[int], other: int) -> None:
    graphs = [drawn(seed) if seed % 2 else drawn_dag(seed) for seed in seeds]
    expected = dictionary(graphs[0])
    for graph in graphs[1:]:
        expected = both(expected, dictionary(graph))
    agreement = agreement_graph(graphs, by="classes")
    estimate = drawn_dag(other)
    assert said(agreement) == expected
    assert agreement.n_pairs == len(expected)
    assert agreement.n_connected == sum(kind != "" for kind in expected.values())
    assert agreement.relative_size == pytest.approx(len(expected) / 10)
    assert len(agreement.excluded()) == 10 - len(expected)
    assert partial_hamming_distance(estimate, agreement) == distance(dictionary(estimate), expected)


@FEW
@given(SEEDS, SEEDS, SEEDS)
def test_laws_of_the_strict_intersection(a: int, b: int, c: int) -> None:
    x, y, z = (PartialGraph.of(drawn(seed), "marks") for seed in (a, b, c))
    assert x & y == y & x
    assert hash(x & y) == hash(y & x)
    assert (x & y) & z == x & (y & z)
    assert x & x == x
    assert not (x & y).inside[~x.inside].any()
    assert (x & y & z).n_pairs <= (x & y).n_pairs <= x.n_pairs


def test_laws_hold_for_all_types_of_a_pair() -> None:
    """Pairs do not depend on each other: all types of one pair are all there is to try."""
    outside = [[OUTSIDE, OUTSIDE], [OUTSIDE, OUTSIDE]]
    kinds = [[[0, 0], [0, 0]], *([[0, a], [b, 0]] for a, b in product((1, 2, 3), repeat=2))]
    every = [PartialGraph("AB", kind, "marks") for kind in (outside, *kinds)]
    for x, y in product(every, repeat=2):
        met = x & y
        assert met == y & x
        assert met == (x if x == y else every[0])
        assert all((met & z) == (x & (y & z)) for z in every)
        if x.n_pairs and y.n_pairs:
            assert partial_hamming_distance(x, y) == (x != y)


@FEW
@given(SEEDS, SEEDS, SEEDS, SEEDS)
def test_the_distance_is_a_metric_on_the_same_pairs(a: int, b: int, c: int, pairs: int) -> None:
    region = agreement_graph([drawn(pairs), drawn(pairs + 1)], by="classes")
    x, y, z = (PartialGraph.of(drawn(seed)).projected(region) for seed in (a, b, c))
    apart = partial_hamming_distance(x, y)
    assert apart == partial_hamming_distance(y, x)
    assert (apart == 0) == (x == y)
    assert partial_hamming_distance(x, x) == 0
    assert apart <= partial_hamming_distance(x, z) + partial_hamming_distance(z, y)


@FEW
@given(SEEDS, SEEDS)
def test_with_all_pairs_agreed_it_is_the_structural_hamming_distance(a: int, b: int) -> None:
    one, other = drawn_dag(a), drawn_dag(b)
    agreement = agreement_graph([other, other])
    assert agreement.relative_size == 1
    assert partial_hamming_distance(one, agreement) == shd(one, other, "cpdag")


@FEW
@given(SEEDS, SEEDS, SEEDS)
def test_names_in_another_order_change_nothing(a: int, b: int, order: int) -> None:
    one, other = drawn_dag(a), drawn(b)
    names = np.random.default_rng(order).permutation(NAMES).tolist()
    turned = other.subgraph(names)
    weights = np.random.default_rng(order).random((5, 5))
    agreement, same = agreement_graph([one, other]), agreement_graph([turned, one])
    assert agreement == same
    assert hash(agreement) == hash(same)
    assert agreement.in_order(names) == agreement
    rows = [agreement.names.index(name) for name in same.names]
    heavy, moved = weights + weights.T, (weights + weights.T)[np.ix_(rows, rows)]
    third = drawn(a + b)
    assert partial_hamming_distance(third, agreement, heavy) == pytest.approx(
        partial_hamming_distance(third, same, moved)
    )


def test_example_by_hand() -> None:
    """Two classes that differ in a direction, an edge and a missing edge."""
    one = Graph.from_edges(["A -> C", "B -> C", "C -> D", "D -> E"])
    other = Graph.from_edges(["A -> C", "B -> C", "C -> D", "A -> E", "B -> E"])
    agreement = agreement_graph([one, other])
    assert [str(edge) for edge in agreement.edges()] == ["A -> C", "B -> C", "C -> D"]
    assert agreement.excluded() == [("A", "E"), ("B", "E"), ("D", "E")]
    assert (agreement.n_pairs, agreement.n_connected, agreement.n_all) == (7, 3, 10)
    assert agreement.type_of("C", "A") == "<-"
    assert agreement.type_of("A", "B") == ""
    assert agreement.type_of("E", "D") is None
    # A - C - D in one class, no B - C, and edges of E that nobody asks about.
    estimate = Graph.from_edges(["A -> C", "C -> D", "D -> E"], names=NAMES)
    assert partial_hamming_distance(estimate, agreement) == 3
    assert partial_hamming_distance(one, agreement) == 0


def test_other_kinds_of_graphs() -> None:
    dag = Graph.from_edges(["A -> C", "B -> C", "C -> D"])
    mag = Graph.from_edges(["A -> C", "B -> C", "C <-> D", "B -> E", "D -> E"])
    classes = pag(mag)
    ring = Graph.from_edges(["A - B", "B - C", "C - D", "D - A"])
    tree = Graph.from_edges(["A - B", "B - C"])
    assert common_language([dag, tree, Graph("AB")]) == "classes"
    assert common_language([mag, classes, Graph("AB")]) == "marks"
    assert common_language([dag, classes]) == common_language([dag, mag]) == "arrowheads"
    assert common_language([dag, classes, ring]) == "skeletons"
    assert common_language([dag, tree], ["dag", "undirected"]) == "skeletons"
    assert common_language([dag, Graph("ABCD")], ["dag", "pag"]) == "arrowheads"
    # Whatever a learner is said to return, circles are no class.
    assert common_language([classes], ["cpdag"]) == "marks"
    assert PartialGraph.of(mag, "marks") == PartialGraph.of(classes, "marks")
    assert PartialGraph.of(mag, "marks").edges() == classes.edges()
    assert PartialGraph.of(dag, "skeletons").type_of("A", "C") == "-"
    heads = PartialGraph.of(Graph.from_edges(["A o-> B", "C <-> B", "C o-o D"]), "arrowheads")
    assert [str(edge) for edge in heads.edges()] == ["A -> B", "B <-> C", "C - D"]
    # A conflict that a learner writes as a bidirected edge is a type of its own.
    conflict = Graph.from_edges(["A -> C", "B <-> C", "C -> D"])
    assert agreement_graph([dag, conflict], by="classes").excluded() == [("C", "B")]


@FEW
@given(SEEDS, SEEDS)
def test_arrowheads_of_classes_are_their_types(a: int, b: int) -> None:
    graphs = [drawn(a, marks=(3,)), drawn_dag(a), drawn_dag(b)]
    by_types, by_heads = (agreement_graph(graphs, by=by) for by in ("classes", "arrowheads"))
    assert by_types.edges() == by_heads.edges()
    assert by_types.excluded() == by_heads.excluded()
    assert agreement_graph(graphs, by="skeletons").n_pairs >= by_heads.n_pairs


def test_refusals_say_what_is_wrong() -> None:
    dag, other = Graph.from_edges(["A -> B"]), Graph.from_edges(["A -> X"])
    with pytest.raises(GraphError, match="only in the one: B; only in the other: X"):
        agreement_graph([dag, other])
    with pytest.raises(GraphError, match="by classes and by marks"):
        PartialGraph.of(dag) & PartialGraph.of(dag, "marks")
    with pytest.raises(GraphError, match="circles"):
        PartialGraph.of(Graph.from_edges(["A o-> B"]))
    with pytest.raises(GraphError, match="unknown way to compare edges 'mark'"):
        PartialGraph.of(dag, "mark")
    with pytest.raises(GraphError, match="one graph or more"):
        agreement_graph([])
    nothing = agreement_graph([dag, Graph("AB")])
    with pytest.raises(GraphError, match="the pair A, B is in the one"):
        partial_hamming_distance(nothing, PartialGraph.of(dag))
    with pytest.raises(GraphError, match="at both ends or at neither"):
        PartialGraph("AB", [[0, OUTSIDE], [0, 0]])
    with pytest.raises(GraphError, match="unknown node 'C'"):
        nothing.type_of("A", "C")
    with pytest.raises(AttributeError, match="never changes"):
        nothing.by = "marks"
    assert not nothing.types.flags.writeable


def test_small_and_stored_ones() -> None:
    none = agreement_graph([Graph(""), Graph("")])
    assert (none.n_pairs, none.relative_size, none.edges()) == (0, 1.0, [])
    partial = agreement_graph([drawn(1), drawn(2)], by="classes")
    assert pickle.loads(pickle.dumps(partial)) == partial
    assert partial != PartialGraph.of(drawn(1))
    assert partial != "partial"
    assert repr(partial).startswith("<PartialGraph of 5 nodes by classes: ")


LAWS = {
    test_laws_of_the_strict_intersection: 3,
    test_the_distance_is_a_metric_on_the_same_pairs: 4,
    test_with_all_pairs_agreed_it_is_the_structural_hamming_distance: 2,
    test_names_in_another_order_change_nothing: 3,
    test_arrowheads_of_classes_are_their_types: 2,
}


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__.removeprefix("test_"))
def test_laws_on_many_graphs(law) -> None:
    rng = np.random.default_rng(17)
    for seeds in rng.integers(0, 10**6, (400, LAWS[law])).tolist():
        law.hypothesis.inner_test(*seeds)


@pytest.mark.slow
def test_many_agreements_are_those_of_dictionaries() -> None:
    rng = np.random.default_rng(17)
    oracle = test_agreement_and_distance_are_those_of_dictionaries.hypothesis.inner_test
    for seeds in rng.integers(0, 10**6, (400, 5)).tolist():
        oracle(seeds[: 1 + seeds[0] % 4], seeds[4])
