"""Benchpress's data modules: the same meaning, and every data object of its configs."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dagathlon.benchpress.data import GcastleIidsim, MvpcGenData
from dagathlon.data import Dataset, LinearSem
from dagathlon.errors import StudyError
from dagathlon.modules import find
from dagathlon.simulate.erdos_renyi import ErdosRenyi
from dagathlon.simulate.linear_sem import RandomLinearSem
from dagathlon.study.config.expand import expand
from dagathlon.study.config.json_source import Node
from dagathlon.study.engine.execute import execute
from dagathlon.study.plan.task import TaskKind, random_stream
from dagathlon.workflow import Study
from strategies import stream

GRAPH = ErdosRenyi(nodes=20, neighbours=4).sample(np.random.default_rng(1))
MODEL = RandomLinearSem().sample(GRAPH, np.random.default_rng(2))
SINGLE = LinearSem("A", [[0]])


@pytest.mark.parametrize(
    ("sem_type", "mean", "variance"),
    [
        ("gauss", 0, 1),
        ("exp", 1, 1),
        ("gumbel", np.euler_gamma, np.pi**2 / 6),
        ("uniform", 0, 1 / 3),
    ],
)
def test_linear_noise_is_not_centred(sem_type, mean, variance) -> None:
    data = GcastleIidsim(n=100_000, sem_type=sem_type, noise_scale=3).sample(SINGLE, stream())
    assert data.values.mean() == pytest.approx(3 * mean, abs=0.06)
    assert data.values.var() == pytest.approx(9 * variance, rel=0.04)


def test_the_logistic_model_is_binary() -> None:
    data = GcastleIidsim(n=50, sem_type="logistic").sample(MODEL, stream())
    assert data.arities == (2,) * 20


@pytest.mark.parametrize("sem_type", ["mlp", "mim", "gp", "gp-add", "quadratic"])
def test_nonlinear_models(sem_type) -> None:
    generator = GcastleIidsim(n=40, method="nonlinear", sem_type=sem_type, standardized=True)
    data = generator.sample(MODEL, stream())
    assert np.allclose(data.values.std(axis=0, ddof=1), 1)


def test_types_belong_to_a_method() -> None:
    with pytest.raises(StudyError, match="'mlp' belongs to method 'nonlinear'"):
        GcastleIidsim.from_json({"method": "linear", "sem_type": "mlp"})


@pytest.mark.parametrize(
    ("given", "low"),
    [({"p_missing_e": 0.2}, 0.2), ({"p_missing_e": 0.2, "p_missing_l": 0.3}, 0.3)],
)
def test_both_names_of_the_low_probability(given, low) -> None:
    module = MvpcGenData.from_json({"mode": "mcar", "p_missing_h": low, **given})
    data = module.sample(MODEL, stream())
    lost = np.isnan(data.values).mean(axis=0)
    assert (lost > 0).sum() == 6
    assert np.allclose(lost[lost > 0], low, atol=0.07)


@pytest.mark.shared
def test_all_data_objects_of_the_configs_can_be_sampled(shared) -> None:
    sampled = 0
    for path in sorted((shared / "benchpress" / "config").glob("*.json")):
        sections = json.loads(path.read_text())["resources"]["data"]
        for name, objects in sections.items():
            for entry in objects:
                values = {key: value for key, value in entry.items() if key != "id"}
                for setting in expand(find("data", name), values, Node(entry, path.name)):
                    data = setting.module.sample(MODEL, stream())
                    assert len(data) == setting.values["n"]
                    assert data.names == MODEL.names
                    sampled += 1
    assert sampled == 21


@pytest.mark.slow
@pytest.mark.shared
def test_graphs_models_and_data_of_all_configs_are_drawn(shared) -> None:
    folder = shared / "benchpress"
    drawn = 0
    for path in sorted((folder / "config").glob("*.json")):
        results = {}
        for i, task in enumerate(Study.load(path, folder / "resources").plan.tasks):
            if task.call.kind in (TaskKind.GRAPH, TaskKind.PARAMETERS, TaskKind.DATA):
                inputs = [results[j] for j in task.inputs]
                results[i] = execute(task.call, random_stream(task.random_key), inputs)
        drawn += sum(isinstance(result, Dataset) for result in results.values())
    # the data sets of test_benchpress_configs.py, two setups of which share one
    assert drawn == 535
