"""Effects that learners agree on, against gadjid's count of wrong ones."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from dagathlon.evaluate import aid
from dagathlon.evaluations.intersection_validation.effects import (
    Claims,
    agreed_effects,
    effect_distances,
)
from dagathlon.evaluations.intersection_validation.validation import Learned, interval_validation
from dagathlon.graphs import Graph, cpdag

PAIRS = list(combinations("ABCD", 2))


def drawn(rng: np.random.Generator, p: int, density: float) -> Graph:
    order = rng.permutation(p)
    arcs = [
        (order[i], order[j]) for i in range(p) for j in range(i + 1, p) if rng.random() < density
    ]
    return Graph.from_pairs([f"V{i}" for i in range(p)], arcs)


def wrong(estimate: Graph, truth: Graph) -> int:
    return int(Claims.of(estimate).wrong_in(Claims.of(truth)).sum())


def test_wrong_claims_are_those_that_gadjid_counts() -> None:
    rng = np.random.default_rng(1)
    for _ in range(40):
        p, density = int(rng.integers(2, 10)), rng.choice([0.1, 0.3, 0.6])
        one, other = (cpdag(drawn(rng, p, density)) for _ in range(2))
        assert wrong(one, other) == aid(one, other, "parent")


@pytest.mark.slow
def test_classes_of_four_nodes_against_gadjid() -> None:
    """All 185 of them against every fourth: each meets all kinds."""
    every = (
        Graph.from_edges([(a, b)[::way] for (a, b), way in zip(PAIRS, ways, strict=True) if way],
                         names="ABCD")
        for ways in product((-1, 0, 1), repeat=6)
    )  # fmt: skip
    classes = dict.fromkeys(cpdag(graph) for graph in every if graph.is_dag)
    assert len(classes) == 185
    claims = {graph: Claims.of(graph) for graph in classes}
    for one, other in product(classes, list(classes)[::4]):
        found = int(claims[one].wrong_in(claims[other]).sum())
        assert found == aid(one, other, "parent")


def test_with_one_reference_all_pairs_count() -> None:
    rng = np.random.default_rng(2)
    truth, estimate = drawn(rng, 7, 0.4), drawn(rng, 7, 0.4)
    effects = agreed_effects([truth, cpdag(truth)])
    assert effects.n == 42
    assert effects.wrong(truth) == 0
    turned = estimate.subgraph(list(reversed(estimate.names)))
    assert effects.wrong(turned) == aid(cpdag(estimate), cpdag(truth), "parent")


def test_only_agreed_effects_count() -> None:
    """Colliders C ← A, B and C → D; the other learner lets D go free."""
    one = Graph.from_edges(["A -> C", "B -> C", "C -> D"])
    other = Graph.from_edges(["A -> C", "B -> C"], names="ABCD")
    effects = agreed_effects([one, other])
    # What D does is disputed, for C must be adjusted for in the one graph; all else is the same.
    assert effects.agreed.sum(axis=1).tolist() == [3, 3, 3, 0]
    empty = Graph("ABCD")
    # Without an edge there is no set to adjust for: right for A and B on C, wrong for C on A and B.
    assert effects.wrong(empty) == 2
    assert effects.wrong(one) == effects.wrong(other) == 0


def test_learners_are_never_wrong_on_all_rows() -> None:
    rng = np.random.default_rng(3)
    graphs = {name: drawn(rng, 6, 0.3) for name in "abc"}
    estimates = {name: {10: [*graphs.values(), None]} for name in "abc"}
    effects = agreed_effects(graphs.values())
    claims = [Claims.of(graph) for graph in graphs.values()]
    disputed = sum(x.wrong_in(y).astype(int) for x in claims for y in claims)
    assert effects.n == np.count_nonzero(disputed == 0) - 6 > 0
    assert effect_distances(effects, Learned.of(graphs, estimates)) == {10: [[0, 0, 0, None]] * 3}
    result = interval_validation(graphs, estimates)
    assert result.n_effects == effects.n
    assert [row.wrong_effects for row in result.distances] == [0, 0, 0, None] * 3


def test_graphs_that_say_nothing_of_effects() -> None:
    dag, bidirected = Graph.from_edges(["A -> B"]), Graph.from_edges(["A <-> B"])
    assert agreed_effects([dag, bidirected]) is None
    assert agreed_effects([dag, dag], most_nodes=1) is None
    assert agreed_effects([dag]).wrong(bidirected) is None
