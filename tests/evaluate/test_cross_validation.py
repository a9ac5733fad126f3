"""Rows that neither graph nor parameters have seen, against plain NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from dagathlon.data import Dataset, Network, Variable
from dagathlon.evaluate.models.cross_validation import PredictedRows, cross_validate, joined_folds
from dagathlon.graphs import Graph
from dagathlon.learners.api import learn
from dagathlon.learners.base import Estimate
from dagathlon.simulate.resampling import Fold

ASIA = Network.load("asia")


def plain_discrete(graph: Graph, training: Dataset, test: Dataset, size: float) -> Any:
    """Log-likelihoods of rows by counting, cell by cell."""
    total = np.zeros(len(test))
    for name in graph.names:
        parents = graph.parents(name)
        arities = [len(training.variables[training.position(n)].levels) for n in (*parents, name)]
        for row in range(len(test)):
            same = np.ones(len(training), dtype=bool)
            for parent in parents:
                same &= training.column(parent) == test.column(parent)[row]
            hits = (same & (training.column(name) == test.column(name)[row])).sum()
            imaginary = size / math.prod(arities)
            total[row] += math.log((hits + imaginary) / (same.sum() + imaginary * arities[-1]))
    return total


def test_discrete_rows_by_counting() -> None:
    data = ASIA.sample(60, seed=4)
    training, test = data.take(np.arange(40)), data.take(np.arange(40, 60))
    found = PredictedRows(sample_size=0.7).compute(training, test, Estimate(ASIA.graph))
    rows = plain_discrete(ASIA.graph, training, test, 0.7)
    kept = found["predicted_rows"]
    assert kept["blocks"] == pytest.approx(rows.tolist())
    assert (kept["rows"], kept["mean"]) == (20, pytest.approx(rows.mean()))
    assert kept["spread"] == pytest.approx(((rows - rows.mean()) ** 2).sum())


def test_a_level_that_training_has_not_seen_has_the_priors_probability() -> None:
    variables = [Variable("A", ("x", "y", "z"))]
    training = Dataset(variables, codes=np.array([[0], [1]], dtype=np.uint8))
    test = Dataset(variables, codes=np.array([[2]], dtype=np.uint8))
    found = PredictedRows(sample_size=3).compute(training, test, Estimate(Graph("A")))
    assert found["predicted_rows"]["mean"] == pytest.approx(math.log(1 / 5))


def test_continuous_rows_by_least_squares() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=50)
    values = np.column_stack([x, 1.5 * x + rng.normal(size=50)])
    data = Dataset([Variable("x"), Variable("y")], values=values)
    training, test = data.take(np.arange(30)), data.take(np.arange(30, 50))
    found = PredictedRows().compute(training, test, Estimate(Graph.from_edges(["x -> y"])))
    slope, intercept = np.polyfit(values[:30, 0], values[:30, 1], 1)
    rows = np.zeros(20)
    fits = (
        (values[:, 0], np.full(50, values[:30, 0].mean())),
        (values[:, 1], intercept + slope * values[:, 0]),
    )
    for value, mean in fits:
        variance = np.mean((value[:30] - mean[:30]) ** 2)
        rows -= 0.5 * np.log(2 * np.pi * variance) + (value[30:] - mean[30:]) ** 2 / (2 * variance)
    assert found["predicted_rows"]["blocks"] == pytest.approx(rows.tolist())


def test_gaps_are_left_out_on_both_sides() -> None:
    values = np.random.default_rng(3).normal(size=(20, 2))
    values[[2, 12], 0] = np.nan
    data = Dataset([Variable("x"), Variable("y")], values=values)
    graph = Estimate(Graph.from_edges(["x -> y"]))
    found = PredictedRows().compute(data.take(np.arange(10)), data.take(np.arange(10, 20)), graph)
    assert found["predicted_rows"]["rows"] == 9
    nothing = data.take(np.array([2, 12]))
    found = PredictedRows().compute(nothing, data, graph)
    assert "no row without missing values" in found["predicted_rows"]["note"]


def fold(*rows: float) -> dict[str, Any]:
    mean = float(np.mean(rows))
    spread = float(np.sum((np.array(rows) - mean) ** 2))
    return {
        "predicted_rows": {"rows": len(rows), "mean": mean, "spread": spread, "blocks": list(rows)}
    }


def test_folds_are_joined_as_if_their_rows_were_there() -> None:
    rows = np.array([-1.0, -3.0, -2.5, -9.0, 0.5])
    found = joined_folds([fold(*rows[:2]), fold(*rows[2:4]), fold(rows[4])])
    assert found.mean == pytest.approx(rows.mean())
    assert found.error == pytest.approx(rows.std(ddof=1) / math.sqrt(5))
    assert (found.rows, found.blocks) == (5, tuple(rows))


def test_a_fold_without_numbers_is_said() -> None:
    missing = joined_folds([fold(-1.0), None, None])
    assert (missing.mean, missing.note) == (None, "nothing was learned in 2 of 3 folds")
    note = {"predicted_rows": {"note": "no density"}}
    assert joined_folds([note, fold(-1.0)]).note == "no density (in 1 of 2 folds)"
    assert joined_folds([note, note]).note == "no density"


def test_a_learner_is_run_again_in_every_fold() -> None:
    data = ASIA.sample(60, seed=5)
    found = cross_validate(data, "hc[score=bdeu]", folds=3, iss=2.0, seed=7)
    rows = []
    for number in (1, 2, 3):
        fold = Fold(number=number, folds=3)
        kept, left = (
            one.apply(data, np.random.Generator(np.random.Philox(key=7)))
            for one in (fold, Fold(number=number, folds=3, left_out=True))
        )
        graph = learn(kept, "hc", score="bdeu", iss=2.0, seed=7).graph
        rows += plain_discrete(graph, kept, left, 2.0).tolist()
    assert found.mean == pytest.approx(np.mean(rows))
    assert found.error == pytest.approx(np.std(rows, ddof=1) / math.sqrt(60))
    same = cross_validate(data, "hc[score=bdeu,iss=2]", folds=3, seed=7, sample_size=100)
    assert same == found
