"""Background knowledge as Benchpress writes it, pair by pair."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from dagathlon.errors import DataWarning, GraphError
from dagathlon.graphs import Graph, Knowledge, cpdag, meek

NAMES = ("A", "B", "C", "D")


def knowledge(**content: Any) -> Knowledge:
    return Knowledge.from_json(content, NAMES)


def pairs(*edges: str) -> set[tuple[str, ...]]:
    return {tuple(edge) for edge in edges}


def test_single_edges_and_groups() -> None:
    found = knowledge(
        forbidden_edges=[["A", "B"]],
        required_edges=[["B", "A"]],
        forbidden_groups=[{"cause": ["C", "D"], "effect": ["A", "C"]}],
        required_groups=[{"effect": ["D"], "cause": ["C"]}],
    )
    assert found.forbidden == pairs("AB", "CA", "DA", "DC")
    assert found.required == pairs("BA", "CD")
    assert not knowledge()


def test_an_edge_with_an_unknown_name_is_left_out_with_a_warning() -> None:
    message = "forbidden_edges: unknown variable 'a' .did you mean 'A'.*left out"
    with pytest.warns(DataWarning, match=message):
        found = knowledge(forbidden_edges=[["a", "B"], ["A", "C"]])
    assert found.forbidden == pairs("AC")


def test_tiers_run_forwards() -> None:
    tiers = [["A"], ["B", "C"], ["D"]]
    backwards = pairs("BA", "CA", "DA", "DB", "DC")
    assert knowledge(tiers=tiers).forbidden == backwards
    within = knowledge(tiers=tiers, tier_settings={"forbid_within_tiers": True})
    assert within.forbidden == backwards | pairs("BC", "CB")
    following = knowledge(tiers=tiers, tier_settings={"can_only_cause_next_tier": True})
    assert following.forbidden == backwards | pairs("AD")


def test_sources_and_contexts_have_no_parents() -> None:
    into_a = pairs("BA", "CA", "DA")
    assert knowledge(source_nodes=["A"]) == Knowledge(frozenset(into_a))
    everywhere = knowledge(context_all=["A"])
    assert (everywhere.forbidden, everywhere.required) == (into_a, pairs("AB", "AC", "AD"))
    in_tier = knowledge(context_tier=["A"], tiers=[["A", "B"], ["C", "D"]])
    assert in_tier.required == pairs("AB")
    assert in_tier.forbidden == into_a | pairs("CA", "CB", "DA", "DB")


def test_matrices_and_violations() -> None:
    found = knowledge(forbidden_edges=[["A", "B"]], required_edges=[["C", "D"]])
    forbidden, required = found.matrices(NAMES)
    assert np.argwhere(forbidden).tolist() == [[0, 1]]
    assert np.argwhere(required).tolist() == [[2, 3]]
    graph = Graph.from_edges(["A -> B", "C - D"])
    assert found.violations(graph) == ["A -> B is forbidden", "C -> D is required"]
    assert found.violations(Graph.from_edges(["B -> A", "C -> D"])) == []


@pytest.mark.parametrize("order", list(permutations(NAMES[:3])))
def test_meek_with_tiers_leaves_nothing_undirected(order: tuple[str, ...]) -> None:
    known = knowledge(tiers=[[name] for name in order])
    complete = cpdag(Graph.from_edges(["A -> B", "A -> C", "B -> C"]))
    oriented = meek(complete, known.forbidden, known.required)
    assert oriented.is_dag
    assert oriented.topological_order() == order


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "expected an object"),
        ({"tier": []}, "unknown constraint 'tier' .did you mean 'tiers'"),
        ({"tiers": "A"}, "tiers: found str, expected a list"),
        ({"tiers": ["A"]}, "tiers: found 'A', expected a list of names"),
        ({"tiers": [["a"]]}, "tiers: unknown variable 'a' .did you mean 'A'"),
        ({"tier_settings": {"within": True}}, "unknown tier setting 'within'"),
        ({"required_edges": [["A"]]}, "expected a pair"),
        ({"required_edges": [["A", "A"]]}, "no edge with itself"),
        ({"required_groups": [{"cause": ["A"]}]}, "required_groups: found"),
        ({"required_edges": [["A", "B"]], "source_nodes": ["B"]}, "A -> B is forbidden and req"),
    ],
)
def test_wrong_constraints_are_refused(content: Any, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        Knowledge.from_json(content, NAMES)
