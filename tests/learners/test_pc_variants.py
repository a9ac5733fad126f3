"""The ways of Tetrad and gCastle, by hand: rare levels, colliders that contradict, one side."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from dagathlon.benchpress.gcastle import GcastlePc
from dagathlon.benchpress.tetrad import TetradPc
from dagathlon.data import Dataset, Network, Variable
from dagathlon.graphs import Graph, cpdag
from dagathlon.learners.constraint.pc import Pc
from dagathlon.learners.independence import independence_test, separation_test
from dagathlon.learners.score.scores import score_graph

RNG = np.random.default_rng(1)


def rows_of(tables: list[np.ndarray]) -> Dataset:
    """Data whose counts of X × Y are these, one table for each level of Z."""
    rows = [
        (x, y, z)
        for z, table in enumerate(tables)
        for (x, y), count in np.ndenumerate(table)
        for _ in range(count)
    ]
    names = ("X", "Y", "Z")
    arities = (*tables[0].shape, len(tables))
    variables = [Variable.coded(name, k) for name, k in zip(names, arities, strict=True)]
    return Dataset(variables, codes=np.array(rows, dtype=np.uint8))


def chi_square(table: np.ndarray, rows: list[int], columns: list[int]) -> float:
    """Over some cells, with expected counts from the whole table."""
    expected = np.outer(table.sum(1), table.sum(0)) / table.sum()
    cells = np.ix_(rows, columns)
    return float(((table[cells] - expected[cells]) ** 2 / expected[cells]).sum())


LARGE = np.array([[20, 10, 15], [12, 22, 9], [7, 13, 19]])


@pytest.mark.parametrize(
    ("table", "kept"),
    [
        ([[3, 1, 0], [1, 3, 0], [0, 0, 0]], None),
        ([[3, 1, 0], [1, 3, 0], [0, 0, 1]], [0, 1]),
        ([[3, 1, 0], [1, 3, 0], [0, 0, 3]], [0, 1, 2]),
        ([[9, 1, 0], [0, 2, 0], [0, 0, 0]], [0]),
    ],
)
def test_rare_levels_are_left_out_of_a_slice(table: list[list[int]], kept: list[int] | None):
    small = np.array(table)
    statistic, df = chi_square(LARGE, [0, 1, 2], [0, 1, 2]), 4
    if kept is not None and len(kept) > 1:
        statistic += chi_square(small, kept, kept)
        df += (len(kept) - 1) ** 2
    found = independence_test(rows_of([small, LARGE]), "chi-square").test("X", "Y", "Z")
    assert found.statistic == pytest.approx(statistic, rel=1e-12)
    assert found.df == df
    assert found.p_value == pytest.approx(stats.chi2.sf(statistic, df), rel=1e-9)


@pytest.mark.parametrize("conflicts", ["first", "confirmed"])
@pytest.mark.parametrize("seed", range(20))
def test_true_separations_give_the_cpdag(conflicts: str, seed: int):
    rng = np.random.default_rng(seed)
    order = rng.permutation(8)
    matrix = np.triu(rng.random((8, 8)) < 0.3, 1)[np.ix_(order, order)]
    dag = Graph.from_adjacency([f"V{k}" for k in range(8)], matrix.astype(int))
    learner = Pc(conflicts=conflicts)
    assert learner.learn_with(separation_test(dag), RNG).graph == cpdag(dag)


def noisy_path(seed: int) -> Dataset:
    """Few rows of five variables, where tests contradict each other."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(25, 5)) @ rng.normal(size=(5, 5))
    return Dataset([Variable(f"V{k}") for k in range(5)], values=values)


def test_confirmed_arrows_are_part_of_a_collider_or_follow_from_rules():
    differing = 0
    for seed in range(60):
        data = noisy_path(seed)
        last = Pc(test="zf", alpha=0.1, conflicts="last").learn(data, RNG).graph
        kept = Pc(test="zf", alpha=0.1, conflicts="confirmed").learn(data, RNG).graph
        assert [n for n in last.names if last.adjacencies(n) != kept.adjacencies(n)] == []
        heads = {edge.right for edge in kept.edges() if edge.connector == "->"}
        unshielded = [
            head
            for head in heads
            for a in kept.parents(head)
            for b in kept.parents(head)
            if a < b and b not in kept.adjacencies(a)
        ]
        # Without any collider nothing is directed.
        assert bool(heads) == bool(unshielded)
        differing += last != kept
    assert differing > 0


def test_one_side_may_keep_an_edge_that_the_other_would_remove():
    dag = Graph.from_edges([("C", "A"), ("B", "C")], names="ABC")
    dag2 = Graph.from_edges([("C", "B"), ("D", "B"), ("A", "C"), ("A", "D")], names="ABCD")
    for true in (dag, dag2):
        both = Pc().learn_with(separation_test(true), RNG)
        one = Pc(one_sided=True).learn_with(separation_test(true), RNG)
        assert one.stats["ntests"] <= both.stats["ntests"]
        assert both.graph == cpdag(true)
    assert "skeleton_only" in Pc(one_sided=True, skeleton_only=True).problem()


def test_names_of_other_packages_choose_their_ways():
    assert TetradPc().native().conflicts == "confirmed"
    assert GcastlePc(variant="stable").native().one_sided
    parallel = GcastlePc(variant="parallel").native()
    assert parallel.stable
    assert not parallel.one_sided


@pytest.mark.parametrize(
    ("test", "parameters"), [("bdeu", {"iss": 10.0}), ("disc-bic", {"penalty_discount": 2.0})]
)
def test_a_score_decides(test: str, parameters: dict[str, float]):
    data = Network.load("asia").sample(500, seed=1).select(["smoke", "bronc", "dysp"])
    asked = independence_test(data, test)
    without = Graph.from_edges([("dysp", "bronc")], names=data.names)
    with_edge = Graph.from_edges([("dysp", "bronc"), ("smoke", "bronc")], names=data.names)
    gain = (
        score_graph(data, with_edge, test, **parameters).total
        - score_graph(data, without, test, **parameters).total
    )
    found = asked.test("smoke", "bronc", "dysp")
    assert found.statistic == pytest.approx(gain, rel=1e-9)
    assert asked.independent("smoke", "bronc", "dysp") == (gain <= 0)
    assert found.p_value == float(gain <= 0)


def test_pc_by_score_finds_a_clear_graph():
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(2, 2000))
    z = x + y + rng.normal(size=2000)
    data = Dataset([Variable(c) for c in "XYZ"], values=np.column_stack([x, y, z]))
    expected = Graph.from_edges([("X", "Z"), ("Y", "Z")], names="XYZ")
    assert Pc(test="sem-bic").learn(data, RNG).graph == expected
