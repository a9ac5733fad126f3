"""Runs of several starts as one, and free parameters of networks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dagathlon.data import Dataset, Network
from dagathlon.evaluations.noise.runs import free_parameters, run_of_starts
from dagathlon.evaluations.noise.tables import NoiseRun, NoiseStudyTables
from dagathlon.graphs import Graph

FOUND: dict[str, Any] = {
    **{"status": "ok", "bayesys_shd": 2.0, "bsf": 0.8, "bayesys_f1": 0.8, "time": 1.0},
    **{"bayesys_precision": 0.8, "bayesys_recall": 0.8},
    **{"TP_skel": 6, "FP_skel": 2, "true_n_edges_skel": 8},
}
EMPTY = FOUND | {
    **{"bayesys_shd": 8.0, "bsf": 0.0, "bayesys_f1": None, "bayesys_precision": None},
    **{"bayesys_recall": 0.0, "TP_skel": 0, "FP_skel": 0},
}
FAILED = {"status": "error"}


def _run(*starts: dict[str, Any]) -> NoiseRun:
    return run_of_starts(("asia", "N", 100, 1, "rfci-bsc"), starts, None)


def test_starts_without_an_edge_count_in_the_mean() -> None:
    run = _run(FOUND, *[EMPTY] * 9)
    assert (run.f1, run.precision) == (pytest.approx(0.08), pytest.approx(0.08))
    assert (run.shd, run.recall, run.n_edges) == pytest.approx((7.4, 0.08, 0.8))
    assert (run.failure, run.starts, run.failed_starts) == (None, 10, 0)


def test_failed_starts_are_counted_and_charged() -> None:
    """Scores are of those that finished; nine of ten starts count the limit of 11 s."""
    run = _run(FOUND, *[FAILED] * 9)
    assert (run.f1, run.failure, run.starts, run.failed_starts) == (0.8, None, 10, 9)
    study = NoiseStudyTables.of([run], 11.0, resamples=1)
    assert study.run_times()[0]["total"] == pytest.approx(10.0)
    row = study.failures()[0]
    assert (row["error"], row["failed_starts"], row["runs"]) == (0, 9, 1)
    lost = _run(*[FAILED] * 10)
    assert (lost.f1, lost.failure, lost.failed_starts) == (None, "error", 10)
    row = NoiseStudyTables.of([lost], 11.0, resamples=1).failures()[0]
    assert (row["error"], row["failed_starts"], row["runs"]) == (1, 0, 1)


@pytest.mark.parametrize(("name", "number"), [("asia", 18), ("alarm", 509)])
def test_free_parameters_are_those_of_the_network(name: str, number: int) -> None:
    network = Network.load(name)
    data = network.sample(5, seed=1)
    assert free_parameters(network.graph, data) == number


def test_an_equation_has_coefficients_intercept_and_variance() -> None:
    graph = Graph.from_adjacency(("a", "b"), np.array([[0, 1], [0, 0]]))
    data = Dataset.from_numpy(np.array([[0.1, 0.3], [0.2, 0.4]]), names=("a", "b"))
    assert free_parameters(graph, data) == 5
