"""A small study of noise: its tables against the joint table of the same runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dagathlon.evaluations.noise.runs import case_places, charged_limit, example_runs, noise_runs
from dagathlon.report.results import Results
from dagathlon.study.store.store import Store
from dagathlon.workflow import Study
from strategies import read_rows

pytestmark = pytest.mark.slow

IDS = ["hc", "gs", "fci", "failing"]
MODULES = Path(__file__).parents[1] / "report" / "report_modules.py"


def _study(folder: Path, evaluation: dict[str, Any]) -> Path:
    entry = {"graph_id": "asia.csv", "parameters_id": "asia.rds", "data_id": "rows"}
    noise = ["N", "M10", "S10", {"missing": 0.02, "latent": 0.1}]
    learners = {
        "hc": [{"id": "hc", "score": "bic"}],
        "gs": [{"id": "gs", "test": "mi", "alpha": 0.05}],
        "fci": [{"id": "fci", "test": "g-square", "alpha": 0.01}],
        "failing_learner": [{"id": "failing"}],
    }
    content = {
        "modules": [str(MODULES)],
        "benchmark_setup": [
            {
                "title": "noise",
                "data": [entry | {"seed_range": [1, 2], "noise": noise}],
                "evaluation": evaluation,
                "time_limit": 60,
            }
        ],
        "resources": {
            "graph": {},
            "parameters": {},
            "data": {"iid": [{"id": "rows", "n": [100, 400], "standardized": False}]},
            "structure_learning_algorithms": learners,
        },
    }
    path = folder / "study.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("noise")
    study = _study(place, {"benchmarks": {"ids": IDS}, "noise_study": [{}]})
    Study.load(study).run(place / "results", jobs=1, figures="none")
    return place / "results" / "noise"


def test_runs_are_named_by_network_code_rows_and_seed(folder: Path) -> None:
    results = Results.of(folder, Store(folder.parent / "store"))
    runs = noise_runs(results)
    assert {run.network for run in runs} == {"asia"}
    # Asia has binary variables only: nothing can be merged, and S10 is left out.
    assert {run.code for run in runs} == {"N", "M10", "cM2L10"}
    assert {(run.n, run.seed) for run in runs} == {(n, s) for n in (100, 400) for s in (1, 2)}
    assert {run.algorithm for run in runs if run.failure == "error"} == {"failing"}
    assert {(run.n_parameters, run.n_nodes) for run in runs} == {(18, 8)}
    assert charged_limit(results, None, runs) == 60
    assert len(set(case_places(results).values())) == len(results.cases)


def test_accuracy_kept_is_that_of_the_joint_table(folder: Path) -> None:
    joint = read_rows(folder / "benchmarks" / "joint_benchmarks.csv")
    finished = [row for row in joint if row["status"] == "ok"]

    def mean(algorithm: str, noise: str) -> float:
        mine = [row for row in finished if row["id"] == algorithm]
        some = [row for row in mine if row["data"].endswith(noise)]
        scores = [0 if row["bayesys_f1"] == "NA" else float(row["bayesys_f1"]) for row in some]
        scores = [(f1 + float(row["bsf"])) / 2 for f1, row in zip(scores, some, strict=True)]
        assert len(scores) == 4
        return sum(scores) / 4

    kept = read_rows(folder / "noise_study" / "accuracy_kept.csv")
    found = {(row["algorithm"], row["code"]): row["kept"] for row in kept}
    for algorithm in ("hc", "gs", "fci"):
        clean = mean(algorithm, "standardized=False")
        for code in ("M10", "cM2L10"):
            share = mean(algorithm, f"noise={code}") / clean
            assert float(found[algorithm, code]) == pytest.approx(share, rel=1e-9)
    assert found["failing", "M10"] == "NA"


def test_every_table_is_there_in_three_forms(folder: Path) -> None:
    own = folder / "noise_study"
    tables = {path.stem for path in own.glob("*.csv")}
    assert {"ranks_clean", "relative_all", "failures_by_size", "accuracy_kept"} < tables
    assert len(tables) > 25
    for form in ("tex", "html"):
        printed = {path.stem for path in own.glob(f"*.{form}")}
        assert tables - printed == {"runs"}
    assert "failing" in (own / "failures_by_noise.tex").read_text("utf-8")


def test_the_page_shows_noise_in_place_of_scatters(folder: Path) -> None:
    page = (folder / "report.html").read_text("utf-8")
    assert 'section id="noise"' in page
    assert 'data-figure="roc"' not in page
    assert "Intervals are over samples" in page  # each network has two
    assert "12 of 48 runs failed: 12 ended in an error (failing 12)." in page


def test_a_cell_leads_to_a_run_in_the_middle(folder: Path) -> None:
    results = Results.of(folder, Store(folder.parent / "store"))
    rows = results.rows(results.ids)
    for example in example_runs(results, ["hc"]):
        row, code = rows[example["run"]], example["code"]
        assert row["id"] == example["algorithm"] == "hc"
        assert row["data"].endswith("False" if code == "N" else f"noise={code}")
        alike = [r for r in rows if r["id"] == "hc" and _code(r) == _code(row)]
        assert sorted(r["bayesys_f1"] for r in alike)[2] == row["bayesys_f1"]


def _code(row: dict[str, Any]) -> str:
    return str(row["data"]).partition("noise=")[2]


@pytest.mark.parametrize(("asked", "shown"), [({}, 1), ({"noise_study": False}, 0)])
def test_it_is_shown_unasked_and_can_be_switched_off(
    tmp_path: Path, asked: dict[str, Any], shown: int
) -> None:
    study = _study(tmp_path, {"benchmarks": {"ids": ["hc"]}} | asked)
    Study.load(study).run(tmp_path / "results", jobs=1, figures="none")
    page = (tmp_path / "results" / "noise" / "report.html").read_text("utf-8")
    assert page.count('section id="noise"') == shown
    assert not (tmp_path / "results" / "noise" / "noise_study").exists()
