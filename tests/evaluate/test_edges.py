"""Precision and recall of adjacencies, arrowheads and v-structures."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagathlon.evaluate import Counts, compare
from dagathlon.evaluate.graphs.edges import arrowhead_counts, v_structure_counts
from dagathlon.graphs import Graph, Mark, cpdag
from strategies import random_dag

TRUTH = Graph.from_edges(["A -> C", "B -> C", "C -> D"], names="ABCD")


@st.composite
def dags(draw: st.DrawFn) -> tuple[Graph, Graph]:
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    p = draw(st.sampled_from([0, 1, 2, 3, 6, 9]))
    return random_dag(p, rng), random_dag(p, rng)


def test_by_hand() -> None:
    learned = Graph.from_edges(["A -> C", "C -> B", "C - D", "A - D"], names="ABCD")
    found = compare(learned, TRUTH)
    assert found["adjacency_precision"] == pytest.approx(3 / 4)
    assert found["adjacency_recall"] == 1
    assert found["arrowhead_precision"] == pytest.approx(1 / 2)
    assert found["arrowhead_recall"] == pytest.approx(1 / 3)
    assert math.isnan(found["v_structure_precision"])
    assert found["v_structure_recall"] == 0
    assert found["v_structure_F1"] == 0


def test_f_beta_by_hand() -> None:
    counts = Counts(tp=3, fp=1, fn=2, tn=0)
    assert counts.precision == 3 / 4
    assert counts.recall == 3 / 5
    for beta in (0.5, 1, 2):
        square = beta**2
        harmonic = (1 + square) * 0.75 * 0.6 / (square * 0.75 + 0.6)
        assert counts.f_beta(beta) == pytest.approx(harmonic)
    assert counts.f1 == counts.f_beta(1)
    assert math.isnan(Counts(0, 0, 0, 9).f_beta(2))


def test_a_cpdag_loses_recall_of_arrowheads_and_no_precision() -> None:
    chain = Graph.from_edges(["A -> B", "B -> C"])
    counts = arrowhead_counts(cpdag(chain), chain)
    assert (counts.tp, counts.fp, counts.fn) == (0, 0, 2)
    assert v_structure_counts(cpdag(TRUTH), TRUTH) == (1, 0, 0, 11)


def brute(graph: Graph) -> set[tuple[int, int, int]]:
    marks = graph.marks
    return {
        (i, j, k)
        for i, j in combinations(range(len(graph)), 2)
        for k in range(len(graph))
        if k not in (i, j) and not marks[i, j] and marks[i, k] == marks[j, k] == Mark.ARROW
    }


@given(dags())
def test_v_structures_one_by_one(pair: tuple[Graph, Graph]) -> None:
    learned, true = pair
    mine, theirs = brute(learned), brute(true)
    counts = v_structure_counts(learned, true)
    assert counts[:3] == (len(mine & theirs), len(mine - theirs), len(theirs - mine))
    assert sum(counts) == max(len(true) * (len(true) - 1) * (len(true) - 2) // 2, 0)


@given(dags(), st.randoms(use_true_random=False))
def test_names_count_and_not_places(pair: tuple[Graph, Graph], random) -> None:
    learned, true = pair
    if not len(true):
        return
    moved = learned.subgraph(random.sample(learned.names, len(learned)))
    assert str(compare(moved, true)) == str(compare(learned, true))


@given(dags())
def test_markov_equivalent_graphs_have_the_same_v_structures(pair: tuple[Graph, Graph]) -> None:
    learned, _ = pair
    counts = v_structure_counts(cpdag(learned), learned)
    assert counts.fp == counts.fn == 0
