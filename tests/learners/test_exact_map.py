"""Optimal DAGs: against enumeration, one solver against the other, pruning against none."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagathlon import _core
from dagathlon.data import Dataset, Network, Variable, read_data
from dagathlon.errors import DataError, GraphError, UnavailableError
from dagathlon.graphs.knowledge import Knowledge
from dagathlon.learners import learn
from dagathlon.learners.exact import cluster_program
from dagathlon.learners.exact.cluster_program import SolverLimits, solve_by_cuts
from dagathlon.learners.exact.exact_map import ExactMap, optimal_dag
from dagathlon.learners.score.score_kinds import ScoreParameters
from dagathlon.learners.score.scores import native_score, score_graph
from strategies import copied_levels, linear_gaussian

Lists = list[list[tuple[float, list[int]]]]


def random_lists(seed: int, p: int, most: int, density: float = 1.0) -> Lists:
    """Scores that fall with the number of parents, less than chance makes them differ."""
    rng = np.random.default_rng(seed)
    lists: Lists = []
    for child in range(p):
        others = [x for x in range(p) if x != child]
        found = [(float(rng.normal()), list[int]())]
        for size in range(1, most + 1):
            for parents in itertools.combinations(others, size):
                if rng.random() < density:
                    found.append((float(rng.normal(scale=3) - size), list(parents)))
        lists.append(found)
    return lists


def acyclic(parents: list[list[int]]) -> bool:
    placed: set[int] = set()
    for _ in parents:
        placed |= {j for j, found in enumerate(parents) if placed.issuperset(found)}
    return len(placed) == len(parents)


def best_by_enumeration(lists: Lists) -> float:
    """The best order, each node with the best parents from before it."""
    best = -math.inf
    for order in itertools.permutations(range(len(lists))):
        before: set[int] = set()
        total = 0.0
        for j in order:
            total += max(score for score, parents in lists[j] if before.issuperset(parents))
            before.add(j)
        best = max(best, total)
    return best


def check(lists: Lists, parents: list[list[int]], score: float) -> None:
    """The parents are a DAG with that score."""
    assert acyclic(parents)
    own = [next(s for s, p in found if p == q) for found, q in zip(lists, parents, strict=True)]
    assert math.fsum(own) == pytest.approx(score)


@given(seed=st.integers(0, 10**6), p=st.integers(1, 5), most=st.integers(0, 4))
def test_solvers_agree_with_enumeration(seed: int, p: int, most: int) -> None:
    lists = random_lists(seed, p, most)
    best = best_by_enumeration(lists)
    for solver in ("dp", "ilp"):
        found = optimal_dag(_core.ParentSets(lists), solver)  # type: ignore[arg-type]
        assert found.score == pytest.approx(best)
        assert found.bound == pytest.approx(best)
        assert found.proven
        check(lists, found.parents, found.score)


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), p=st.integers(6, 15))
def test_integer_and_dynamic_programming_agree(seed: int, p: int) -> None:
    lists = random_lists(seed, p, 2, density=min(1.0, 12 / p**1.5))
    sets = _core.ParentSets(lists)
    score, parents = _core.best_by_sets(sets)
    check(lists, parents, score)
    found = solve_by_cuts(sets, SolverLimits())
    check(lists, found.parents, score)
    assert found.bound == pytest.approx(score)


def test_components_are_solved_apart() -> None:
    """Two circles of three, the first above the second."""
    lists: Lists = [[(0.0, [])] for _ in range(6)]
    for j, parent in enumerate([1, 2, 0, 4, 5, 3]):
        lists[j].append((2.0 + j, [parent]))
    lists[3].append((9.0, [0, 1]))
    sets = _core.ParentSets(lists)
    assert sets.components() == [[0, 1, 2], [3, 4, 5]]
    found = optimal_dag(sets)
    assert found.largest == 3
    # The first circle opens where it costs least; the second needs no opening.
    assert found.parents == [[], [2], [0], [0, 1], [5], [3]]
    assert found.score == 3 + 4 + 9 + 6 + 7


GAUSSIAN: list[str] = ["bge", "bic-g", "sem-bic", "l0-g"]
SCORES: list[str] = ["bdeu", "bic", "fnml", "qnml", "k2", *GAUSSIAN]


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    score=st.sampled_from(SCORES),
    most=st.integers(0, 5),
    iss=st.sampled_from([0.1, 1.0, 20.0]),
    prior=st.sampled_from(["uniform", "vsp", "marginal"]),
)
def test_pruning_never_loses_the_optimum(
    seed: int, score: str, most: int, iss: float, prior: str
) -> None:
    data = linear_gaussian(seed, 6) if score in GAUSSIAN else copied_levels(seed, 6)
    kwargs = {"score": score, "max_parents": most, "iss": iss, "prior": prior, "solver": "dp"}
    pruned = learn(data, "exact_map", **kwargs)
    full = learn(data, "exact_map", prune=False, **kwargs)
    assert pruned.stats["score"] == pytest.approx(full.stats["score"], rel=1e-12)
    assert int(pruned.stats["n_scores"]) <= int(full.stats["n_scores"])


@pytest.mark.parametrize("score", SCORES)
def test_bounds_hold_for_all_supersets(score: str) -> None:
    """What is left out unscored is never better than a subset: every superset was scored here."""
    for seed in range(5):
        data = linear_gaussian(seed, 6) if score in GAUSSIAN else copied_levels(seed, 6)
        native = native_score(data, score, ScoreParameters())
        none = np.zeros((6, 6), dtype=bool)
        pruned = _core.enumerate_parent_sets(native, _core.SearchLimits(none, none, 5), True)
        everything = _core.enumerate_parent_sets(native, _core.SearchLimits(none, none, 5), False)
        assert _core.ParentSets(everything.lists()).lists() == pruned.lists()


def test_pruning_scores_fewer_families() -> None:
    data = Network.load("asia").sample(200, seed=3)
    for score in ("bic", "fnml", "bdeu"):
        found = learn(data, "exact_map", score=score, max_parents=None)
        assert int(found.stats["n_scores"]) < 8 * 2**7


def test_result_is_as_good_as_any_search() -> None:
    data = Network.load("sachs").sample(300, seed=1)
    found = learn(data, "exact_map", score="bde", max_parents=4)
    total = score_graph(data, found.graph, "bde").total
    assert found.stats["score"] == pytest.approx(total)
    for name in ("hc", "tabu"):
        assert float(learn(data, name, score="bde", max_parents=4).stats["score"]) <= total + 1e-9


@given(seed=st.integers(0, 100))
@settings(max_examples=10)
def test_constraints_are_obeyed(seed: int) -> None:
    data = linear_gaussian(seed, 6)
    order = np.random.default_rng(seed).permutation(data.names).tolist()
    knowledge = Knowledge(
        forbidden=frozenset((order[j], order[i]) for i in range(3) for j in range(i + 1, 6)),
        required=frozenset({(order[0], order[4]), (order[4], order[3])}),
    )
    learner = ExactMap(constraints=knowledge, max_parents=2)  # type: ignore[arg-type]
    found = learner.learn(data, np.random.default_rng(0))
    assert knowledge.violations(found.graph) == []
    assert found.stats["proven"] is True


def test_required_edges_in_a_circle_are_refused() -> None:
    circle = Knowledge(required=frozenset({("V0", "V1"), ("V1", "V2"), ("V2", "V0")}))
    with pytest.raises(GraphError, match="cycle"):
        ExactMap(constraints=circle).learn(linear_gaussian(1, 4), np.random.default_rng(0))  # type: ignore[arg-type]


def test_limits_leave_a_dag_with_its_gap() -> None:
    lists = random_lists(5, 20, 2)
    sets = _core.ParentSets(lists)
    found = optimal_dag(sets, "ilp", time_limit=0.0)
    check(lists, found.parents, found.score)
    assert found.bound >= found.score
    loose = optimal_dag(sets, "ilp", gap_limit=10.0)
    assert 0 <= loose.gap <= 10.0
    assert not found.proven or found.gap <= 1e-9


def test_too_large_for_dynamic_programming() -> None:
    lists: Lists = [[(0.0, []), (1.0, [(j + 1) % 30])] for j in range(30)]
    with pytest.raises(DataError, match="30 variables that depend on each other would need"):
        optimal_dag(_core.ParentSets(lists), "dp")


def test_wrong_lists_are_refused() -> None:
    with pytest.raises(ValueError, match="distinct nodes"):
        _core.ParentSets([[(0.0, [0])]])
    with pytest.raises(IndexError):
        _core.ParentSets([[(0.0, [4])]])
    with pytest.raises(ValueError, match="a score is a number"):
        _core.ParentSets([[(math.nan, [])]])


@pytest.mark.parametrize("n", [1, 2, 40])
def test_singular_data_have_a_best_dag(n: int) -> None:
    codes = np.random.default_rng(1).integers(0, 2, size=(n, 4)).astype(np.uint8)
    codes[:, 1] = 0
    codes[:, 2] = codes[:, 0]
    data = Dataset([Variable(f"V{i}", ("a", "b")) for i in range(4)], codes=codes)
    for score in ("bic", "bdeu", "fnml"):
        assert learn(data, "exact_map", score=score).graph.is_dag
    values = np.column_stack([np.ones(n + 2), np.arange(n + 2), 2.0 * np.arange(n + 2)])
    same = Dataset([Variable(f"V{i}") for i in range(3)], values=values)
    for score in ("bge", "bic-g"):
        assert learn(same, "exact_map", score=score).graph.is_dag


def test_missing_values_and_wrong_kinds_are_refused() -> None:
    data = linear_gaussian(1, 3)
    with pytest.raises(DataError, match="needs discrete data"):
        learn(data, "exact_map", score="bdeu")
    values = np.array(data.values)
    values[0, 0] = np.nan
    with pytest.raises(DataError, match="missing values"):
        learn(Dataset(data.variables, values=values), "exact_map")


def test_gobnilp_answers() -> None:
    data = copied_levels(2, 6)
    ours = learn(data, "exact_map", score="bdeu", iss=2.0, max_parents=2)
    assert learn(data, "gobnilp", continuous=False, alpha=2, palim=2) == ours
    assert len(list(learn(data, "gobnilp", continuous=False, palim=0).graph.edges())) == 0
    values = linear_gaussian(3, 5)
    theirs = learn(values, "gobnilp", alpha_omega_minus_nvars=3)
    assert theirs == learn(values, "exact_map", score="bge", iss_w=8.0)


@pytest.mark.shared
@pytest.mark.slow
def test_alarm_is_proven(shared: Path) -> None:
    data = read_data(shared / "reference/alarm_n1000/data.csv")
    found = learn(data, "exact_map", score="bdeu", max_parents=3)
    assert found.stats["proven"] is True
    assert found.stats["score"] == pytest.approx(-11045.918361828, abs=1e-6)
    assert score_graph(data, found.graph, "bdeu").total == pytest.approx(found.stats["score"])


@pytest.mark.slow
def test_insurance_is_proven_with_its_certificate() -> None:
    """It once ended unproven; by a reading of the code, a long cycle may have been missed."""
    data = Network.load("insurance").sample(400, seed=1)
    found = learn(data, "exact_map", score="bic", max_parents=4)
    assert found.stats["proven"] is True
    assert found.stats["bound"] == pytest.approx(found.stats["score"], rel=1e-9)
    assert int(found.stats["nodes"]) >= 1
    assert score_graph(data, found.graph, "bic").total == pytest.approx(found.stats["score"])


def test_hopeless_problems_need_a_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four rows say nothing of fifty columns: every pair is a good parent set."""
    monkeypatch.setattr(cluster_program, "_MANY_SETS", 10_000)
    values = np.random.default_rng(0).normal(size=(4, 50))
    data = Dataset([Variable(f"V{i}") for i in range(50)], values=values)
    with pytest.raises(DataError, match="give a time_limit"):
        learn(data, "exact_map", score="bic-g")


def test_without_the_solver_the_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dagathlon.learners.exact.relaxation.find_spec", lambda _: None)
    data = Network.load("asia").sample(200, np.random.default_rng(1))
    with pytest.raises(UnavailableError, match=r"pip install 'dagathlon\[exact\]'"):
        learn(data, "exact_map", solver="ilp")
    assert learn(data, "exact_map", solver="dp").stats["proven"] is True
