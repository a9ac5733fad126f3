"""The orientation rules one by one; their closure is tested with the PAGs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagathlon import _core
from dagathlon.graphs import Graph, Mark

ALL_RULES = list(range(1, 11))


def oriented(edges: list[str], rule: int, separator: bool = True) -> Graph:
    graph = Graph.from_edges(edges)
    marks = _core.orient(graph.native, lambda *_: separator, [rule]).marks()
    return Graph(graph.names, marks)


def has_edge(graph: Graph, edge: str) -> bool:
    return graph.subgraph(edge.split()[::2]) == Graph.from_edges([edge])


CASES = [
    (1, ["A o-> B", "B o-o C"], {"B -> C"}),
    (1, ["A o-> B", "B o-o C", "A o-o C"], {"B o-o C"}),
    (2, ["A -> B", "B o-> C", "A o-o C"], {"A o-> C"}),
    (2, ["A o-> B", "B -> C", "A o-o C"], {"A o-> C"}),
    (3, ["A o-> B", "C o-> B", "A o-o D", "D o-o C", "D o-o B"], {"D o-> B"}),
    (3, ["A o-> B", "C o-> B", "A o-o D", "D o-o C", "D o-o B", "A o-o C"], {"D o-o B"}),
    (5, ["A o-o B", "B o-o C", "C o-o D", "D o-o A"], {"A - B", "B - C", "C - D", "A - D"}),
    (5, ["A o-o B", "B o-o C", "C o-o D", "D o-o A", "A o-o C"], {"A o-o B", "C o-o D"}),
    (6, ["A - B", "B o-o C"], {"B -o C"}),
    (6, ["A - B", "B o-> C", "A -> C"], {"B -> C"}),
    (7, ["A -o B", "B o-o C"], {"B -o C"}),
    (7, ["A -o B", "B o-o C", "A o-o C"], {"B o-o C"}),
    (8, ["A -> B", "B -> C", "A o-> C"], {"A -> C"}),
    (8, ["A -o B", "B -> C", "A o-> C"], {"A -> C"}),
    (9, ["A o-> C", "A o-o B", "B o-o D", "D o-> C"], {"A -> C"}),
    (9, ["A o-> C", "A o-o B", "B o-o D", "D o-> C", "B o-o C"], {"A o-> C"}),
    (10, ["A o-> C", "B -> C", "D -> C", "A o-o B", "A o-o D"], {"A -> C"}),
    (10, ["A o-> C", "B -> C", "D -> C", "A o-o B", "A o-o D", "B o-o D"], {"A o-> C"}),
    (10, ["A o-> C", "B -> C", "D -> C", "A o-o M", "M o-o B", "A o-o D"], {"A -> C"}),
]


@pytest.mark.parametrize(("rule", "edges", "expected"), CASES)
def test_each_rule_alone(rule, edges, expected) -> None:
    found = oriented(edges, rule)
    assert all(has_edge(found, edge) for edge in expected), found.edges()


@pytest.mark.parametrize(
    ("separator", "expected"),
    [
        (True, {"D o-> A", "B o-> A", "A -> C", "B -> C"}),
        (False, {"D o-> A", "B <-> A", "A -> C", "B <-> C"}),
    ],
)
def test_rule_4_asks_for_the_separating_set(separator, expected) -> None:
    edges = ["D o-> A", "B o-> A", "A -> C", "B o-o C"]
    found = oriented(edges, 4, separator)
    assert found == Graph.from_edges(sorted(expected))


def test_rule_4_follows_long_paths() -> None:
    edges = ["E o-> D", "D <-> A", "D -> C", "B o-> A", "A -> C", "B o-> C"]
    assert has_edge(oriented(edges, 4, separator=False), "B <-> C")
    assert has_edge(oriented([*edges, "E o-o C"], 4, separator=False), "B o-> C")


@given(st.integers(0, 2**32 - 1), st.integers(0, 8))
def test_contradictory_separating_sets_only_fill_circles(seed, p) -> None:
    rng = np.random.default_rng(seed)
    marks = rng.integers(1, 4, (p, p), dtype=np.uint8)
    marks[rng.random((p, p)) < 0.6] = Mark.CIRCLE
    joined = np.triu(rng.random((p, p)) < 0.5, 1)
    marks[~(joined | joined.T)] = Mark.NONE

    def lookup(*_: int) -> bool:
        return bool(rng.random() < 0.5)

    graph = _core.orient_colliders(_core.MarkedGraph(marks), lookup)
    found = _core.orient(graph, lookup, ALL_RULES).marks()
    assert np.array_equal(found == Mark.NONE, marks == Mark.NONE)
    assert np.all((found == marks) | (marks == Mark.CIRCLE))


def test_rules_are_numbered_from_1_to_10() -> None:
    with pytest.raises(ValueError, match="from 1 to 10"):
        _core.orient(Graph("AB").native, lambda *_: True, [11])
