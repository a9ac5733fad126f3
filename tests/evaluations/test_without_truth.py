"""Data without truth: agreement, stability, held-out likelihood, rejected independences."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dagathlon.cli import main
from dagathlon.data import LinearSem, write_data
from dagathlon.study.config.new_study import picked_study
from dagathlon.study.plan.task import TaskKind
from dagathlon.study.store.store import Store
from dagathlon.workflow import Study
from strategies import read_rows

SEM = LinearSem(
    "ABCD",
    [[0, 0.9, 0, 0.7], [0, 0, 0.9, 0], [0, 0, 0, 0.7], [0, 0, 0, 0]],
    [1.0, 0.5, 0.5, 0.5],
)
COPIES, SUBSAMPLES = 4, 2
# The sizes below 300 rows are 100 and 200.
SIZES = 2


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """What the command writes for a data file, with fewer bootstrap samples."""
    write_data(SEM.sample(300, np.random.default_rng(1)), tmp_path / "rows.csv")
    picks = ["pc[alpha=0.01,0.05]", "hc", "fci"]
    content = picked_study("mine", picks, [str(tmp_path / "rows.csv")], home=tmp_path)
    evaluation = content["benchmark_setup"][0]["evaluation"]
    evaluation["stability"]["copies"] = COPIES
    evaluation["intersection_validation"]["subsamples"] = SUBSAMPLES
    evaluation |= {"learned_graphs": {}, "data_description": True}
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(content), "utf-8")
    return path


def test_every_setting_is_learned_again_on_each_sample(study: Path) -> None:
    plan = Study.load(study).plan
    assert len(plan.runs) == 4
    samples = COPIES + SIZES * SUBSAMPLES
    assert len(plan.further) == 4 * samples
    counts = plan.counts()
    assert counts[TaskKind.TRANSFORM] == samples
    # For each run the rows held out and the independences; for the data the graph without edges.
    assert counts[TaskKind.SCORE] == 2 * 4 + 1


@pytest.mark.slow
def test_the_report_without_truth(study: Path, tmp_path: Path) -> None:
    summary = Study.load(study).run(tmp_path / "out", jobs=1)
    assert not summary.failures()
    folder = tmp_path / "out" / "mine"
    edges = read_rows(folder / "agreement" / "edges.csv")
    assert {row["support"] for row in edges if row["edge"][::4] in ("AB", "BC")} == {"1"}
    assert all(0 <= float(row["bootstrap"]) <= 1 for row in edges)
    # Three algorithms vote, of which one has two settings.
    assert all(float(row["support"]) * 6 % 1 < 1e-9 for row in edges)
    learners = {row["setting"]: row for row in read_rows(folder / "stability" / "learners.csv")}
    assert set(learners) == {"pc, alpha = 0.01", "pc, alpha = 0.05", "hc", "fci"}
    assert {row["samples"] for row in learners.values()} == {str(COPIES)}
    shares = [
        row for row in read_rows(folder / "stability" / "edges.csv") if row["setting"] == "hc"
    ]
    mine = [float(row["joined"]) for row in shares if row["in the graph"] == "yes"]
    assert float(learners["hc"]["edges back"]) == pytest.approx(np.mean(mine))
    held = {row["setting"]: row for row in read_rows(folder / "held_out" / "held_out.csv")}
    assert held["fci"]["log-likelihood"] == "NA"
    assert float(held["hc"]["to no edges"]) > 1
    graphs = {row["setting"]: row for row in read_rows(folder / "independences" / "graphs.csv")}
    assert graphs["hc"]["rejected"] == "0"
    page = (folder / "report.html").read_text("utf-8")
    for name in ("agreement", "stability", "held-out", "independences", "learned", "data"):
        assert f'<section id="{name}"' in page
    assert page.count('class="edge styled"') >= len(edges)
    # What is missing is learned again, and nothing else.
    plan = Study.load(study).plan
    with Store(tmp_path / "out" / "store") as store:
        store.drop([plan.tasks[run.learn].key for run in plan.further[:3]])
    again = Study.load(study).run(tmp_path / "out", jobs=1)
    assert again.ran.total() == 3


@pytest.mark.slow
def test_one_learner_has_the_same_report(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, folder = tmp_path / "page.html", tmp_path / "report"
    data = str(study.parent / "rows.csv")
    assert main(["learn", data, "--with", "hc", "--report", str(page), "--copies", "2"]) == 0
    text = page.read_text("utf-8")
    for name in ("learned", "stability", "held-out", "independences", "data"):
        assert f'<section id="{name}"' in text
    assert '<section id="agreement"' not in text
    assert "1 came from the store" in capsys.readouterr().err
    assert (
        main(
            [
                "learn",
                data,
                "--with",
                "order_mcmc[iterations=2000]",
                "--report",
                str(folder),
                "--copies",
                "0",
            ]
        )
        == 0
    )
    assert not (folder / "stability").exists()
    rows = read_rows(folder / "learned_graphs" / "statistics.csv")
    assert {row["statistic"] for row in rows} >= {"edges", "kind of graph", "seconds"}
    assert main(["learn", data, "--with", "hc", "--report", str(folder)]) == 2
    assert "exists already" in capsys.readouterr().err


def test_a_report_that_cannot_be_written_is_refused_first(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = str(study.parent / "rows.csv")
    place = str(tmp_path / "nowhere" / "page.html")
    assert main(["learn", data, "--with", "hc", "--report", place]) == 2
    assert "nowhere" in capsys.readouterr().err
    there = str(study.parent)
    assert main(["learn", data, "--with", "hc", "--report", there]) == 2
    assert main(["learn", data, "--with", "hc", "--report", "x.html", "--copies", "-1"]) == 2
    assert not Path("x.html").exists()
