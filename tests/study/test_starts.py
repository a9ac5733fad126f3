"""`start` of an algorithm's object: the same parameters and data, other random numbers."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from small_study import STUDY

from dagathlon.errors import StudyError
from dagathlon.study.plan.plan import Plan
from dagathlon.study.plan.task import TaskKind
from dagathlon.workflow import Study


def plan_of(folder: Path, **values: Any) -> Plan:
    content = copy.deepcopy(STUDY)
    setup = content["benchmark_setup"][0]
    setup["data"][0]["seed_range"] = [1, 2]
    setup["evaluation"] = {"benchmarks": {"ids": ["chain"]}}
    chain = {"id": "chain", "iterations": 50, **values}
    resources = content["resources"]
    resources["structure_learning_algorithms"] = {"structure_mcmc": [chain]}
    resources["graph"]["pcalg_randdag"][0]["n"] = 5
    resources["data"]["iid"][0]["n"] = 20
    (folder / "study.json").write_text(json.dumps(content), "utf-8")
    return Study.load(folder / "study.json").plan


def learning(plan: Plan) -> list[tuple[bytes, bytes, str]]:
    return [
        (task.key, task.random_key, json.dumps(dict(task.call.values)))
        for task in plan.tasks
        if task.call.kind is TaskKind.LEARN
    ]


def test_starts_differ_in_their_random_numbers_alone(tmp_path: Path) -> None:
    plain, several = learning(plan_of(tmp_path)), learning(plan_of(tmp_path, start=[1, 2, 3]))
    assert len(plain) == 2
    assert len(several) == 6
    # What has been learned without a start is not learned again.
    assert set(plain) < set(several)
    assert len({streams for _, streams, _ in several}) == 6
    assert {values for _, _, values in several} == {plain[0][2]}


def test_rows_say_which_start(tmp_path: Path) -> None:
    plan_of(tmp_path, start=[1, 2])
    run = Study.load(tmp_path / "study.json").config.algorithms["chain"]
    assert [setting.values["start"] for setting in run.settings] == [1, 2]
    assert run.curve_parameter != "start"


@pytest.mark.parametrize("start", [0, 1.5, "two", [1, -1], None])
def test_what_is_no_start_is_refused(tmp_path: Path, start: Any) -> None:
    with pytest.raises(StudyError, match=r"structure_mcmc.*start: found .*expected a whole number"):
        plan_of(tmp_path, start=start)
