"""Chains in a study: a start graph from another learner, estimates, figures, nothing run twice."""

from __future__ import annotations

import copy
import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dagathlon.data import read_data
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.modules import find
from dagathlon.study.engine.protocol import Summary
from dagathlon.study.plan.task import TaskKind
from dagathlon.workflow import Study

SCORE = {"scoretype": "bge", "chi": None, "edgepf": None, "am": 0.1, "aw": None, "gamma": 1}
COMMON = {"timeout": None, "edgeConstraints": None}
CHAIN = {
    "input_algorithm_id": "space",
    "iterations": 500,
    "stepsave": 5,
    "mcmc_seed": 1,
    "mcmc_estimator": "threshold",
    "threshold": 0.5,
    "burnin_frac": 0.2,
}
STUDY: dict[str, Any] = {
    "benchmark_setup": [
        {
            "title": "samplers",
            "data": [
                {
                    "graph_id": "dag",
                    "parameters_id": "sem",
                    "data_id": "rows",
                    "seed_range": [1, 1],
                }
            ],
            "evaluation": {
                "benchmarks": {"ids": ["search", "orders", "partitions"]},
                "mcmc_traj_plots": [
                    {"id": "orders", "burn_in": 0, "thinning": 1, "functional": "size"}
                ],
                "mcmc_heatmaps": [{"id": "partitions", "burn_in": 0.2}],
                "mcmc_autocorr_plots": [
                    {"id": "orders", "burn_in": 0, "thinning": 1, "lags": 9, "functional": "score"}
                ],
            },
        }
    ],
    "resources": {
        "graph": {"pcalg_randdag": [{"id": "dag", "n": 8, "d": 2}]},
        "parameters": {"sem_params": [{"id": "sem", "min": 0.25, "max": 1}]},
        "data": {"iid": [{"id": "rows", "n": 100, "standardized": True}]},
        "structure_learning_algorithms": {
            "bidag_itsearch": [
                {
                    "id": name,
                    "estimate": estimate,
                    "MAP": False,
                    "plus1it": 2,
                    "posterior": 0.5,
                    "softlimit": 9,
                    "hardlimit": 12,
                    "alpha": 0.05,
                    "cpdag": False,
                    "mergetype": "skeleton",
                    **SCORE,
                    **COMMON,
                }
                for name, estimate in (("search", "map"), ("space", "endspace"))
            ],
            "bidag_order_mcmc": [
                {"id": "orders", "plus1": True, "MAP": False, "alpha": 0.05, "cpdag": False}
                | CHAIN
                | SCORE
                | COMMON
            ],
            "bidag_partition_mcmc": [
                {"id": "partitions", "verbose": False} | CHAIN | SCORE | COMMON
            ],
        },
    },
}


def run(folder: Path, content: dict[str, Any]) -> Summary:
    path = folder / "samplers.json"
    path.write_text(json.dumps(content))
    return Study.load(path).run(folder / "results", jobs=1)


@pytest.mark.slow
def test_a_study_of_samplers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plain_pictures: dict[str, str]
) -> None:
    content = copy.deepcopy(STUDY)
    summary = run(tmp_path, content)
    assert {status for status, _, _ in summary.ran} == {"ok"}
    results = tmp_path / "results" / "samplers"
    with (results / "benchmarks" / "joint_benchmarks.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["status"] for row in rows] == ["ok"] * 3
    for figures in ("mcmc_traj_plots", "mcmc_heatmaps", "mcmc_autocorr_plots"):
        assert list((results / figures).rglob("*.png"))

    # Another estimate from the same chains: no learner runs again.
    evaluation = content["benchmark_setup"][0]["evaluation"]
    content["benchmark_setup"][0]["evaluation"] = {"benchmarks": evaluation["benchmarks"]}
    for name in ("bidag_order_mcmc", "bidag_partition_mcmc"):
        algorithm = content["resources"]["structure_learning_algorithms"][name][0]
        algorithm |= {"mcmc_estimator": ["map", "threshold"], "threshold": 0.4, "burnin_frac": 0}
    monkeypatch.setenv("PYTHONPATH", plain_pictures["PYTHONPATH"])
    again = run(tmp_path, content)
    kinds = {kind for _, kind, _ in again.ran}
    assert TaskKind.ESTIMATE.value in kinds
    assert TaskKind.LEARN.value not in kinds


@pytest.mark.slow
def test_chains_of_one_run_have_a_trajectory_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plain_pictures: dict[str, str]
) -> None:
    monkeypatch.setenv("PYTHONPATH", plain_pictures["PYTHONPATH"])
    content = copy.deepcopy(STUDY)
    chains = {"id": "orders", "iterations": 200, "stepsave": 10, "chains": 3}
    content["resources"]["structure_learning_algorithms"] = {
        "order_mcmc": [chains | {"timeout": None}]
    }
    setup = content["benchmark_setup"][0]["evaluation"]
    trajectories = [one for one in setup["mcmc_traj_plots"] if one["id"] == "orders"]
    content["benchmark_setup"][0]["evaluation"] = {"mcmc_traj_plots": trajectories}
    assert {status for status, _, _ in run(tmp_path, content).ran} == {"ok"}
    table = tmp_path / "results" / "samplers" / "mcmc_traj_plots" / "mcmc_filled_trajs.csv"
    with table.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    labels = [f"1, chain {number}" for number in (1, 2, 3)]
    assert list(dict.fromkeys(row["mcmc_seed"] for row in rows)) == labels
    found = [[row["sample"] for row in rows if row["mcmc_seed"] == label] for label in labels]
    assert found[0] == found[1] == found[2]


def test_a_learner_that_takes_no_start_graph_says_so() -> None:
    data = read_data(np.random.default_rng(1).normal(size=(50, 3)))
    learner: Any = find("algorithm", "pcalg_pc").from_json({})
    with pytest.raises(DataError, match="cannot start from a graph"):
        learner.learn(data, np.random.default_rng(1), start=Graph(data.names))
