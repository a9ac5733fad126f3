"""Networks fitted on a learned graph, and the probability of other data."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dagathlon.data import Dataset, LinearSem, Network, Variable, read_data
from dagathlon.errors import DataError, GraphError
from dagathlon.evaluate import (
    cross_validated_log_likelihood,
    fit,
    gaussian_cross_entropy,
    held_out_log_likelihood,
)
from dagathlon.graphs import Graph, cpdag
from strategies import continuous

CHAIN = Graph.from_edges(["A -> B", "B -> C"])
SEM = LinearSem("ABC", [[0, 0.8, 0], [0, 0, -0.5], [0, 0, 0]], [1.0, 0.5, 2.0])


def discrete(*columns: list[int]) -> Dataset:
    codes = np.array(columns, dtype=np.uint8).T
    return Dataset([Variable(name, ("no", "yes")) for name in "AB"[: len(columns)]], codes=codes)


def test_a_table_by_hand() -> None:
    data = discrete([0, 0, 0, 1], [0, 0, 1, 1])
    graph = Graph.from_edges(["A -> B"])
    counted = fit(graph, data, sample_size=0)
    assert counted.distribution("A").probabilities.tolist() == [0.75, 0.25]
    assert counted.distribution("B").probabilities[1].tolist() == [0, 1]
    # BDeu: each of the four cells of B's table gets 1/4 of an observation.
    smoothed = fit(graph, data).distribution("B").probabilities
    assert smoothed[0] == pytest.approx([2.25 / 3.5, 1.25 / 3.5])
    assert smoothed[1] == pytest.approx([0.25 / 1.5, 1.25 / 1.5])


def test_a_regression_against_numpy() -> None:
    data = SEM.sample(200, np.random.default_rng(1))
    found = fit(CHAIN, data).distribution("B")
    slope, intercept = np.polyfit(data.column("A"), data.column("B"), 1)
    assert found.coefficients.tolist() == pytest.approx([slope])
    assert float(found.intercept) == pytest.approx(intercept)
    residuals = data.column("B") - intercept - slope * data.column("A")
    assert float(found.sd) == pytest.approx(np.sqrt(np.mean(residuals**2)))


def test_markov_equivalent_graphs_are_equally_probable() -> None:
    rng = np.random.default_rng(2)
    training, test = SEM.sample(300, rng), SEM.sample(300, rng)
    turned = Graph.from_edges(["C -> B", "B -> A"], names="ABC")
    expected = held_out_log_likelihood(CHAIN, training, test)
    assert held_out_log_likelihood(turned, training, test) == pytest.approx(expected)
    assert held_out_log_likelihood(cpdag(CHAIN), training, test) == pytest.approx(expected)


def test_the_true_graph_is_more_probable_than_the_empty_one() -> None:
    network = Network.load("asia")
    training, test = network.sample(2000, 1), network.sample(2000, 2)
    own = network.log_likelihood(test) / len(test)
    true = held_out_log_likelihood(network.graph, training, test)
    empty = held_out_log_likelihood(Graph(network.names), training, test)
    assert empty < true < own
    assert own - true < 0.02


def test_cross_entropy_is_what_long_samples_show() -> None:
    rng = np.random.default_rng(3)
    network = fit(Graph("ABC"), SEM.sample(100, rng))
    exact = gaussian_cross_entropy(network, SEM)
    long = SEM.sample(200_000, rng)
    assert exact == pytest.approx(-network.log_likelihood(long) / len(long), abs=0.01)


def test_the_least_cross_entropy_is_the_entropy() -> None:
    fitted = fit(CHAIN, SEM.sample(400_000, np.random.default_rng(4)))
    entropy = sum(0.5 * math.log(2 * math.pi * math.e * variance) for variance in SEM.variances)
    assert gaussian_cross_entropy(fitted, SEM) == pytest.approx(entropy, abs=1e-4)
    with pytest.raises(GraphError, match="Gaussian"):
        gaussian_cross_entropy(Network.load("asia"), SEM)


def test_cross_validation_leaves_each_row_out_once() -> None:
    data = SEM.sample(40, np.random.default_rng(5))
    total = 0.0
    for k in range(4):
        kept = [i for i in range(40) if i % 4 != k]
        network = fit(CHAIN, data.take(kept))
        total += network.log_likelihood(data.take([i for i in range(40) if i % 4 == k]))
    assert cross_validated_log_likelihood(CHAIN, data, 4) == pytest.approx(total / 40)
    with pytest.raises(DataError, match="41 folds"):
        cross_validated_log_likelihood(CHAIN, data, 41)


def test_rows_with_gaps_are_left_out() -> None:
    values = SEM.sample(50, np.random.default_rng(6)).to_matrix()
    gap = values.copy()
    gap[0, 1] = np.nan
    assert fit(CHAIN, continuous(gap, "ABC")) == fit(CHAIN, continuous(values[1:], "ABC"))


def test_what_cannot_be_fitted() -> None:
    rows = [[1.0, 2.0, 3.0], [2.0, 4.0, 3.0], [3.0, 6.0, 3.5]]
    with pytest.raises(DataError, match="without noise"):
        fit(CHAIN, continuous(rows, "ABC"))
    with pytest.raises(DataError, match="no row"):
        fit(CHAIN, continuous([[np.nan, 1.0, 1.0]], "ABC"))
    mixed = read_data(np.array([[0.5], [1.5]]), names=["A"], kinds={"A": "continuous"})
    assert fit(Graph("A"), mixed).kind == "gaussian"
    with pytest.raises(GraphError):
        fit(Graph.from_edges(["A <-> B"]), mixed)
