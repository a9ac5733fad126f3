"""Scores of runs beside what another algorithm returned on the same data."""

from __future__ import annotations

import copy
import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from small_study import STUDY

from dagathlon.errors import StudyError
from dagathlon.modules import registry
from dagathlon.study.plan.plan import Plan
from dagathlon.study.records.file import load, save
from dagathlon.study.records.from_plan import facts_of_setup
from dagathlon.workflow import Study

CODE = """
from dataclasses import dataclass

from dagathlon import Estimate
from dagathlon.evaluations import Evaluation, RunScore, Table
from dagathlon.modules import Module


@dataclass(frozen=True, kw_only=True)
class Apart(Module):
    name = "edges_apart"
    kind = "metric"

    def compute(self, reference: Estimate, posterior: Estimate) -> dict[str, int]:
        return {"apart": posterior.graph.n_edges - reference.graph.n_edges}


@dataclass(frozen=True, kw_only=True)
class Beside(Evaluation):
    name = "beside"
    ids: tuple[str, ...] = ()
    reference: str = ""
    graph_ids: tuple[str, ...] = ()

    def algorithms(self):
        return self.ids

    def reads(self, cases):
        here = not self.graph_ids or cases.graph_id in self.graph_ids
        return self.ids if here else ()

    def tasks(self, cases):
        if self.reads(cases):
            inputs = ("reference", "posterior")
            yield RunScore("apart", Apart(), inputs, reference=self.reference)

    def tables(self, results):
        runs = results.runs_of(self.ids)
        scores = results.scores("apart", runs)
        edges = dict(results.estimates(runs))
        rows = [
            {"id": run.entry, "setting": run.setting, "case": run.case}
            | {"apart": None if one is None else one["apart"], "edges": edges[run].n_edges}
            for run, one in zip(runs, scores, strict=True)
            if run in edges
        ]
        return {"runs": Table(rows, "runs.csv")}
"""


@pytest.fixture(autouse=True)
def forget(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Modules of one test are unknown to the next."""
    monkeypatch.setenv(registry.FILES, "")
    registry.modules.cache_clear()
    yield
    registry.modules.cache_clear()


def study_of(folder: Path, algorithms: Mapping[str, Any] | None = None, **asked: Any) -> Study:
    content = copy.deepcopy(STUDY)
    setup = content["benchmark_setup"][0]
    setup["data"][0]["seed_range"] = [1, 1]
    setup["evaluation"]["beside"] = {"ids": ["correlation", "precision"], **asked}
    content["resources"]["structure_learning_algorithms"].update(algorithms or {})
    content["resources"]["graph"]["pcalg_randdag"][0]["n"] = 5
    content["modules"] = ["beside.py"]
    (folder / "beside.py").write_text(CODE, "utf-8")
    (folder / "study.json").write_text(json.dumps(content), "utf-8")
    return Study.load(folder / "study.json")


def learned(plan: Plan, case: int, entry: str) -> int:
    runs = (run for run in plan.runs if (run.case, run.entry, run.setting) == (case, entry, 0))
    return next(runs).learn


def test_the_first_setting_on_the_same_data_is_read(tmp_path: Path) -> None:
    plan = study_of(tmp_path, reference="correlation").plan
    assert {run.entry for run in plan.runs} == {"correlation", "precision"}
    for run in plan.runs:
        (score,) = run.scores
        assert plan.tasks[score].inputs == (learned(plan, run.case, "correlation"), run.learn)


def test_it_changes_nothing_but_its_own_scores(tmp_path: Path) -> None:
    plans = [study_of(tmp_path, reference=name).plan for name in ("correlation", "precision")]
    own = [{t.key for t in plan.tasks if t.call.module == "edges_apart"} for plan in plans]
    others = [{t.key for t in plan.tasks if t.call.module != "edges_apart"} for plan in plans]
    assert others[0] == others[1]
    assert len(own[0]) == len(own[1]) == 6
    assert own[0].isdisjoint(own[1])


def test_plans_with_it_are_saved(tmp_path: Path) -> None:
    study = study_of(tmp_path, reference="precision")
    saved = facts_of_setup(study.config, study.plan, 0)
    save(saved, tmp_path)
    assert load(tmp_path).plan.runs == saved.plan.runs
    assert load(tmp_path).plan.origins[0].scores == ("apart",)


@pytest.mark.parametrize("name", ["precisoin", "hc", ""])
def test_one_that_is_not_in_the_setup_is_refused(tmp_path: Path, name: str) -> None:
    there = {"hc": [{"id": "hc"}]}
    with pytest.raises(StudyError, match=f"score apart, reference: unknown algorithm id.*'{name}'"):
        study_of(tmp_path, there, reference=name).plan  # noqa: B018


def results_of(folder: Path, study: Study) -> list[dict[str, str]]:
    study.run(folder / "out", jobs=1)
    with (folder / "out" / "small" / "beside" / "runs.csv").open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_an_algorithm_is_run_where_an_evaluation_reads_it(tmp_path: Path) -> None:
    study_of(tmp_path, ids=["precision"], reference="precision", graph_ids=["other"])
    content = json.loads((tmp_path / "study.json").read_text("utf-8"))
    setup = content["benchmark_setup"][0]
    setup["evaluation"]["benchmarks"]["ids"] = ["correlation"]
    setup["data"] = [{**setup["data"][0], "graph_id": name} for name in ("dag", "other")]
    graphs = content["resources"]["graph"]["pcalg_randdag"]
    graphs.append({**graphs[0], "id": "other", "d": 3})
    (tmp_path / "study.json").write_text(json.dumps(content), "utf-8")
    plan = Study.load(tmp_path / "study.json").plan
    found = {(plan.origins[plan.cases[run.case].origin].graph_id, run.entry) for run in plan.runs}
    assert found == {("dag", "correlation"), ("other", "correlation"), ("other", "precision")}


@pytest.mark.slow
def test_differences_are_to_the_reference(tmp_path: Path) -> None:
    rows = results_of(tmp_path, study_of(tmp_path, reference="correlation"))
    assert len(rows) == 6
    chosen = [row for row in rows if row["id"] == "correlation" and row["setting"] == "0"]
    first = {row["case"]: int(row["edges"]) for row in chosen}
    assert all(int(row["apart"]) == int(row["edges"]) - first[row["case"]] for row in rows)


@pytest.mark.slow
def test_a_reference_that_is_skipped_costs_its_scores_alone(tmp_path: Path) -> None:
    unsuited = {"hc": [{"id": "levels", "score": "bdeu"}]}
    study = study_of(tmp_path, unsuited, ids=["precision", "levels"], reference="levels")
    rows = results_of(tmp_path, study)
    assert [(row["id"], row["apart"]) for row in rows] == [("precision", "NA")] * 2
    assert all(row["edges"] for row in rows)
