"""Transforms in a study: how they are written, what they are called, which rows they take."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dagathlon.errors import StudyError
from dagathlon.study.config.json_schema import study_schema
from dagathlon.study.engine.local import LocalEngine
from dagathlon.study.engine.protocol import Options
from dagathlon.study.plan.task import TaskKind
from dagathlon.study.store.results_folder import STORE_FOLDER
from dagathlon.study.store.store import Store
from dagathlon.workflow import Study

STUDY: dict[str, Any] = {
    "benchmark_setup": [
        {
            "title": "transformed",
            "data": [
                {
                    "graph_id": "dag",
                    "parameters_id": "sem",
                    "data_id": "rows",
                    "seed_range": [1, 2],
                }
            ],
            "evaluation": {"benchmarks": {"ids": ["correlation"]}},
        }
    ],
    "resources": {
        "graph": {"pcalg_randdag": [{"id": "dag", "n": 6, "d": 2}]},
        "parameters": {"sem_params": [{"id": "sem", "min": 0.5, "max": 1}]},
        "data": {"iid": [{"id": "rows", "n": 80, "standardized": False}]},
        "structure_learning_algorithms": {"corr_thresh": [{"id": "correlation", "thresh": 0.3}]},
    },
}


def study(transforms: Any, evaluation: dict[str, Any] | None = None, **entry: Any) -> Any:
    content = copy.deepcopy(STUDY)
    setup = content["benchmark_setup"][0]
    setup["data"][0] |= {"transforms": transforms, **entry}
    setup["evaluation"] |= evaluation or {}
    return content


@pytest.fixture
def load(tmp_path: Path) -> Any:
    def load(content: Any) -> Study:
        path = tmp_path / "study.json"
        path.write_text(json.dumps(content))
        return Study.load(path)

    return load


def computed(study: Study, out: Path) -> dict[tuple[int, str], Any]:
    """The data sets by seed and label."""
    with Store(out / STORE_FOLDER) as store:
        LocalEngine(1).run(study.plan, store, options=Options())
        tasks = study.plan.tasks
        return {(c.seed, c.data_label): store.load(tasks[c.data].key) for c in study.plan.cases}


def test_transforms_follow_each_other_in_every_combination(load: Any) -> None:
    steps = [{"subsample": {"n": [20, 40], "number": [1, 2]}}, "standardize"]
    plan = load(study(steps)).plan
    labels = [case.data_label for case in plan.cases if case.seed == 1]
    assert labels == [
        f"iid/n=80/standardized=False/subsample={n},{k}/standardize"
        for n in (20, 40)
        for k in (1, 2)
    ]
    counts = plan.counts()
    assert counts[TaskKind.DATA] == 2
    assert counts[TaskKind.TRANSFORM] == 2 * 4 * 2
    assert all(plan.origins[case.origin].several for case in plan.cases)


def test_no_transforms_leave_all_keys_as_they_are(load: Any) -> None:
    plain = load(STUDY).plan
    for nothing in ([], None):
        assert [t.key for t in load(study(nothing)).plan.tasks] == [t.key for t in plain.tasks]


def test_the_same_rows_are_taken_with_noise_and_without(load: Any, tmp_path: Path) -> None:
    content = study([{"subsample": {"n": [20, 40]}}], noise=["N", "I10", "L20"])
    loaded = load(content)
    found = computed(loaded, tmp_path / "out")
    base = "iid/n=80/standardized=False"
    for seed in (1, 2):
        clean = found[seed, f"{base}/subsample=40,1"]
        assert found[seed, f"{base}/subsample=20,1"] == clean[:20]
        hidden = found[seed, f"{base}/noise=L20/subsample=40,1"]
        assert len(hidden.names) == 5
        assert hidden == clean.select(hidden.names)
        noisy = found[seed, f"{base}/noise=I10/subsample=40,1"]
        same = (noisy.values == clean.values).mean()
        assert 0.8 < same < 1
    assert found[1, f"{base}/subsample=40,1"] != found[2, f"{base}/subsample=40,1"]


def test_samples_stay_prefixes_of_one_sample(load: Any, tmp_path: Path) -> None:
    content = study(["standardize"])
    content["resources"]["data"]["iid"][0]["n"] = [30, 80]
    plan = load(content).plan
    drawn = [t for t in plan.tasks if t.call.kind is TaskKind.DATA]
    assert len({t.key for t in drawn}) == 4
    assert len({t.random_key for t in drawn}) == 2


def test_a_choice_of_variables_has_its_own_truth(load: Any, tmp_path: Path) -> None:
    content = study([{"select": {"variables": ["d", "a", "c"]}}])
    content["resources"] |= {"graph": {}, "parameters": {"sem_params": [{"id": "sem"}]}}
    content["benchmark_setup"][0]["data"][0]["graph_id"] = "truth.csv"
    (tmp_path / "truth.csv").write_text("a,b,c,d\n0,1,0,0\n0,0,1,0\n0,0,0,0\n0,1,0,0\n")
    loaded = load(content)
    with Store(tmp_path / "out" / STORE_FOLDER) as store:
        LocalEngine(1).run(loaded.plan, store, options=Options())
        (case, _) = loaded.plan.cases
        truth = store.load(loaded.plan.tasks[case.graph].key)
        assert set(truth.names) == {"a", "c", "d"}
        assert {(e.left, e.right) for e in truth.edges()} == {("a", "c"), ("d", "c")}


def test_fresh_data_are_standardised_as_well(load: Any) -> None:
    content = study(["standardize"], {"metrics": {"held_out": True}}, seed_range=[1, 1])
    plan = load(content).plan
    (run,) = plan.runs
    assert plan.origins[plan.cases[run.case].origin].scores == ("held_out", "cross_entropy")
    score, entropy = (plan.tasks[position] for position in run.scores)
    training, test = (plan.tasks[i] for i in score.inputs[:2])
    assert training.call == test.call
    assert training.call.kind is TaskKind.TRANSFORM
    assert training.seed != test.seed
    assert entropy.inputs == (score.inputs[1], score.inputs[0], score.inputs[2])


def test_what_has_no_meaning_is_left_out_and_said(load: Any) -> None:
    plan = load(study([{"subsample": {"n": [20, 100]}}])).plan
    assert {case.steps for case in plan.cases} == {"subsample=20,1"}
    ((where, data, what, reason),) = plan.omissions
    assert (where, what) == ("benchmark_setup[0].data[0]", "subsample=100,1")
    assert data == "iid/n=80/standardized=False"
    assert reason == "there are 80 rows to take 100 from"


@pytest.mark.parametrize(
    ("transforms", "message"),
    [
        ([{"subsmple": {"n": 3}}], r"transforms\[0\].*did you mean 'subsample'"),
        ([{"subsample": {}}], r"transforms\[0\].subsample: subsample needs n"),
        ([{"subsample": {"n": 0}}], r"transforms\[0\].subsample.n: found 0"),
        ([{"subsample": {"n": [5, 5]}}], "subsample=5,1 is given twice"),
        ([{"subsample": {"n": 5}, "standardize": {}}], "found 2 names"),
        ([5], r"transforms\[0\]: found 5, expected a text"),
        ({"subsample": 5}, r"transforms.subsample: found 5"),
    ],
)
def test_mistakes_are_named(load: Any, transforms: Any, message: str) -> None:
    with pytest.raises(StudyError, match=message):
        load(study(transforms))


def test_the_schema_knows_all_transforms() -> None:
    entry = study_schema()["$defs"]["setup"]["properties"]["data"]["items"]
    choices = entry["properties"]["transforms"]["items"]["anyOf"]
    names = set(choices[0]["enum"])
    assert {"subsample", "bootstrap", "standardize", "select", "noise"} <= names
    assert {next(iter(choice["properties"])) for choice in choices[1:]} == names


def test_standardised_data_are_the_transformed_raw_data(load: Any, tmp_path: Path) -> None:
    found = computed(load(study(["standardize"])), tmp_path / "out")
    values = found[1, "iid/n=80/standardized=False/standardize"].values
    assert np.allclose(values.std(axis=0, ddof=1), 1)
