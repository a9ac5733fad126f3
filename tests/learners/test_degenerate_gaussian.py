"""The degenerate Gaussian score of mixed data: determinants, equivalence, singular data."""

from __future__ import annotations

import itertools
import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagathlon.data import Dataset, Variable
from dagathlon.graphs import Graph, cpdag, members
from dagathlon.learners import learn
from dagathlon.learners.score.score_kinds import ScoreParameters
from dagathlon.learners.score.scores import native_score, score_graph
from strategies import random_dag

NAMES = tuple("ABCDE")
DISCRETE = (True, False, True, False, True)


def mixed(rng: np.random.Generator, n: int = 120, levels: int = 4) -> Dataset:
    """Columns of both kinds that depend on each other."""
    codes = rng.integers(0, levels, (n, 3))
    codes[:, 1] = np.where(rng.random(n) < 0.6, codes[:, 0], codes[:, 1])
    values = rng.normal(size=(n, 2)) + codes[:, :2]
    return of(codes, values, levels)


def of(codes: npt.NDArray[np.int64], values: npt.NDArray[np.float64], levels: int) -> Dataset:
    labels = tuple(map(str, range(levels)))
    variables = [
        Variable(name, labels if discrete else None)
        for name, discrete in zip(NAMES, DISCRETE, strict=True)
    ]
    return Dataset(variables, codes=codes.astype(np.uint8), values=values)


def blocks(data: Dataset) -> dict[str, npt.NDArray[np.float64]]:
    """Each variable's columns: its values, or indicators of all levels but the first."""
    found = {}
    for variable in data.variables:
        column = data.column(variable.name)
        if not variable.is_discrete:
            found[variable.name] = column[:, None]
            continue
        present = sorted(set(column.tolist()))
        found[variable.name] = np.stack([column == k for k in present[1:]], axis=1).astype(float)
    return found


def by_determinants(data: Dataset, graph: Graph, k: float) -> float:
    """Gaussian likelihoods of sets of columns: that of a family less that of the parents."""
    columns = blocks(data)

    def of_set(names: list[str]) -> float:
        if not names:
            return 0.0
        joined = np.hstack([columns[name] for name in names])
        n, d = joined.shape
        covariance = np.atleast_2d(np.cov(joined, rowvar=False, bias=True))
        _, log_determinant = np.linalg.slogdet(covariance)
        likelihood = -n / 2 * (d * math.log(2 * math.pi * math.e) + log_determinant)
        return float(likelihood) - k * d * (d + 3) / 2

    return sum(
        of_set([name, *graph.parents(name)]) - of_set(list(graph.parents(name)))
        for name in graph.names
    )


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_scores_are_differences_of_determinants(seed: int) -> None:
    rng = np.random.default_rng(seed)
    data, graph = mixed(rng), random_dag(NAMES, rng, 0.5)
    for score, k in (("loglik-dg", 0.0), ("aic-dg", 1.0), ("bic-dg", math.log(len(data)) / 2)):
        expected = by_determinants(data, graph, k)
        assert score_graph(data, graph, score).total == pytest.approx(expected, rel=1e-6)


def singular(rng: np.random.Generator) -> Dataset:
    """A copy, a constant, a coarser level, and indicators of a single row."""
    base = mixed(rng, 60)
    codes, values = base.codes.astype(int), base.values.copy()
    kind = rng.integers(5)
    if kind == 0:
        codes[:, 2] = codes[:, 0] // 2
    elif kind == 1:
        codes[:, 2] = 1
    elif kind == 2:
        values[:, 1] = values[:, 0] * 3 - 1
    elif kind == 3:
        codes[:, :2] = 0
        codes[7, :2] = 1
    else:
        values[:, 1] = 2.5
    return of(codes, values, 4)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), degenerate=st.booleans())
def test_equivalent_graphs_have_equal_scores_on_any_data(seed: int, degenerate: bool) -> None:
    rng = np.random.default_rng(seed)
    data = singular(rng) if degenerate else mixed(rng)
    some = itertools.islice(members(cpdag(random_dag(NAMES, rng, 0.5))), 12)
    totals = [score_graph(data, member, "bic-dg").total for member in some]
    assert np.isfinite(totals).all()
    # What rounding leaves of a variance of 1e-8 is not exact to more digits.
    assert totals == pytest.approx([totals[0]] * len(totals), rel=1e-7 if degenerate else 1e-11)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_additions_are_the_scores_of_larger_families_on_singular_data(seed: int) -> None:
    rng = np.random.default_rng(seed)
    native = native_score(singular(rng), "bic-dg", ScoreParameters())
    child = int(rng.integers(5))
    others = [i for i in range(5) if i != child]
    parents = sorted(rng.permutation(others)[: rng.integers(4)].tolist())
    found = native.additions(child, parents)
    for x in set(others) - set(parents):
        assert found[x] == pytest.approx(native.local(child, [*parents, x]), rel=1e-10)


def test_a_level_of_a_single_row_says_nothing() -> None:
    rng = np.random.default_rng(3)
    codes = np.zeros((50, 3), int)
    codes[:, 2] = rng.integers(0, 2, 50)
    codes[20, :2] = 1  # the only row of that level, in both variables
    data = of(codes, rng.normal(size=(50, 2)), 2)
    assert learn(data, "hc", score="bic-dg").graph == Graph(NAMES)
    identity = of(np.stack([np.arange(50)] * 3, axis=1), rng.normal(size=(50, 2)), 50)
    assert learn(identity, "hc").graph == Graph(NAMES)


def test_a_constant_column_gains_nothing_and_a_copy_is_found() -> None:
    rng = np.random.default_rng(5)
    base = mixed(rng, 200)
    values = np.column_stack([base.values[:, 0], np.ones(200)])
    codes = base.codes.astype(int)
    codes[:, 2] = codes[:, 0]
    graph = learn(of(codes, values, 4), "ges").graph
    assert graph.adjacencies("D") == ()
    assert "E" in graph.adjacencies("A")


def test_families_without_a_degree_of_freedom_are_never_chosen() -> None:
    rng = np.random.default_rng(6)
    codes = np.stack([rng.permutation(np.repeat(np.arange(4), 2)) for _ in range(3)], axis=1)
    data = of(codes, rng.normal(size=(8, 2)), 4)
    graph = Graph.from_edges([(name, "E") for name in "ABCD"], names=NAMES)
    assert score_graph(data, graph, "bic-dg").total == -math.inf
    assert np.isfinite(float(learn(data, "hc").stats["score"]))


def test_rows_in_which_a_variable_was_set_are_left_out_of_its_own_term() -> None:
    rng = np.random.default_rng(8)
    base = mixed(rng, 200)
    half = np.repeat([0, 1], 100)
    regimes = ([set(), {"B"}], half)
    data = Dataset(base.variables, codes=base.codes, values=base.values, regimes=regimes)
    graph = Graph.from_edges(["A -> B", "B -> C"], names=NAMES)
    k = math.log(200) / 2
    rest = score_graph(base.take(np.flatnonzero(half == 0)), graph, "loglik-dg").by_node
    found = score_graph(data, graph, "l0-dg", k=k).by_node
    every = score_graph(base, graph, "bic-dg", k=k).by_node
    # B has three columns of A to regress on, a mean and a variance.
    assert found["B"] == pytest.approx(rest["B"] - k * (3 + 2))
    assert found["C"] == pytest.approx(every["C"])


@pytest.mark.parametrize("name", ["boss", "hc", "grasp"])
def test_a_constant_column_has_no_arcs(name: str) -> None:
    data = mixed(np.random.default_rng(1))
    codes = data.codes.astype(np.int64)
    codes[:, 2] = 0
    found = learn(of(codes, data.values, 4), name).graph
    assert not found.adjacencies("E")
