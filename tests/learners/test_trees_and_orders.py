"""Chow and Liu's trees and K2: against all trees, by hand, and against pyAgrum."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from dagathlon.data import Dataset, Variable
from dagathlon.errors import DataError
from dagathlon.graphs import Graph, Knowledge
from dagathlon.learners.score.chow_liu import ChowLiu
from dagathlon.learners.score.k2 import K2

RNG = np.random.default_rng(0)


def discrete(seed: int, rows: int = 200, columns: int = 5) -> Dataset:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (rows, columns))
    for j in range(1, columns):
        same = rng.random(rows) < 0.5
        codes[:, j] = np.where(same, codes[:, rng.integers(j)], codes[:, j])
    levels = ("a", "b", "c")
    variables = [Variable(f"V{j}", levels=levels) for j in range(columns)]
    return Dataset(variables, codes=codes.astype(np.uint8))


def information(data: Dataset, a: int, b: int) -> float:
    table = np.zeros((3, 3))
    np.add.at(table, (data.codes[:, a], data.codes[:, b]), 1)
    shares = table / table.sum()
    outer = shares.sum(axis=1, keepdims=True) * shares.sum(axis=0, keepdims=True)
    seen = shares > 0
    return float(np.sum(shares[seen] * np.log(shares[seen] / outer[seen])))


def is_tree(edges: tuple[tuple[int, int], ...], p: int) -> bool:
    part = list(range(p))
    for a, b in edges:
        if part[a] == part[b]:
            return False
        part = [part[a] if each == part[b] else each for each in part]
    return True


@pytest.mark.parametrize("seed", range(3))
def test_the_tree_is_the_best_of_all_trees(seed: int) -> None:
    data = discrete(seed)
    pairs = {pair: information(data, *pair) for pair in itertools.combinations(range(5), 2)}
    trees = (edges for edges in itertools.combinations(pairs, 4) if is_tree(edges, 5))
    best = max(trees, key=lambda edges: sum(pairs[edge] for edge in edges))
    found = ChowLiu(score="loglik").learn(data, RNG).graph
    assert {(edge.left, edge.right) for edge in found.edges()} == {
        (f"V{a}", f"V{b}") for a, b in best
    }


def test_edges_that_do_not_pay_are_left_out() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(200, 4))
    values[:, 1] += values[:, 0]
    data = Dataset([Variable(f"V{j}") for j in range(4)], values=values)
    assert [str(edge) for edge in ChowLiu().learn(data, RNG).graph.edges()] == ["V0 - V1"]
    assert ChowLiu(score="loglik-g").learn(data, RNG).graph.n_edges == 3


def test_a_root_directs_the_tree() -> None:
    data = discrete(2)
    plain, rooted = (ChowLiu(root=root).learn(data, RNG).graph for root in (None, "V3"))
    assert rooted.is_dag
    assert rooted.parents("V3") == ()
    assert max(len(rooted.parents(name)) for name in rooted.names) == 1
    assert plain.n_edges == rooted.n_edges
    with pytest.raises(DataError, match="root"):
        ChowLiu(root="V33").learn(data, RNG)


@pytest.mark.parametrize("score", ["bic", "k2"])
def test_the_score_is_that_of_the_tree(score: Any) -> None:
    data = discrete(2)
    for root in ("V0", "V3"):
        learner = ChowLiu(root=root, score=score)
        found = learner.learn(data, RNG)
        terms = learner.native_score(data).terms(found.graph.native)
        assert found.stats["score"] == pytest.approx(sum(terms))


def greedy(data: Dataset, order: list[int]) -> Graph:
    """K2 by its description, with the native score alone."""
    score = K2().native_score(data)
    arcs = np.zeros((len(order), len(order)), dtype=bool)
    for k, child in enumerate(order):
        parents: list[int] = []
        while len(parents) < k:
            free = [node for node in order[:k] if node not in parents]
            best = max(free, key=lambda node: score.local(child, sorted([*parents, node])))
            if score.local(child, sorted([*parents, best])) <= score.local(child, sorted(parents)):
                break
            parents.append(best)
        arcs[parents, child] = True
    return Graph.from_adjacency(data.names, arcs)


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [3, 1, 4, 0, 2]])
def test_k2_adds_the_best_parent_while_it_pays(order: list[int]) -> None:
    data = discrete(4)
    found = K2(order=", ".join(f"V{j}" for j in order)).learn(data, RNG)
    assert found.graph == greedy(data, order)
    score = K2().native_score(data)
    assert found.stats["score"] == pytest.approx(sum(score.terms(found.graph.native)))


def test_k2_obeys_knowledge_and_its_order() -> None:
    data = discrete(4)
    known = Knowledge(
        forbidden=frozenset({("V0", "V1")}), required=frozenset({("V0", "V4"), ("V1", "V4")})
    )
    graph = K2(constraints=known).learn(data, RNG).graph  # type: ignore[arg-type]
    assert "V0" not in graph.parents("V1")
    assert {"V0", "V1"} <= set(graph.parents("V4"))
    with pytest.raises(DataError, match="comes after"):
        K2(constraints=known, order="V4,V3,V2,V1,V0").learn(data, RNG)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="order"):
        K2(order="V0,V1").learn(data, RNG)


@pytest.mark.slow
def test_k2_is_that_of_pyagrum_beside_us() -> None:
    gum = pytest.importorskip("pyagrum")
    for seed in range(20):
        data = discrete(seed, columns=8)
        order = np.random.default_rng(seed).permutation(8)
        learner = gum.BNLearner(data.to_pandas().astype(str))
        learner.useK2([int(j) for j in order])
        learner.useScoreK2()
        names = ",".join(f"V{j}" for j in order)
        arcs = {(f"V{a}", f"V{b}") for a, b in learner.learnDAG().arcs()}
        found = K2(order=names).learn(data, RNG).graph
        assert {(edge.left, edge.right) for edge in found.edges()} == arcs, seed
