"""Graphs held against data without a truth: rows held out, independences, edges."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from dagathlon.data import Dataset, LinearSem, Variable
from dagathlon.errors import DataError, GraphError
from dagathlon.evaluate.models.likelihood import cross_validated_rows
from dagathlon.evaluate.models.mixed_likelihood import mixed_row_log_likelihoods
from dagathlon.evaluations.no_truth.checks import (
    Statement,
    audit,
    edges_as_dependences,
    implied_independences,
)
from dagathlon.evaluations.no_truth.scores import (
    HeldOutRows,
    ImpliedIndependences,
    paired_difference,
)
from dagathlon.graphs import Graph, cpdag, pag, separated
from dagathlon.learners.base import Estimate

COLLIDER = Graph.from_edges(["A -> C", "B -> C"], names="ABC")
CHAIN = Graph.from_edges(["A -> B", "B -> C"])
# A → B → C → D and A → D, each path strong.
SEM = LinearSem(
    "ABCD",
    [[0, 0.9, 0, 0.7], [0, 0, 0.9, 0], [0, 0, 0, 0.7], [0, 0, 0, 0]],
    [1.0, 0.5, 0.5, 0.5],
)


def mixed(n: int, seed: int = 3) -> Dataset:
    """Sex and smoking (levels), age (normal), pressure (by age and smoking)."""
    rng = np.random.default_rng(seed)
    sex, age = rng.integers(0, 2, n), rng.normal(50, 10, n)
    smoke = (rng.random(n) < 1 / (1 + np.exp(-(age - 50) / 5))).astype(int)
    pressure = 90 + 0.5 * age + 8 * smoke + rng.normal(0, 4, n)
    return Dataset(
        [
            Variable("sex", ("f", "m")),
            Variable("smoke", ("no", "yes")),
            Variable("age"),
            Variable("pressure"),
        ],
        codes=np.column_stack([sex, smoke]).astype(np.uint8),
        values=np.column_stack([age, pressure]),
    )


def test_held_out_rows_of_gaussian_data_against_numpy_and_scipy() -> None:
    data = SEM.sample(90, np.random.default_rng(5))
    found = cross_validated_rows(CHAIN, data.select(tuple("ABC")), folds=3)
    a, b, c = (data.column(name) for name in "ABC")
    expected = np.zeros(90)
    for k in range(3):
        test = np.arange(90) % 3 == k
        train = ~test
        expected[test] += stats.norm.logpdf(a[test], a[train].mean(), a[train].std())
        for x, y in ((a, b), (b, c)):
            slope, intercept = np.polyfit(x[train], y[train], 1)
            spread = np.std(y[train] - intercept - slope * x[train])
            expected[test] += stats.norm.logpdf(y[test], intercept + slope * x[test], spread)
    assert found == pytest.approx(expected)


def test_a_continuous_child_has_a_regression_for_each_level() -> None:
    data = mixed(400)
    training, test = data[:300], data[300:]
    graph = Graph.from_edges(["age -> pressure", "smoke -> pressure"], names=data.names)
    found = mixed_row_log_likelihoods(graph, training, test)
    sex, smoke = (training.column(n).astype(int) for n in ("sex", "smoke"))
    age, pressure = training.column("age"), training.column("pressure")
    expected = stats.norm.logpdf(test.column("age"), age.mean(), age.std())
    for codes, name in ((sex, "sex"), (smoke, "smoke")):
        shares = (np.bincount(codes, minlength=2) + 0.5) / 301
        expected = expected + np.log(shares[test.column(name).astype(int)])
    for level in (0, 1):
        mine, rows = smoke == level, test.column("smoke") == level
        slope, intercept = np.polyfit(age[mine], pressure[mine], 1)
        spread = np.std(pressure[mine] - intercept - slope * age[mine])
        mean = intercept + slope * test.column("age")[rows]
        expected[rows] += stats.norm.logpdf(test.column("pressure")[rows], mean, spread)
    assert found == pytest.approx(expected)


def test_a_discrete_child_of_a_continuous_parent_follows_bayes_rule() -> None:
    data = mixed(400)
    training, test = data[:300], data[300:]
    graph = Graph.from_edges(["age -> smoke"], names=data.names)
    apart = mixed_row_log_likelihoods(graph, training, test)
    apart = apart - mixed_row_log_likelihoods(Graph(data.names), training, test)
    codes, age = training.column("smoke").astype(int), training.column("age")
    counts = np.bincount(codes, minlength=2)
    centre = (age.sum() + age.mean()) / 301
    means = [(age[codes == k].sum() + centre) / (counts[k] + 1) for k in (0, 1)]
    variance = np.mean((age - np.take(means, codes)) ** 2) + 1e-6 * age.var()
    shares = (counts + 0.5) / 301
    joint = np.stack(
        [
            p * stats.norm.pdf(test.column("age"), m, math.sqrt(variance))
            for p, m in zip(shares, means, strict=True)
        ]
    )
    observed = test.column("smoke").astype(int)
    chosen = (joint / joint.sum(axis=0))[observed, np.arange(100)]
    assert apart == pytest.approx(np.log(chosen) - np.log(shares[observed]))
    assert apart.mean() > 0.1  # age says much about smoking here


def test_rare_configurations_share_a_regression_and_no_noise_is_refused() -> None:
    data = mixed(60)
    graph = Graph.from_edges(["sex -> age", "smoke -> age"], names=data.names)
    assert np.isfinite(mixed_row_log_likelihoods(graph, data[:12], data[12:])).all()
    copied = Dataset(
        [Variable("k", ("a", "b")), Variable("x"), Variable("y")],
        codes=data.codes[:, :1],
        values=np.column_stack([data.values[:, 0], 2 * data.values[:, 0]]),
    )
    with pytest.raises(DataError, match="without noise"):
        mixed_row_log_likelihoods(Graph.from_edges(["x -> y"], "kxy"), copied, copied)


def test_rows_in_which_a_variable_was_set_say_nothing_about_it() -> None:
    data = mixed(40)
    rows = np.arange(40, dtype=np.uint16) % 2
    targets = [(), ("age",)]
    set_age = Dataset(data.variables, data.codes, data.values, (targets, rows))
    graph = Graph(data.names)
    found = mixed_row_log_likelihoods(graph, set_age, set_age)
    own = data.column("age")[rows == 0]
    plain = mixed_row_log_likelihoods(graph, data, data)
    density = stats.norm.logpdf(data.column("age"), own.mean(), own.std())
    everywhere = stats.norm.logpdf(
        data.column("age"), data.column("age").mean(), data.column("age").std()
    )
    assert found == pytest.approx(plain - everywhere + np.where(rows == 0, density, 0))


def test_what_has_no_likelihood_says_why() -> None:
    data = SEM.sample(50, np.random.default_rng(1)).select(tuple("ABC"))
    step = HeldOutRows(folds=5)
    (row,) = step.compute(data, Estimate(pag(COLLIDER))).values()
    assert "hidden variables" in row["note"]
    square = Graph.from_edges(["A - B", "B - C", "C - D", "D - A"])
    (row,) = step.compute(SEM.sample(50, np.random.default_rng(1)), Estimate(square)).values()
    assert "chordal" in row["note"]
    (row,) = step.compute(data, Estimate(cpdag(CHAIN))).values()
    (same,) = step.compute(data, Estimate(CHAIN)).values()
    assert row["rows"] == 50
    assert row["mean"] == pytest.approx(np.mean(row["blocks"]))
    assert row["blocks"] == pytest.approx(same["blocks"])
    (empty,) = step.compute(data).values()
    assert empty["mean"] < row["mean"]


def test_many_rows_are_kept_as_means_of_neighbours() -> None:
    data = SEM.sample(2500, np.random.default_rng(1)).select(tuple("AB"))
    (row,) = HeldOutRows(folds=2).compute(data).values()
    assert (row["rows"], len(row["blocks"])) == (2500, 1000)


def test_paired_differences_by_hand() -> None:
    found = paired_difference([1.0, 2.0, 4.0], [0.0, 2.0, 2.0])
    assert found == (pytest.approx(1.0), pytest.approx(1 / math.sqrt(3)))
    assert paired_difference([1.0], [0.5]) == (0.5, None)


def test_one_independence_for_each_missing_edge_and_all_hold_in_the_graph() -> None:
    dag = Graph.from_edges(["A -> B", "B -> C", "A -> D", "C -> D", "E -> C"])
    assert len(implied_independences(dag)) == 10 - 5
    graphs = [dag, cpdag(dag), pag(dag), Graph.from_edges(["A - B", "B - C", "C - D", "D - A"])]
    for graph in graphs:
        found = implied_independences(graph)
        assert len(found) == len(graph) * (len(graph) - 1) // 2 - graph.n_edges
        member = dag if graph.kind in ("pag", "cpdag") else graph
        assert all(separated(member, x, y, given) for x, y, given in found)


def test_edges_are_given_the_other_parents() -> None:
    assert edges_as_dependences(COLLIDER) == [
        Statement("A", "C", ("B",)),
        Statement("B", "C", ("A",)),
    ]
    square = Graph.from_edges(["A - B", "B - C", "C - D", "D - A"])
    assert Statement("A", "B", ("C",)) in edges_as_dependences(square)
    assert edges_as_dependences(pag(COLLIDER)) == []


def test_a_wrong_graph_is_found_out() -> None:
    data = SEM.sample(400, np.random.default_rng(2))
    true = Graph.from_edges(["A -> B", "B -> C", "C -> D", "A -> D"])
    right = audit(true, data)
    assert (right.statements, right.tested, right.rejected, right.needless) == (2, 2, [], [])
    # Without A → D the graph says that the two are independent; B → D is needed in its place.
    wrong = audit(Graph.from_edges(["A -> B", "B -> C", "C -> D", "B -> D"]), data)
    assert [one.statement for one in wrong.rejected] == [Statement("D", "A", ("B", "C"))]
    assert wrong.needless == []
    # The p-value is that of the partial correlation.
    matrix = data.to_matrix()
    given = np.column_stack([np.ones(400), matrix[:, [1, 2]]])
    rest = matrix - given @ np.linalg.lstsq(given, matrix, rcond=None)[0]
    r = np.corrcoef(rest[:, 0], rest[:, 3])[0, 1]
    t = r * math.sqrt((400 - 4) / (1 - r * r))
    (one,) = wrong.rejected
    assert one.p_value == pytest.approx(2 * stats.t.sf(abs(t), 396), rel=1e-6)
    assert one.adjusted == pytest.approx(2 * one.p_value)


def test_an_edge_too_many_is_not_needed() -> None:
    data = SEM.sample(400, np.random.default_rng(7))
    dense = Graph.from_edges(["A -> B", "B -> C", "A -> C", "C -> D", "A -> D", "B -> D"])
    found = audit(dense, data)
    assert found.statements == 0
    assert {one.statement[:2] for one in found.needless} == {("A", "C"), ("B", "D")}
    assert all(one.p_value > 0.05 for one in found.needless)


def test_few_of_many_independences_are_spread_over_all() -> None:
    data = SEM.sample(100, np.random.default_rng(1))
    found = audit(Graph("ABCD"), data, most=3)
    assert (found.statements, found.tested) == (6, 3)
    assert found.rejected


def test_rows_with_gaps_are_left_out() -> None:
    data = SEM.sample(60, np.random.default_rng(1))
    values = data.values.copy()
    values[::6, 0] = np.nan
    gaps = Dataset(data.variables, values=values)
    graph = Graph("ABCD")
    assert audit(graph, gaps).test == "cor.td"
    complete = audit(graph, data.take(np.flatnonzero(np.arange(60) % 6)), test="zf")
    assert audit(graph, gaps, test="zf") == complete


def test_a_graph_over_other_names_is_refused_and_notes_say_why() -> None:
    data = SEM.sample(60, np.random.default_rng(1))
    with pytest.raises(GraphError, match="columns of the data"):
        audit(CHAIN, data)
    step = ImpliedIndependences()
    (row,) = step.compute(data, Estimate(CHAIN)).values()
    assert "columns of the data" in row["note"]
    (row,) = step.compute(data.select(tuple("ABC")), Estimate(CHAIN)).values()
    assert (row["statements"], row["edges"], row["test"]) == (1, 2, "cor")
    assert "no such" not in ImpliedIndependences(test="zf").problem()
    assert "independence test" in ImpliedIndependences(test="zz").problem()
