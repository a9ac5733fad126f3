"""ASOBS and WINASOBS: against optimal DAGs, by invariance of what they promise."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagathlon import _core
from dagathlon.data import Dataset, Network, Variable
from dagathlon.errors import DataError
from dagathlon.graphs.knowledge import Knowledge
from dagathlon.learners import learn
from dagathlon.learners.order.asobs import WinAsobs
from dagathlon.learners.score.scores import score_graph

Lists = list[list[tuple[float, list[int]]]]


def random_lists(seed: int, p: int) -> Lists:
    rng = np.random.default_rng(seed)
    lists: Lists = []
    for child in range(p):
        others = [x for x in range(p) if x != child]
        sets = [c for size in (1, 2) for c in itertools.combinations(others, size)]
        own = [(float(rng.normal(scale=3)), list(parents)) for parents in sets]
        lists.append([(0.0, []), *own])
    return lists


def ordered_score(lists: Lists, order: list[int]) -> float:
    before: set[int] = set()
    total = 0.0
    for j in order:
        total += max(score for score, parents in lists[j] if before.issuperset(parents))
        before.add(j)
    return total


@given(seed=st.integers(0, 10**6), p=st.integers(2, 8), window=st.integers(0, 4))
def test_choices_are_dags_below_the_optimum(seed: int, p: int, window: int) -> None:
    lists = random_lists(seed, p)
    sets = _core.ParentSets(lists)
    best, _ = _core.best_by_sets(sets)
    plain, relaxed = (
        _core.window_search(
            sets, _core.WindowSearch(starts=5, window=window, acyclic_selection=acyclic, seed=seed)
        )
        for acyclic in (False, True)
    )
    for score, parents, starts, _ in (plain, relaxed):
        assert starts == 5
        assert score <= best + 1e-9
        own = [next(s for s, p in f if p == q) for f, q in zip(lists, parents, strict=True)]
        assert math.fsum(own) == pytest.approx(score)
        order = list(range(p))
        order.sort(key=lambda j: ancestors(parents, j))
        assert ordered_score(lists, order) >= score - 1e-9
    # The same orders with more parents to choose from.
    assert relaxed[0] >= plain[0] - 1e-9


def ancestors(parents: list[list[int]], node: int) -> int:
    found: set[int] = set()
    todo = [node]
    while todo:
        for x in parents[todo.pop()]:
            assert x != node, "a cycle"
            if x not in found:
                found.add(x)
                todo.append(x)
    return len(found)


@given(seed=st.integers(0, 10**6))
@settings(max_examples=20)
def test_without_relaxation_the_score_is_that_of_an_order(seed: int) -> None:
    lists = random_lists(seed, 6)
    how = _core.WindowSearch(starts=1, window=1, acyclic_selection=False, seed=seed)
    score, parents, *_ = _core.window_search(_core.ParentSets(lists), how)
    order = sorted(range(6), key=lambda j: ancestors(parents, j))
    start = ordered_score(lists, order)
    assert start == pytest.approx(score)


@given(seed=st.integers(0, 10**6), p=st.integers(2, 7))
@settings(max_examples=30)
def test_many_starts_find_the_optimum(seed: int, p: int) -> None:
    sets = _core.ParentSets(random_lists(seed, p))
    best, _ = _core.best_by_sets(sets)
    how = _core.WindowSearch(starts=200, window=3, acyclic_selection=True, seed=1)
    assert _core.window_search(sets, how)[0] == pytest.approx(best)


def test_exploration_without_end_is_enumeration() -> None:
    data = Network.load("asia").sample(300, seed=1)
    for score in ("bic", "bdeu"):
        found = [
            learn(data, "winasobs", score=score, max_parents=3, explored=k, exploration=how)
            for k, how in ((10**6, "independence"), (0, "all"))
        ]
        assert found[0].stats["n_parent_sets"] == found[1].stats["n_parent_sets"]
        best = learn(data, "exact_map", score=score)
        assert found[0].stats["score"] == pytest.approx(best.stats["score"])


def test_promising_sets_come_first() -> None:
    """A tenth of the sets is enough for the best DAG of a small network."""
    data = Network.load("sachs").sample(1000, seed=1)
    few = learn(data, "winasobs", score="bic", max_parents=4, explored=40)
    best = learn(data, "exact_map", score="bic", max_parents=4)
    assert int(few.stats["n_scores"]) < 11 * 60
    assert few.stats["score"] == pytest.approx(best.stats["score"], rel=2e-3)


@pytest.mark.parametrize("name", ["asobs", "winasobs"])
def test_result_has_its_score_and_depends_on_the_seed_alone(name: str) -> None:
    data = Network.load("sachs").sample(200, seed=2)
    found = learn(data, name, score="bdeu", starts=3, seed=4)
    assert score_graph(data, found.graph, "bdeu").total == pytest.approx(found.stats["score"])
    assert learn(data, name, score="bdeu", starts=3, seed=4) == found


def test_constraints_are_obeyed() -> None:
    data = Network.load("asia").sample(200, seed=2)
    names = data.names
    knowledge = Knowledge(
        forbidden=frozenset({(names[0], names[1])}), required=frozenset({(names[7], names[2])})
    )
    for exploration in ("independence", "all"):
        learner = WinAsobs(constraints=knowledge, exploration=exploration)  # type: ignore[arg-type]
        graph = learner.learn(data, np.random.default_rng(0)).graph
        assert knowledge.violations(graph) == []
        assert graph.is_dag


def test_continuous_data_and_time_limits() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(100, 6)) @ np.triu(rng.normal(size=(6, 6)))
    data = Dataset([Variable(f"V{i}") for i in range(6)], values=values)
    best = learn(data, "exact_map", score="bge", max_parents=None)
    found = learn(data, "winasobs", score="bge")
    assert found.stats["score"] == pytest.approx(best.stats["score"])
    limited = learn(data, "winasobs", score="bge", seconds=0.0)
    assert float(limited.stats["score"]) <= float(best.stats["score"]) + 1e-9


def test_rblip_answers() -> None:
    data = Network.load("asia").sample(200, seed=2)
    best = learn(data, "exact_map", score="bdeu", max_parents=6)
    for method in ("winasobs", "asobs", "obs"):
        found = learn(data, "rblip_asobs", timeout=0.05, solvermethod=method, scorermethod="sq")
        assert float(found.stats["score"]) <= float(best.stats["score"]) + 1e-9
        assert found.graph.is_dag
    with pytest.raises(DataError, match="discrete"):
        learn(Dataset([Variable("x")], values=np.zeros((4, 1))), "rblip_asobs")


def test_search_ends_after_starts_in_vain() -> None:
    data = Network.load("sachs").sample(200, seed=2)
    patient = learn(data, "winasobs", patience=8)
    starts = int(patient.stats["starts"])
    assert 8 < starts < 100
    until_best = learn(data, "winasobs", starts=starts - 8)
    assert until_best.stats["score"] == pytest.approx(patient.stats["score"], rel=1e-12)
    limited = learn(data, "winasobs", patience=8, seconds=1000.0)
    assert limited.graph == patient.graph
    assert limited.stats["score"] == patient.stats["score"]


def test_rblip_does_not_use_up_its_time() -> None:
    data = Network.load("asia").sample(200, seed=2)
    for method in ("winasobs", "asobs"):
        runs = [
            learn(data, "rblip_asobs", timeout=seconds, solvermethod=method)
            for seconds in (300, 600)
        ]
        assert runs[0].graph == runs[1].graph
        assert runs[0].stats["score"] == runs[1].stats["score"]
