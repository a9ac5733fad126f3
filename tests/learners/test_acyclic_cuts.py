"""Cuts hold for every DAG, and what violates one is found."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagathlon import _core
from dagathlon.learners.exact.branch_and_cut import BranchAndCut
from dagathlon.learners.exact.cluster_program import SolverLimits, solve_by_cuts
from dagathlon.learners.exact.relaxation import Relaxation

Program = _core.FamilyProgram


def all_sets(p: int, most: int, rng: np.random.Generator) -> _core.ParentSets:
    """Every parent set of a few nodes; larger ones score higher, so that none is left out."""
    lists = []
    for child in range(p):
        others = [x for x in range(p) if x != child]
        sets = [c for size in range(most + 1) for c in itertools.combinations(others, size)]
        lists.append([(len(c) + float(rng.random()) / 2, list(c)) for c in sets])
    return _core.ParentSets(lists)


def fractional(program: Program, p: int, rng: np.random.Generator) -> np.ndarray:
    """Each node takes halves, thirds or all of a few sets with parents."""
    values = np.zeros(len(program))
    children = program.children()
    for child in range(p):
        own = [k for k in np.flatnonzero(children == child) if program.parents(int(k))]
        count = min(int(rng.integers(1, 4)), len(own))
        values[rng.choice(own, count, replace=False)] = 1 / count
    return values


def lacking(program: Program, values: np.ndarray, cluster: set[int]) -> float:
    """How much of a cluster's nodes has no parent inside."""
    children = program.children()
    return math.fsum(
        values[k]
        for k in np.flatnonzero(values)
        if children[k] in cluster and cluster.isdisjoint(program.parents(int(k)))
    )


def row(program: Program, cut: int) -> tuple[np.ndarray, float]:
    """A cut as numbers for all columns; those of nodes without a set are left out."""
    places = np.arange(len(program), dtype=np.int32) + 1000
    _, columns, entries = program.rows([cut], places)
    numbers = np.zeros(len(program))
    numbers[columns[columns >= 1000] - 1000] = entries[columns >= 1000]
    return numbers, float(program.most([cut])[0])


def dag(program: Program, p: int, order: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random DAG in an order, mostly with as many parents as it may have."""
    values = np.zeros(len(program))
    place = np.argsort(order)
    for child in range(p):
        own = [
            k
            for k in np.flatnonzero(program.children() == child)
            if all(place[x] < place[child] for x in program.parents(int(k)))
        ]
        sizes = np.array([len(program.parents(int(k))) for k in own])
        largest = np.flatnonzero(sizes == sizes.max())
        values[own[int(rng.choice(largest if rng.random() < 0.8 else len(own)))]] = 1
    return values


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), p=st.integers(4, 7))
def test_every_dag_keeps_the_cuts_that_a_solution_violates(seed: int, p: int) -> None:
    rng = np.random.default_rng(seed)
    program = Program(all_sets(p, 3, rng))
    values = fractional(program, p, rng)
    cuts = [*program.separate(values, 20), *program.separate_hulls(values, 7, 20)]
    rows = [row(program, cut) for cut in cuts]
    for numbers, most in rows:
        assert numbers @ values > most + 1e-7
    for _ in range(20):
        one = dag(program, p, rng.permutation(p), rng)
        assert all(numbers @ one <= most + 1e-6 for numbers, most in rows)


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), p=st.integers(2, 6))
def test_a_violated_cluster_is_never_missed(seed: int, p: int) -> None:
    rng = np.random.default_rng(seed)
    program = Program(all_sets(p, 2, rng))
    values = fractional(program, p, rng)
    clusters = [set(c) for k in range(2, p + 1) for c in itertools.combinations(range(p), k)]
    exists = any(lacking(program, values, cluster) < 1 - 1e-5 for cluster in clusters)
    assert bool(program.separate(values, 20)) >= exists


def test_facets_of_four_nodes_hold_in_every_order_and_cut_beyond_clusters() -> None:
    """All orders with all parents that they allow: the largest DAGs are all that matter."""
    rng = np.random.default_rng(0)
    program = Program(all_sets(4, 3, rng))
    children = program.children()
    dags = []
    for order in itertools.permutations(range(4)):
        full = np.zeros(len(program))
        for k in range(len(program)):
            before = order[: order.index(children[k])]
            full[k] = sorted(before) == program.parents(k)
        dags.append(full)
    tables = 0
    for _ in range(60):
        for cut in program.separate(fractional(program, 4, rng), 20):
            numbers, most = row(program, cut)
            highest = max(float(numbers @ one) for one in dags)
            assert highest == pytest.approx(most)  # it holds, and cannot be tighter
            tables += len(set(np.round(np.abs(numbers), 6)) - {0.0}) > 1
    assert tables > 0


@settings(max_examples=10)
@given(seed=st.integers(0, 10**6))
def test_relaxation_bounds_every_dag_and_prices_all_sets(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sets = all_sets(6, 3, rng)
    program = Program(sets)
    relaxation = Relaxation(program, 6, 1000.0)
    solution = relaxation.solve()
    relaxation.add(program.separate(solution.values, 50))
    tighter = relaxation.solve()
    assert tighter.loss >= solution.loss - 1e-9
    assert tighter.reduced.min() > -1e-6
    assert program.losses() @ tighter.values == pytest.approx(tighter.loss, abs=1e-6)
    best = sum(found[0][0] for found in sets.lists()) - _core.best_by_sets(sets)[0]
    assert tighter.loss <= best + 1e-9


def test_decisions_rule_out_what_would_close_a_cycle() -> None:
    lists: list[list[tuple[float, list[int]]]] = [
        [(0.0, [])] + [(1.0 + x, [x]) for x in range(3) if x != j] for j in range(3)
    ]
    program = Program(_core.ParentSets(lists))
    excluded = set(program.excluded([(0, 1, True), (1, 2, True)]).tolist())
    left = [
        (int(program.children()[k]), program.parents(k))
        for k in range(len(program))
        if k not in excluded
    ]
    assert sorted(left) == [(0, []), (1, [0]), (2, [1])]


def test_search_without_a_start_finds_the_optimum() -> None:
    """Also where no DAG is known at first: arcs in a circle must open somewhere."""
    p = 7
    lists: list[list[tuple[float, list[int]]]] = [
        [(float(j), [(j + 1) % p]), (float(-j), [(j + 2) % p]), (-20.0 - j, [])] for j in range(p)
    ]
    sets = _core.ParentSets(lists)
    search = BranchAndCut(Program(sets), p, [], math.inf)
    search.search(0.0, math.inf)
    ideal = sum(found[0][0] for found in sets.lists())
    assert ideal - search.least == pytest.approx(_core.best_by_sets(sets)[0])
    assert search.lower == search.least


@pytest.mark.slow
def test_long_cycles_of_many_nodes_are_cut() -> None:
    """A circle of 70 nodes, too long for the search over clusters: the whole of it is one."""
    p = 70
    lists: list[list[tuple[float, list[int]]]] = [
        [(0.0, []), (1.0 + j / p, [(j + 1) % p])] for j in range(p)
    ]
    found = solve_by_cuts(_core.ParentSets(lists), SolverLimits())
    assert sum(len(parents) for parents in found.parents) == p - 1
    assert found.parents[0] == []
    assert found.bound == pytest.approx(sum(1.0 + j / p for j in range(1, p)))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2, 4, 5])
def test_branch_and_cut_agrees_with_dynamic_programming(seed: int) -> None:
    """Dense tables of 16 nodes, on which the root alone does not close the gap."""
    rng = np.random.default_rng(seed)
    lists: list[list[tuple[float, list[int]]]] = []
    for child in range(16):
        others = [x for x in range(16) if x != child]
        own = [(0.0, list[int]())]
        for size in (1, 2, 3):
            for parents in itertools.combinations(others, size):
                if rng.random() < 0.12:
                    own.append((float(rng.gamma(2.0, 2.0) * size), list(parents)))
        lists.append(own)
    sets = _core.ParentSets(lists)
    found = solve_by_cuts(sets, SolverLimits())
    best, _ = _core.best_by_sets(sets)
    assert found.bound == pytest.approx(best, rel=1e-9)
