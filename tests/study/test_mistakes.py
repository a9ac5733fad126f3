"""All mistakes of a study are told at once; learners that do not suit some data are skipped."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from small_study import STUDY

from dagathlon import Study
from dagathlon.cli import USER_ERROR, main
from dagathlon.errors import StudyError
from dagathlon.study.engine.inline import InlineEngine
from dagathlon.study.store.store import Store


def written(folder: Path, study: dict[str, Any]) -> Path:
    path = folder / "study.json"
    path.write_text(json.dumps(study))
    return path


def test_every_mistake_is_listed_with_its_place(tmp_path: Path) -> None:
    study = copy.deepcopy(STUDY)
    setup = study["benchmark_setup"][0]
    setup |= {"title": "two words", "time_limit": "soon"}
    setup["data"].append({"graph_id": "dagg", "parameters_id": "sem", "data_id": "rowz"})
    setup["data"][0]["seed_range"] = [3, 1]
    setup["evaluation"] = {"benchmarks": {"ids": ["correlation", "precison", "wrong"]}, "rank": {}}
    resources = study["resources"]
    resources["graph"]["pcalg_randdag"][0] |= {"n": "five", "dd": 2}
    resources["structure_learning_algorithms"]["hcc"] = [{"id": "wrong"}]
    with pytest.raises(StudyError) as caught:
        Study.load(written(tmp_path, study))
    places = [problem.split(": ")[0] for problem in caught.value.problems]
    assert places == [
        "resources.graph.pcalg_randdag[0].n",
        "resources.graph.pcalg_randdag[0].dd",
        "resources.structure_learning_algorithms",
        "benchmark_setup[0].title",
        "benchmark_setup[0].data[0].seed_range",
        "benchmark_setup[0].data[1].data_id",
        "benchmark_setup[0].data[1].graph_id",
        "benchmark_setup[0].evaluation",
        "benchmark_setup[0].evaluation.benchmarks",
        "benchmark_setup[0].time_limit",
    ]
    assert "id 'precison' (did you mean 'precision'?)" in caught.value.problems[8]


def test_commands_number_the_mistakes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = copy.deepcopy(STUDY)
    study["benchmark_setup"][0]["evaluation"]["benchmarks"]["ids"] = ["one", "two"]
    path = written(tmp_path, study)
    for command in ("check", "run"):
        assert main([command, str(path), "--out", str(tmp_path / "out")]) == USER_ERROR
        printed = capsys.readouterr().err.splitlines()
        first, *others = (line for line in printed if not line.startswith("executes"))
        assert first == f"dagathlon: {path}: 2 mistakes"
        assert [line.split()[0] for line in others] == ["1.", "2."]
    path.write_text('{"a": [1,]}')
    assert main(["check", str(path)]) == USER_ERROR
    assert "not valid JSON" in capsys.readouterr().err


def mixed_study(folder: Path, ids: list[str]) -> Path:
    lines = [f"{i * 0.37 % 1:.3f},{i * 0.73 % 1:.3f},{'xyz'[i % 3]}" for i in range(40)]
    (folder / "mixed.csv").write_text("\n".join(["a,b,c", *lines]))
    learners = {
        "hc": [{"id": "hc"}],
        "notears": [{"id": "notears"}],
        "pc": [{"id": "pc", "test": ["zf", "mi-cg"]}],
    }
    entry = {"graph_id": None, "parameters_id": None, "data_id": "mixed.csv"}
    setup = {"title": "mixed", "data": [entry], "evaluation": {"agreement": {"ids": ids}}}
    resources = {"structure_learning_algorithms": learners}
    return written(folder, {"benchmark_setup": [setup], "resources": resources})


def test_learners_that_do_not_suit_are_skipped_with_the_reason(tmp_path: Path) -> None:
    study = Study.load(mixed_study(tmp_path, ["hc", "notears", "pc"]))
    skipped = {one.transform: one.reason for one in study.plan.omissions}
    assert set(skipped) == {"algorithm notears", "algorithm pc (1 of 2 settings)"}
    with Store(tmp_path / "store") as store:
        InlineEngine().run(study.plan, store)
        ended = [store.outcomes([study.plan.tasks[run.learn].key]) for run in study.plan.runs]
    outcomes = [next(iter(one.values())) for one in ended]
    assert [one.status.value for one in outcomes] == ["ok", "skipped", "skipped", "ok"]
    assert "continuous columns, and these are mixed" in outcomes[1].reason


def test_a_study_in_which_nothing_suits_is_refused(tmp_path: Path) -> None:
    study = Study.load(mixed_study(tmp_path, ["notears"]))
    with pytest.raises(StudyError, match=r"notears\[0\] on .*data\[0\]: .* these are mixed"):
        _ = study.plan
