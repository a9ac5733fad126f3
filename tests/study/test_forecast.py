"""How long a study will take: by earlier runs on like data, scaled ones, and measured costs."""

from __future__ import annotations

import copy
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from small_study import STUDY

from dagathlon import Study
from dagathlon.learners.costs import expected_cost
from dagathlon.modules import modules
from dagathlon.study.plan.forecast import Forecast, forecast
from dagathlon.study.plan.plan import Plan
from dagathlon.study.plan.task import Outcome, Status, Task, TaskKind


def planned(folder: Path, study: dict[str, Any]) -> Plan:
    path = folder / "study.json"
    path.write_text(json.dumps(study))
    return Study.load(path).plan


def with_learner(name: str, rows: list[int], **values: Any) -> dict[str, Any]:
    """The small study with one graph of five nodes, these numbers of rows and one learner."""
    study = copy.deepcopy(STUDY)
    study["resources"]["graph"]["pcalg_randdag"][0]["n"] = 5
    study["resources"]["data"]["iid"][0]["n"] = rows
    study["resources"]["structure_learning_algorithms"] = {name: [{"id": "one", **values}]}
    study["benchmark_setup"][0]["evaluation"]["benchmarks"]["ids"] = ["one"]
    return study


def learning(plan: Plan, rows: int | None = None) -> list[Task]:
    """The learning tasks, on data of so many rows."""
    return [
        task
        for task in plan.tasks
        if task.call.kind is TaskKind.LEARN
        and rows in (None, dict(plan.tasks[task.inputs[0]].call.values).get("n"))
    ]


def law(name: str, rows: int) -> float:
    cost = expected_cost(modules("algorithm")[name], "continuous", rows, 5)  # type: ignore[arg-type]
    assert cost is not None
    return cost.seconds


def test_time_is_judged_by_earlier_runs_then_by_measured_costs(tmp_path: Path) -> None:
    plan = planned(tmp_path, STUDY)
    fresh = forecast(plan, {})
    assert fresh.runs == {"measured": len(learning(plan))}
    assert "measured costs" in fresh.words()
    first = next(task for task in learning(plan) if task.call.module == "corr_thresh")
    later = forecast(plan, {first.key: Outcome(Status.OK, wall=100.0)})
    # Three seeds with two thresholds less that run; three times as many on data of other sizes.
    assert later.runs == {"stored": 5, "scaled": 18, "measured": 12}
    assert "earlier runs and earlier runs on data of other sizes" in later.words()
    everything = {task.key: Outcome(Status.OK, wall=1.0) for task in plan.tasks}
    assert forecast(plan, everything).words() == ""


def test_small_runs_do_not_stand_for_large_ones(tmp_path: Path) -> None:
    plan = planned(tmp_path, with_learner("hc", [100, 1_000, 1_000_000]))
    small = [*learning(plan, 100), *learning(plan, 1_000)]
    assert len(small) == 6
    outcomes = {task.key: Outcome(Status.OK, wall=0.1) for task in learning(plan, 100)}
    outcomes |= {task.key: Outcome(Status.OK, wall=0.5) for task in learning(plan, 1_000)}
    found = forecast(plan, outcomes)
    assert found.runs == {"scaled": 3}
    assert found.extrapolated
    # By the nearest size alone.
    ratio = law("hc", 1_000_000) / law("hc", 1_000)
    assert ratio > 100
    assert found.seconds == pytest.approx(3 * 0.5 * ratio)
    # Two of the large ones have run: the third takes as long as these.
    outcomes |= {task.key: Outcome(Status.OK, wall=7.0) for task in learning(plan, 1_000_000)[:2]}
    assert forecast(plan, outcomes).seconds == pytest.approx(7.0)


def test_nothing_takes_longer_than_its_limit(tmp_path: Path) -> None:
    study = with_learner("exact_map", [100, 1_000_000], at_limit="best")
    study["benchmark_setup"][0]["time_limit"] = "20s"
    plan = planned(tmp_path, study)
    slow = {task.key: Outcome(Status.OK, wall=17.0) for task in learning(plan, 100)}
    assert forecast(plan, slow).seconds == pytest.approx(3 * 20.0)
    longer = {learning(plan, 100)[0].key: Outcome(Status.OK, wall=500.0)}
    assert forecast(plan, longer).seconds == pytest.approx(5 * 20.0)


def test_own_learners_are_scaled_by_rows_and_pairs_of_columns(tmp_path: Path) -> None:
    plan = planned(tmp_path, with_learner("new_alg", [100, 1_000]))
    outcomes = {task.key: Outcome(Status.OK, wall=2.0) for task in learning(plan, 100)}
    found = forecast(plan, outcomes)
    assert found.runs == {"scaled": 3}
    assert found.seconds == pytest.approx(3 * 20.0)


def test_what_nobody_measured_is_said(tmp_path: Path) -> None:
    study = copy.deepcopy(STUDY)
    study["resources"]["structure_learning_algorithms"] = {"new_alg": [{"id": "correlation"}]}
    study["benchmark_setup"][0]["evaluation"]["benchmarks"]["ids"] = ["correlation"]
    words = forecast(planned(tmp_path, study), {}).words()
    assert words.startswith("no estimate of the time: nothing is known of 12 runs (new_alg)")
    one = Forecast(unknown=Counter({"new_alg": 1}))
    assert one.words() == "no estimate of the time: nothing is known of 1 run (new_alg)"


def test_runs_of_unknown_cost_make_the_time_a_lower_bound(tmp_path: Path) -> None:
    words = Forecast(240.0, Counter(measured=5), Counter(rblip_asobs=300)).words()
    assert words == (
        "at least about 4 min of computing left on one core, judged by measured costs of learners "
        "with defaults; on top come 300 runs (rblip_asobs): cost not known"
    )
