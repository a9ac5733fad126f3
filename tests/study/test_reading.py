"""Data entries that say how their file is read, and what becomes of gaps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dagathlon.errors import StudyError
from dagathlon.study.config.json_schema import study_schema
from dagathlon.study.engine.inline import InlineEngine
from dagathlon.study.plan.task import Status, TaskKind
from dagathlon.study.store.results_folder import STORE_FOLDER
from dagathlon.study.store.store import Store
from dagathlon.workflow import Study

LEARNERS = {
    "hc": [{"id": "hc"}],
    "corr_thresh": [{"id": "corr", "thresh": 0.3}],
    "order_mcmc": [{"id": "mcmc", "iterations": 100}],
}


@pytest.fixture
def load(tmp_path: Path) -> Any:
    def load(*entries: dict[str, Any], ids: tuple[str, ...] = ("hc",), graph: str = "") -> Study:
        rng = np.random.default_rng(1)
        x = rng.normal(size=80)
        y = x + rng.normal(size=80)
        rows = [f"P{i},{'' if i % 9 == 0 else x[i]},{y[i]},{y[i] - 1.5}" for i in range(80)]
        (tmp_path / "rows.csv").write_text("\n".join(["id,x,y,z", *rows, ""]))
        (tmp_path / "truth.csv").write_text("x,y,z\n0,1,0\n0,0,1\n0,0,0\n")
        asked = {"graph_estimation": {"ids": list(ids)}, "intersection_validation": False}
        evaluation: dict[str, Any] = asked
        if graph:
            evaluation = {"benchmarks": {"ids": list(ids)}}
        data = [{"data_id": "rows.csv", "graph_id": graph or None, **entry} for entry in entries]
        content = {
            "benchmark_setup": [{"title": "read", "data": data, "evaluation": evaluation}],
            "resources": {"structure_learning_algorithms": LEARNERS},
        }
        path = tmp_path / "study.json"
        path.write_text(json.dumps(content))
        return Study.load(path)

    return load


def calls(study: Study, kind: TaskKind) -> list[Any]:
    return [task.call for task in study.plan.tasks if task.call.kind is kind]


def results(study: Study, tmp_path: Path, kind: TaskKind) -> list[Any]:
    """What the tasks of one kind gave."""
    with Store(tmp_path / STORE_FOLDER) as store:
        InlineEngine().run(study.plan, store)
        tasks = [task for task in study.plan.tasks if task.call.kind is kind]
        outcomes = store.outcomes(task.key for task in tasks)
        assert {one.status for one in outcomes.values()} == {Status.OK}
        return [store.load(task.key) for task in tasks]


SAID = {"drop": ["id"], "kinds": {"x": "continuous"}}


def test_a_file_is_read_as_the_entry_says(load: Any, tmp_path: Path) -> None:
    study = load({**SAID, "missing": "drop"})
    (data,) = results(study, tmp_path, TaskKind.DATA)
    assert data.names == ("x", "y", "z")
    assert data.has_missing
    (dropped,) = results(study, tmp_path, TaskKind.TRANSFORM)
    assert len(dropped) == 80 - 9
    assert study.plan.cases[0].data_label == "fixed/filename=rows.csv/drop_missing"


def test_what_was_said_is_part_of_the_key(load: Any) -> None:
    said = {**SAID, "missing": "drop"}
    keys = {load({**said, "na": [word]}).plan.tasks[0].key for word in ("-1", "-2", "-1")}
    assert len(keys) == 2


def test_the_same_file_read_in_two_ways_has_two_labels(load: Any) -> None:
    study = load(SAID | {"missing": "drop"}, {"keep": ["x", "y"], "missing": "drop"})
    labels = {case.data_label for case in study.plan.cases}
    assert len(labels) == 2
    assert any("keep:x,y" in label for label in labels)


def test_learners_pool_several_copies(load: Any, tmp_path: Path) -> None:
    study = load({**SAID, "missing": {"impute": 3}}, ids=("hc", "corr", "mcmc"))
    (hc, corr, mcmc) = calls(study, TaskKind.LEARN)
    assert {hc.module, corr.module, mcmc.module} == {"imputed"}
    assert hc.values["copies"] == 3
    assert corr.values["learner"]["module"] == "corr_thresh"
    assert corr.values["learner"]["parameters"]["thresh"] == 0.3
    found = results(study, tmp_path, TaskKind.LEARN)
    assert [one.stats["copies"] for one in found] == [3, 3, 3]
    assert found[0].notes[0].startswith("9 missing values were imputed 3 times")
    assert not calls(study, TaskKind.ESTIMATE)
    assert study.plan.cases[0].data_label.endswith("/impute=3")


def test_a_plain_learner_on_gaps_is_still_itself(load: Any) -> None:
    study = load({**SAID, "missing": "keep"}, {**SAID, "missing": "impute"}, ids=("corr",))
    assert sorted(call.module for call in calls(study, TaskKind.LEARN)) == [
        "corr_thresh",
        "imputed",
    ]


def test_the_truth_is_about_the_columns_that_are_left(load: Any, tmp_path: Path) -> None:
    study = load({"keep": ["x", "z"], "missing": "drop"}, graph="truth.csv")
    (truth,) = results(study, tmp_path, TaskKind.TRUTH)
    assert [str(edge) for edge in truth.edges()] == ["x -> z"]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"kinds": {"x": "continous"}}, "did you mean 'continuous'"),
        ({"drop": "id"}, "drop: expected a list of column names"),
        ({"drop": ["idd"]}, "unknown column 'idd' .did you mean 'id'"),
        ({"missing": "impite"}, "did you mean 'impute'"),
        ({"missing": {"impute": 0}}, "missing.impute"),
        ({"missing": 3}, "expected keep, drop, impute"),
        ({"kind": {}}, "did you mean 'kinds'"),
        ({"data_id": "sachs_pma", "drop": ["Raf"]}, "bundled data are read as they are"),
    ],
)
def test_mistakes_are_named(load: Any, entry: dict[str, Any], message: str) -> None:
    with pytest.raises(Exception, match=message) as caught:
        load(entry).plan  # noqa: B018
    assert isinstance(caught.value, StudyError) or "column" in message


def test_the_schema_knows_the_keys() -> None:
    entry = study_schema()["$defs"]["setup"]["properties"]["data"]["items"]["properties"]
    assert {"kinds", "levels", "drop", "keep", "na", "missing", "header", "decimal"} <= set(entry)
