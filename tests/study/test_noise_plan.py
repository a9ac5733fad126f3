from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dagathlon.errors import StudyError
from dagathlon.study.config.json_source import Node
from dagathlon.study.config.noises import read_noises
from dagathlon.study.engine.local import LocalEngine
from dagathlon.study.engine.protocol import Options
from dagathlon.study.plan.plan import Plan
from dagathlon.study.plan.task import Status, TaskKind
from dagathlon.study.store.results_folder import STORE_FOLDER
from dagathlon.study.store.store import Store
from dagathlon.workflow import Study

STUDY: dict[str, Any] = {
    "benchmark_setup": [
        {
            "title": "noisy",
            "data": [
                {
                    "graph_id": "asia.csv",
                    "parameters_id": "asia.rds",
                    "data_id": "rows",
                    "seed_range": [1, 2],
                    "noise": ["N", "M5", "L5", "L10", "cMISL"],
                }
            ],
            "evaluation": {"graph_true_stats": True},
        }
    ],
    "resources": {"data": {"iid": [{"id": "rows", "n": [20, 50]}]}},
}

GAUSSIAN = {
    "graph": {"pcalg_randdag": [{"id": "dag", "n": 8, "d": 2}]},
    "parameters": {"sem_params": [{"id": "sem", "min": 0.5, "max": 1}]},
    "data": {"iid": [{"id": "rows", "n": [20, 50], "standardized": [False, True]}]},
    "structure_learning_algorithms": {"corr_thresh": [{"id": "correlation", "thresh": 0.3}]},
}


def study(noise: Any, resources: dict[str, Any] | None = None) -> dict[str, Any]:
    content = copy.deepcopy(STUDY)
    entry = content["benchmark_setup"][0]["data"][0]
    entry["noise"] = noise
    if resources is not None:
        content["resources"] = resources
        entry |= {"graph_id": "dag", "parameters_id": "sem"}
        content["benchmark_setup"][0]["evaluation"] = {"benchmarks": {"ids": ["correlation"]}}
    return content


def run_tasks(study: Study, out: Path) -> None:
    """Run the tasks alone: these tests look at no table and no figure."""
    with Store(out / STORE_FOLDER) as store:
        LocalEngine(1).run(study.plan, store, options=Options())


@pytest.fixture
def load(tmp_path):
    def load(content: Any) -> Study:
        path = tmp_path / "study.json"
        path.write_text(json.dumps(content))
        return Study.load(path)

    return load


def test_noise_multiplies_the_data_sets(load) -> None:
    plan = load(STUDY).plan
    assert len(plan.cases) == 2 * 2 * 4
    assert {case.noise for case in plan.cases} == {"N", "M5", "L10", "cMISL"}
    counts = {kind.value: n for kind, n in plan.counts().items()}
    assert counts == {"graph": 1, "parameters": 1, "data": 4, "noise": 12, "truth": 8}


def test_what_is_not_applicable_is_said_and_left_out(load) -> None:
    plan = load(STUDY).plan
    assert {(found.transform, found.where) for found in plan.omissions} == {
        ("L5", "benchmark_setup[0].data[0]")
    }
    assert "one is already 12.5 %" in plan.omissions[0].reason


def test_labels_carry_the_noise(load) -> None:
    labels = {case.noise: case.data_label for case in load(STUDY).plan.cases}
    assert labels["N"] == "iid/n=50"
    assert labels["cMISL"] == "iid/n=50/noise=cMISL"


def test_without_the_key_nothing_changes(load) -> None:
    content = copy.deepcopy(STUDY)
    del content["benchmark_setup"][0]["data"][0]["noise"]
    plain = load(content).plan
    assert [task.key for task in plain.tasks] == [task.key for task in load(study("N")).plan.tasks]
    assert plain.cases == load(study(["N"])).plan.cases


def test_the_truth_depends_on_graph_and_noisy_data(load) -> None:
    plan = load(STUDY).plan
    for case in plan.cases:
        task = plan.tasks[case.graph]
        if case.noise in ("L10", "cMISL"):
            assert task.call.kind is TaskKind.TRUTH
            assert task.inputs == (0, case.data)
        else:
            assert task.call.kind is TaskKind.GRAPH


def test_ranges_of_rates() -> None:
    def codes(noise: Any) -> list[str]:
        return [one.code for one in read_noises(Node({"noise": noise}, "data[0]"))]

    ranges = [{"incorrect": [0, 0.05, 0.3]}, {"missing": [0, 0.1], "as_missing_values": True}]
    assert codes([*ranges, "cMI"]) == ["N", "I5", "I30", "M10+NA", "cMI"]
    assert codes({"incorrect": [0, 0.1], "missing": [0, 0.1]}) == ["N", "M10", "I10", "cM10I10"]


@pytest.mark.parametrize(
    ("noise", "message"),
    [
        ([{"incorrect": [0.1, 0.1]}], r"noise\[0\]: I10 is given twice"),
        (["I10", {"incorrect": [0, 0.1]}], r"noise\[1\]: I10 is given twice"),
        (["M5", "M5"], r"data\[0\].noise\[1\]: M5 is given twice"),
        (["M5", {"missing": 0.05}], r"noise\[1\]: M5 is given twice"),
        ("Q5", r"data\[0\].noise: found 'Q5'; a noise code is N"),
        (5, r"data\[0\].noise: found 5, expected a text"),
        ({"mising": 0.1}, "did you mean 'missing'"),
        ([{"latent": 2}], r"noise\[0\].latent: found 2, expected a number between 0 and 1"),
    ],
)
def test_mistakes_are_named(load, noise, message) -> None:
    with pytest.raises(StudyError, match=message):
        load(study(noise))


def test_learners_are_checked_against_the_noisy_data(load) -> None:
    learners = {"prec_thresh": [{"id": "correlation", "thresh": 0.3}]}
    resources = {**GAUSSIAN, "structure_learning_algorithms": learners}
    assert load(study("N", resources)).plan.runs
    skipped = load(study(["N", "M5"], resources)).plan.omissions
    assert {one.transform for one in skipped} == {"algorithm correlation"}
    assert all("missing values" in one.reason and "M5" in one.data_label for one in skipped)
    with pytest.raises(StudyError, match=r"prec_thresh.*missing values"):
        _ = load(study("M5", resources)).plan


def test_who_fills_gaps_runs_learners_that_take_none(load) -> None:
    learners = {
        "prec_thresh": [{"id": "correlation", "thresh": 0.3}],
        "imputed": [{"id": "filled", "learner": "correlation"}],
    }
    content = study(["N", "M5"], {**GAUSSIAN, "structure_learning_algorithms": learners})
    ids = ["correlation", "filled"]
    content["benchmark_setup"][0]["evaluation"] = {"benchmarks": {"ids": ids}}
    skipped = {one.transform for one in load(content).plan.omissions}
    assert skipped == {"algorithm correlation"}


def datasets(plan: Plan, store: Store) -> dict[tuple[int, str], Any]:
    return {(c.seed, c.data_label): store.load(plan.tasks[c.data].key) for c in plan.cases}


def test_smaller_samples_begin_larger_ones(load, tmp_path) -> None:
    content = study(["N", "I10", "L25", "cIL"], GAUSSIAN)
    loaded = load(content)
    run_tasks(loaded, tmp_path / "out")
    with Store(tmp_path / "out" / STORE_FOLDER) as store:
        found = datasets(loaded.plan, store)
        for seed in (1, 2):
            for suffix in ("", "/noise=I10", "/noise=L25", "/noise=cIL"):
                small = found[seed, f"iid/n=20/standardized=False{suffix}"]
                large = found[seed, f"iid/n=50/standardized=False{suffix}"]
                assert small == large[:20]
            raw = found[seed, "iid/n=50/standardized=False"].values
            scaled = found[seed, "iid/n=50/standardized=True"].values
            expected = (raw - raw.mean(axis=0)) / raw.std(axis=0, ddof=1)
            assert np.allclose(scaled, expected)
            hidden = found[seed, "iid/n=50/standardized=True/noise=L25"].names
            assert hidden == found[seed, "iid/n=20/standardized=False/noise=L25"].names
        for case in loaded.plan.cases:
            truth = store.load(loaded.plan.tasks[case.graph].key)
            data = store.load(loaded.plan.tasks[case.data].key)
            assert truth.names == data.names
        assert found[1, "iid/n=20/standardized=False"] != found[2, "iid/n=20/standardized=False"]


def test_what_turns_out_not_to_apply_is_skipped_with_the_reason(load, tmp_path) -> None:
    loaded = load(study(["N", "L5"], GAUSSIAN))
    run_tasks(loaded, tmp_path / "out")
    with Store(tmp_path / "out" / STORE_FOLDER) as store:
        outcomes = store.outcomes(task.key for task in loaded.plan.tasks)
        for task in loaded.plan.tasks:
            if task.call.kind is TaskKind.NOISE:
                assert outcomes[task.key].status is Status.SKIPPED
                assert outcomes[task.key].reason.startswith("n/a: L5: 5 % of 8 variables")
