"""Tiered PC: the tiered MPDAG of the truth, by enumeration, and what its tests condition on."""

from __future__ import annotations

import itertools

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from dagathlon.benchpress.pcalg import BipsTpc
from dagathlon.data import Dataset, Variable
from dagathlon.graphs import Graph, cpdag
from dagathlon.learners.constraint.pc import Pc
from dagathlon.learners.independence import separation_test

RNG = np.random.default_rng(1)


def tiered(dag: Graph, tiers: list[list[str]], **options) -> Graph:
    learner = Pc(constraints={"tiers": tiers}, possible_causes_only=True, **options)
    return learner.learn_with(separation_test(dag), RNG).graph


def enumerated(dag: Graph, tier: list[int]) -> Graph:
    """Edges directed alike in all DAGs of the class that respect the tiers, by trying all."""
    pairs = [(dag.position(e.left), dag.position(e.right)) for e in dag.edges()]
    wanted = cpdag(dag)
    seen = np.zeros((len(dag.names), len(dag.names)), dtype=bool)
    for flips in itertools.product((False, True), repeat=len(pairs)):
        arcs = [(b, a) if flip else (a, b) for (a, b), flip in zip(pairs, flips, strict=True)]
        if any(tier[a] > tier[b] for a, b in arcs):
            continue
        matrix = np.zeros_like(seen, dtype=int)
        for a, b in arcs:
            matrix[a, b] = 1
        candidate = Graph.from_adjacency(dag.names, matrix)
        if candidate.is_dag and cpdag(candidate) == wanted:
            seen |= matrix.astype(bool)
    return Graph.from_adjacency(dag.names, seen.astype(int))


@st.composite
def dags_in_tiers(draw: st.DrawFn) -> tuple[Graph, list[int]]:
    p = draw(st.integers(2, 5))
    tier = sorted(draw(st.lists(st.integers(0, 2), min_size=p, max_size=p)))
    arcs = [(i, j) for i in range(p) for j in range(i + 1, p) if draw(st.booleans())]
    order = draw(st.permutations(range(p)))
    names = [f"V{k}" for k in range(p)]
    dag = Graph.from_edges([(names[order[i]], names[order[j]]) for i, j in arcs], names=names)
    of_name = [0] * p
    for place, node in enumerate(order):
        of_name[node] = tier[place]
    return dag, of_name


@hypothesis.given(dags_in_tiers())
def test_separations_give_the_tiered_graph(drawn: tuple[Graph, list[int]]):
    dag, tier = drawn
    tiers = [[n for n, t in zip(dag.names, tier, strict=True) if t == k] for k in range(3)]
    for colliders in ("separating-set", "majority", "conservative"):
        assert tiered(dag, tiers, colliders=colliders) == enumerated(dag, tier)


@hypothesis.given(dags_in_tiers())
def test_one_tier_is_pc(drawn: tuple[Graph, list[int]]):
    dag, _ = drawn
    assert tiered(dag, [list(dag.names)]) == Pc().learn_with(separation_test(dag), RNG).graph


def test_the_future_is_never_conditioned_on():
    dag = Graph.from_edges([("A", "F"), ("B", "F"), ("A", "C"), ("F", "G")], names="ABCFG")
    tiers = [["A", "B", "C"], ["F"], ["G"]]
    without = Pc(constraints={"tiers": tiers}).learn_with(separation_test(dag), RNG)
    found = Pc(constraints={"tiers": tiers}, possible_causes_only=True).learn_with(
        separation_test(dag), RNG
    )
    assert found.graph == without.graph
    assert found.stats["ntests"] < without.stats["ntests"]


def test_context_variables_cause_all_others():
    dag = Graph.from_edges([("A", "B"), ("C", "A"), ("C", "B"), ("C", "D")], names="ABCD")
    constraints = {"tiers": [["A"], ["B", "D"]], "context_all": ["C"]}
    learner = BipsTpc(edgeConstraints=constraints)
    graph = learner.native().learn_with(separation_test(dag), RNG).graph
    assert graph == dag


@pytest.mark.parametrize("majrule", [True, False])
def test_under_benchpress_name(majrule: bool):
    rng = np.random.default_rng(2)
    a = rng.normal(size=2000)
    b = a + rng.normal(size=2000)
    values = np.column_stack([b, a])
    values[rng.random(2000) < 0.2, 0] = np.nan
    data = Dataset([Variable("B"), Variable("A")], values=values)
    for test in ("gaussCItwd", "gaussMItest", "flexCItwd", "flexMItest"):
        learner = BipsTpc(
            indepTest=test, majrule=majrule, edgeConstraints={"tiers": [["A"], ["B"]]}
        )
        assert learner.problem() == ""
        assert learner.learn(data, RNG).graph == Graph.from_edges([("A", "B")], names="BA")
