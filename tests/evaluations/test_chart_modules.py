"""Charts by name, ours and one's own."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dagathlon import Study
from dagathlon.cli import main
from dagathlon.errors import StudyError
from dagathlon.evaluations import Look
from dagathlon.evaluations.benchmarks.charts import chart_named
from dagathlon.modules import add_files, modules

EXAMPLE = Path(__file__).parents[2] / "examples" / "own_chart.py"
CHARTS = ["boxes[metric=F1_skel]", "boxes", "roc", "cost", "edge_strips"]


@pytest.fixture(autouse=True)
def known() -> Iterator[None]:
    add_files([EXAMPLE])
    yield
    modules.cache_clear()


def study(charts: list[str]) -> Study:
    evaluation: dict[str, Any] = {
        "benchmarks": {"ids": ["hc", "pc"]},
        "charts": {"charts": charts},
    }
    return Study.build("mine", ["hc", "pc"], ["asia[n=200,seeds=3]"], evaluation=evaluation)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    add_files([EXAMPLE])
    out = tmp_path_factory.mktemp("charts")
    study(CHARTS).run(out, jobs=1, figures="all")
    return out / "mine"


def test_each_is_a_file_and_a_figure_of_the_page(folder: Path) -> None:
    names = {path.name for path in (folder / "charts").iterdir()}
    wanted = ["boxes", "boxes-2", "roc", "cost", "edge_strips"]
    assert names == {f"{name}.{ending}" for name in wanted for ending in ("png", "svg")}
    page = (folder / "report.html").read_text()
    assert "How much do the runs of an algorithm differ?" in page
    assert page.count("How good is each setting?") >= 2


def test_a_chart_shows_all_runs(folder: Path) -> None:
    """Each of two learners on three data sets."""
    with (folder / "benchmarks" / "joint_benchmarks.csv").open() as file:
        runs = list(csv.DictReader(file))
    assert len(runs) == 2 * 3
    chart = chart_named("edge_strips[metric=SHD_cpdag]")
    drawn = chart.draw([{**run, "setting": run["id"]} for run in runs], Look(("hc", "pc")))
    assert isinstance(drawn, dict)
    shown = [row["SHD_cpdag"] for row in drawn["data"]["values"]]
    assert shown == [run["SHD_cpdag"] for run in runs]


def test_unknown_charts_are_refused_before_anything_runs() -> None:
    with pytest.raises(StudyError, match=r"unknown chart module 'boxs'.*did you mean 'boxes'"):
        _ = study(["boxs"]).plan
    with pytest.raises(StudyError, match=r"boxes has no such parameter.*did you mean 'metric'"):
        _ = study(["boxes[metrc=time]"]).plan


def test_a_report_without_the_file_says_what_is_missing(folder: Path, monkeypatch) -> None:
    monkeypatch.setenv("DAGATHLON_MODULES", "")
    modules.cache_clear()
    assert main(["report", str(folder.parent)]) == 0
    page = (folder / "report.html").read_text()
    assert "edge_strips" in page
    assert "unknown chart module" in page


def test_a_study_file_names_the_chart_and_its_file(tmp_path: Path, capsys) -> None:
    content = study(["edge_strips[metric=time]"]).config.content
    assert content is not None
    whole = {"modules": [str(EXAMPLE)], **json.loads(content)}
    (tmp_path / "s.json").write_text(json.dumps(whole))
    assert main(["check", str(tmp_path / "s.json")]) == 0
    assert main(["modules", "edge_strips", "--modules", str(EXAMPLE)]) == 0
    assert "A tick for each run, at the value of a metric." in capsys.readouterr().out
