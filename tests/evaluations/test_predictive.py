"""Cross-validation that learns anew in every fold: which rows, under which prior, what numbers."""

from __future__ import annotations

import csv
import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dagathlon.data import Dataset, Network
from dagathlon.evaluate.models.cross_entropy import discrete_cross_entropy
from dagathlon.evaluate.models.likelihood import fit
from dagathlon.evaluations.predictive.evaluation import Predictive
from dagathlon.evaluations.predictive.tables import cross_validated, summarised
from dagathlon.graphs import Graph, extension
from dagathlon.report.evaluation import Table, TableSet
from dagathlon.report.figures.palette import Look
from dagathlon.report.results import Results
from dagathlon.study.plan.task import TaskKind
from dagathlon.study.store.store import Store
from dagathlon.workflow import Study

FOLDS, ROWS = 3, 80
ALGORITHMS = {
    "hc": [{"id": "hc", "score": "bdeu", "iss": [0.5, 4]}],
    "ges": [{"id": "ges", "score": "bic"}],
    "fci": [{"id": "fci"}],
}
SIZES = {"hc": (0.5, 4.0), "ges": (5.0,), "fci": (5.0,)}


def content(seeds: list[int], **evaluation: Any) -> dict[str, Any]:
    entry = {"graph_id": "asia", "parameters_id": "asia", "data_id": "d", "seed_range": seeds}
    wanted = {"predictive": {"folds": FOLDS}} | evaluation
    setup = {"title": "p", "data": [entry], "evaluation": wanted}
    resources = {"graph": {}, "parameters": {}, "data": {"iid": [{"id": "d", "n": ROWS}]}}
    resources |= {"structure_learning_algorithms": ALGORITHMS}
    wanted["graph_estimation"] = {"ids": list(ALGORITHMS)}
    return {"benchmark_setup": [setup], "resources": resources}


def written(folder: Path, study: dict[str, Any]) -> Path:
    path = folder / "study.json"
    path.write_text(json.dumps(study), "utf-8")
    return path


def test_every_setting_is_scored_under_its_own_prior(tmp_path: Path) -> None:
    study = content([1, 2], metrics={"held_out": True})
    plan = Study.load(written(tmp_path, study)).plan
    assert len(plan.further) == 2 * FOLDS * 4
    assert plan.counts()[TaskKind.TRANSFORM] == 2 * FOLDS * 2
    for run in plan.further:
        (score,) = run.scores
        training, test, estimate = plan.tasks[score].inputs
        assert (training, estimate) == (plan.cases[run.case].data, run.estimate)
        values = plan.tasks[test].call.values
        assert values == {**plan.tasks[training].call.values, "left_out": True}
        assert plan.tasks[score].call.values["sample_size"] == SIZES[run.entry][run.setting]
    for run in plan.runs:
        calls = {plan.tasks[score].call.module: plan.tasks[score].call for score in run.scores}
        assert set(calls) == {"held_out", "cross_entropy"}
        assert calls["cross_entropy"].values["sample_size"] == SIZES[run.entry][run.setting]


def counted(data: Dataset) -> Counter[bytes]:
    return Counter(row.tobytes() for row in np.ascontiguousarray(data.codes))


def plain(graph: Graph, training: Dataset, rows: Counter[bytes], size: float) -> list[float]:
    """Log-likelihoods of rows by counting."""
    dag = graph if graph.is_dag else extension(graph)
    found = []
    for row, times in rows.items():
        codes = dict(zip(training.names, np.frombuffer(row, training.codes.dtype), strict=True))
        total = 0.0
        for name in dag.names:
            parents = list(dag.parents(name))
            cells = size / 2 ** (1 + len(parents))
            same = np.ones(len(training), dtype=bool)
            for parent in parents:
                same &= training.column(parent) == codes[parent]
            hits = (same & (training.column(name) == codes[name])).sum()
            total += math.log((hits + cells) / (same.sum() + 2 * cells))
        found += [total] * times
    return found


@pytest.mark.slow
def test_numbers_are_those_of_plain_counting(tmp_path: Path) -> None:
    path = written(tmp_path, content([1, 1]))
    Study.load(path).run(tmp_path / "out", jobs=1)
    with Store(tmp_path / "out" / "store") as store:
        results = Results.of(tmp_path / "out" / "p", store)
        (data,) = (results.data(case) for case in results.cases)
        assert data is not None
        values: dict[tuple[str, int], list[float]] = {}
        for number in range(1, FOLDS + 1):
            for run in results.further_runs(("hc", "ges"), f"fold={number}of{FOLDS}"):
                training, learned = results.data(results.case(run)), results.learned(run)
                assert training is not None
                assert learned is not None
                rows = plain(
                    learned.graph,
                    training,
                    counted(data) - counted(training),
                    SIZES[run.entry][run.setting],
                )
                values.setdefault((run.entry, run.setting), []).extend(rows)
        found = cross_validated(results, ("hc", "ges"), FOLDS)
        entropies = {
            (run.entry, run.setting): discrete_cross_entropy(
                fit(learned.graph, data, SIZES[run.entry][run.setting]), Network.load("asia")
            )
            for run in results.runs_of(("hc", "ges"))
            if (learned := results.learned(run)) is not None
        }
    assert len(found) == len(values) == 3
    for place, one in found.items():
        rows = values[place.id, place.setting]
        assert one.rows == len(rows) == ROWS
        assert one.mean == pytest.approx(np.mean(rows))
        assert one.error == pytest.approx(np.std(rows, ddof=1) / math.sqrt(ROWS))
    with (tmp_path / "out" / "p" / "predictive" / "predictive.csv").open(encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert [row["id"] for row in table][-1] == "fci"
    assert "PAG" in table[-1]["note"]
    numbers = [float(row["cv_log_likelihood"]) for row in table[:3]]
    assert numbers == sorted((one.mean for one in found.values() if one.mean), reverse=True)
    shown = sorted(float(row["cross_entropy"]) for row in table[:3])
    assert shown == pytest.approx(sorted(entropies.values()))
    assert {row["cross_entropy_how"] for row in table[:3]} == {"exact"}
    page = (tmp_path / "out" / "p" / "report.html").read_text("utf-8")
    assert '<section id="predictive"' in page


def test_too_few_rows_for_the_folds_are_said_once(tmp_path: Path) -> None:
    study = content([1, 1])
    study["benchmark_setup"][0]["evaluation"]["predictive"] = {"folds": ROWS + 1}
    plan = Study.load(written(tmp_path, study)).plan
    reasons = [one.reason for one in plan.omissions if one.transform.startswith("fold")]
    assert reasons == ["81 folds need a row each, and there are 80"]


def row(setting: str, seed: int, value: float | None) -> dict[str, Any]:
    labels = {"id": setting, "adjmat": "g", "parameters": "p", "data": "d", "seed": seed}
    numbers = {"rows": 10, "cv_log_likelihood": value, "se": 0.1, "cross_entropy": None}
    note = "no density" if value is None else None
    return labels | {"setting": setting} | numbers | {"note": note, "remark": None}


def test_means_are_paired_by_data_set() -> None:
    values = {"a": [-1.0, -2.0, -6.0], "b": [-2.0, -2.0, -9.0], "c": [-1.0, None, -1.0]}
    rows = [row(name, seed, one) for name, own in values.items() for seed, one in enumerate(own)]
    first, second, third = summarised(rows)
    assert (first["setting"], first["cv_log_likelihood"], first["to the best"]) == ("a", -3.0, None)
    apart = np.array([-1.0, 0.0, -3.0])
    assert second["to the best"] == pytest.approx(apart.mean())
    assert second["± to the best"] == pytest.approx(apart.std(ddof=1) / math.sqrt(3))
    assert (third["setting"], third["cv_log_likelihood"]) == ("c", None)
    assert third["note"] == "on 1 of 3 data sets there is no number: no density"


def test_curves_are_drawn_over_several_numbers_of_rows() -> None:
    rows = [
        row(name, seed, value) | {"rows": n}
        for name, seed, n, value in (
            ("a", 1, 100, -3.0),
            ("a", 2, 100, -5.0),
            ("a", 1, 200, -2.0),
            ("b", 1, 100, -4.0),
        )
    ]

    def curves(chosen: list[dict[str, Any]]) -> list[Any]:
        tables = TableSet({"predictive": Table(chosen)}, "", Look.of("ab"), False)
        return [chart for name, chart in Predictive().figures(tables) if name == "predictive_rows"]

    assert curves(rows[:2]) == []
    (chart,) = curves(rows)
    points = {(one["id"], one["rows"]): one for one in chart["data"]["values"]}
    # Over data sets where there are several, else over rows.
    assert (points["a", 100]["low"], points["a", 100]["high"]) == (-6.0, -2.0)
    assert (points["b", 100]["low"], points["b", 100]["high"]) == (-4.2, -3.8)
    assert points["a", 200]["mean"] == -2.0
