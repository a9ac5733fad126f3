from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import factorial

import pytest
from brute_force import arcs_of, classes, dags, graph_of, union
from hypothesis import given

from dagathlon.errors import GraphError
from dagathlon.graphs import Graph, count_members, cpdag, members, sample_members


@pytest.mark.parametrize("p", [0, 1, 2, 3, 4])
def test_members_of_every_small_class(p) -> None:
    for expected in classes(p).values():
        essential = graph_of(union(expected), p)
        found = [arcs_of(dag) for dag in members(essential)]
        assert len(found) == len(expected) == count_members(essential)
        assert set(found) == set(expected)


@given(dags(max_size=6))
def test_counting_agrees_with_listing(graph) -> None:
    essential = cpdag(graph)
    found = list(members(essential))
    assert len(set(found)) == len(found) == count_members(essential)
    assert graph in found
    assert all(cpdag(dag) == essential for dag in found)


def complete(p: int) -> Graph:
    return graph_of([arc for i, j in combinations(range(p), 2) for arc in ((i, j), (j, i))], p)


def path(p: int) -> Graph:
    return graph_of([arc for i in range(1, p) for arc in ((i - 1, i), (i, i - 1))], p)


def test_counts_by_hand() -> None:
    assert count_members(complete(30)) == factorial(30)
    assert count_members(path(130)) == 130
    assert count_members(Graph("ABC")) == 1
    assert count_members(Graph.from_edges(["A - B", "C - D", "E -> F", "G -> F"])) == 4


def kite() -> Graph:
    """Two triangles on one edge, with a tail, beside a separate edge."""
    edges = ["A - B", "B - C", "A - C", "B - D", "C - D", "D - E", "F - G"]
    return Graph.from_edges([*edges, "H -> J", "I -> J"])


@pytest.mark.parametrize("build", [kite, lambda: complete(4)])
def test_draws_are_uniform(build) -> None:
    essential = build()
    everyone = set(members(essential))
    n = 400 * len(everyone)
    drawn = Counter(sample_members(essential, n, seed=1))
    assert set(drawn) == everyone
    chi_square = sum((drawn[dag] - 400) ** 2 / 400 for dag in everyone)
    # The kite's by source A, B, C, D, E: 2 + 3 + 3 + 2 + 2, times two for the separate edge.
    assert len(everyone) == 24
    # 99.9 % point of a chi-square with 23 degrees of freedom.
    assert chi_square < 49.73


def test_the_seed_decides() -> None:
    essential = kite()
    assert sample_members(essential, 20, seed=3) == sample_members(essential, 20, seed=3)
    assert sample_members(essential, 20, seed=3) != sample_members(essential, 20, seed=4)
    assert sample_members(essential, 0, seed=3) == []
    assert sample_members(Graph([]), 2, seed=0) == [Graph([]), Graph([])]


def test_larger_classes_are_drawn_from() -> None:
    for essential in (complete(8), path(65)):
        assert all(cpdag(dag) == essential for dag in sample_members(essential, 3, seed=0))


@pytest.mark.parametrize("ask", [count_members, members, lambda g: sample_members(g, 1, 0)])
def test_only_cpdags_have_members(ask) -> None:
    with pytest.raises(GraphError, match="needs a CPDAG"):
        ask(Graph.from_edges(["A -> B"]))
    with pytest.raises(GraphError, match="needs a CPDAG"):
        ask(Graph.from_edges(["A - B", "B - C", "C - D", "D - A"]))
    with pytest.raises(GraphError, match="found the edge A <-> B"):
        ask(Graph.from_edges(["A <-> B"]))


def test_a_negative_number_is_refused() -> None:
    with pytest.raises(GraphError, match="found -1"):
        sample_members(Graph("A"), -1, 0)
