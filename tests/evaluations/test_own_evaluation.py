"""Evaluations of third parties: one file adds tasks, tables, figures and a section."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dagathlon.cli import main
from dagathlon.errors import StudyError
from dagathlon.modules import registry
from dagathlon.study.records.file import load, save
from dagathlon.study.records.from_plan import facts_of_setup
from dagathlon.workflow import Study, rewrite
from strategies import read_rows

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "edge_counts.json"

HEAD = """
from dataclasses import dataclass
from dagathlon.evaluations import (
    Cases, DataScore, Evaluation, Figure, Grid, Listing, Results, RunScore, Section, Table,
    TableSet, Words,
)
"""


@pytest.fixture(autouse=True)
def forget(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Modules of one test are unknown to the next."""
    monkeypatch.setenv(registry.FILES, "")
    registry.modules.cache_clear()
    yield
    registry.modules.cache_clear()


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Path]:
    """Runs a small study with an evaluation; gives the folder of the setup."""

    def run(name: str, code: str, asked: Any, **more: Any) -> Path:
        (tmp_path / f"{name}.py").write_text(HEAD + code, "utf-8")
        content = json.loads(EXAMPLE.read_text("utf-8"))
        setup = content["benchmark_setup"][0]
        setup["evaluation"] = {"metrics": {"ids": ["hc", "pc"]}, name: asked, **more}
        setup["data"][0]["seed_range"] = [1, 2]
        content["modules"] = [f"{name}.py"]
        (tmp_path / "study.json").write_text(json.dumps(content), "utf-8")
        Study.load(tmp_path / "study.json").run(tmp_path / "out", jobs=1)
        return tmp_path / "out" / "edge_counts"

    return run


def payload(folder: Path) -> dict[str, Any]:
    page = (folder / "report.html").read_text("utf-8")
    found = re.search(r'<script type="application/json" id="report-data">(.*?)</script>', page)
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


@pytest.mark.slow
def test_the_example_adds_tasks_a_table_a_figure_and_a_section(tmp_path: Path) -> None:
    study = Study.load(EXAMPLE)
    assert len(study.plan.runs) == 4
    assert len(study.plan.further) == 2 * 2 * 3 * 3
    study.run(tmp_path, jobs=1)
    folder = tmp_path / "edge_counts"
    files = {path.name for path in (folder / "edge_counts").iterdir()}
    assert files == {"graphs.csv", "means.csv", "edges.svg", "edges.png"}
    rows = read_rows(folder / "edge_counts" / "graphs.csv")
    assert len(rows) == 36
    means = {
        (row["id"], row["rows"]): float(row["edges"])
        for row in read_rows(folder / "edge_counts" / "means.csv")
    }
    for (name, size), mean in means.items():
        edges = [int(r["edges"]) for r in rows if (r["id"], r["rows"]) == (name, size)]
        assert len(edges) == 6
        assert mean == pytest.approx(sum(edges) / 6)
    assert means["hc", "50"] < means["hc", "200"]
    page = (folder / "report.html").read_text("utf-8")
    assert '<section id="edge-counts" data-nav="Edges by sample size"' in page
    assert "edge-counts" in payload(folder)["figures"]
    # What is learned for an evaluation is no part of the study's own tables.
    assert len(read_rows(folder / "metrics" / "metrics.csv")) == 4


@pytest.mark.slow
def test_a_report_runs_no_code_of_the_evaluation(
    run: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = run("scored", SCORES, ["hc"])
    before = (folder / "scored" / "runs.csv").read_text("utf-8")
    monkeypatch.setenv(registry.FILES, "")
    registry.modules.cache_clear()
    (written,) = rewrite(folder.parent)
    reason = "no evaluation of that name is installed here (--modules names a file)"
    assert written.notes == [f"scored is not shown: {reason}"]
    assert "scored is not shown" in written.report.read_text("utf-8")
    assert (folder / "scored" / "runs.csv").read_text("utf-8") == before


def test_further_runs_are_saved(tmp_path: Path) -> None:
    study = Study.load(EXAMPLE)
    saved = facts_of_setup(study.config, study.plan, 0)
    save(saved, tmp_path)
    found = load(tmp_path).plan
    assert len(found.further) == 36
    assert found.further == saved.plan.further
    assert {found.cases[run.case].transform for run in found.further} == {
        f"subsample={n},{k}" for n in (50, 100, 200) for k in (1, 2, 3)
    }


def test_algorithms_meet_the_same_subsamples() -> None:
    plan = Study.load(EXAMPLE).plan
    data: dict[str, set[int]] = {}
    for one in plan.further:
        data.setdefault(one.entry, set()).add(plan.cases[one.case].data)
    assert data["hc"] == data["pc"]
    assert len(data["hc"]) == 18


SCORES = """
from dagathlon import Estimate, Graph
from dagathlon.data import Dataset
from dagathlon.modules import Module

@dataclass(frozen=True, kw_only=True)
class Surplus(Module):
    name = "surplus"
    kind = "metric"

    def compute(self, estimate: Estimate, truth: Graph) -> dict[str, int]:
        return {"surplus": estimate.graph.n_edges - truth.n_edges}

@dataclass(frozen=True, kw_only=True)
class Shape(Module):
    name = "shape_of_data"
    kind = "metric"

    def compute(self, data: Dataset, test_data: Dataset) -> dict[str, int]:
        return {"here": len(data), "fresh": len(test_data), "same": int(data == test_data)}

@dataclass(frozen=True, kw_only=True)
class Scored(Evaluation):
    name = "scored"
    shape = "ids"
    ids: tuple[str, ...] = ()

    def algorithms(self):
        return self.ids

    def tasks(self, cases: Cases):
        yield RunScore("surplus", Surplus(), ("estimate", "truth"))
        yield DataScore("shape", Shape(), ("data", "test_data"))

    def tables(self, results: Results):
        runs = results.runs_of(self.ids)
        scores = results.scores("surplus", runs)
        sizes = [graph.n_edges for _, graph in results.estimates(runs)]
        rows = [score | {"edges": n} for score, n in zip(scores, sizes, strict=True)]
        return {"runs": Table(rows, "runs.csv"), "data": Table(results.data_rows("shape"), "d.csv")}
"""


@pytest.mark.slow
def test_scores_are_answered_by_name(run: Callable[..., Path]) -> None:
    folder = run("scored", SCORES, ["hc"])
    rows = read_rows(folder / "scored" / "runs.csv")
    assert len(rows) == 2
    assert all(int(row["surplus"]) == int(row["edges"]) - 8 for row in rows)
    data = read_rows(folder / "scored" / "d.csv")
    assert [(row["seed"], row["here"], row["fresh"], row["same"]) for row in data] == [
        ("1", "400", "400", "0"),
        ("2", "400", "400", "0"),
    ]


FAILING = """
@dataclass(frozen=True, kw_only=True)
class Failing(Evaluation):
    name = "failing_evaluation"
    where: str = "tables"

    def tables(self, results):
        return {} if self.where != "tables" else 1 / 0

    def figures(self, tables):
        yield from () if self.where != "figures" else 1 / 0

    def files(self, results):
        if self.where == "files":
            yield "../../outside.txt", b"text"

    def section(self, tables):
        return None if self.where != "section" else 1 / 0
"""


@pytest.mark.slow
@pytest.mark.parametrize("where", ["tables", "figures", "section", "files"])
def test_an_error_costs_that_section_alone(run: Callable[..., Path], where: str) -> None:
    folder = run("failing_evaluation", FAILING, {"where": where})
    page = (folder / "report.html").read_text("utf-8")
    reason = "is no file in" if where == "files" else "ZeroDivisionError"
    assert '<section id="failing_evaluation"' in page
    assert reason in page
    assert len(read_rows(folder / "metrics" / "metrics.csv")) == 4
    assert not (folder.parent / "outside.txt").exists()


HOSTILE = """
BAD = "<script>alert(1)</script>"

@dataclass(frozen=True, kw_only=True)
class Hostile(Evaluation):
    name = "hostile"
    shape = "flag"

    def section(self, tables):
        chart = {"width": 50, "data": {"values": [{"a": BAD}]}, "mark": "bar", "encoding": {}}
        return Section("runs", BAD, [
            Words(BAD, BAD),
            Grid([BAD], [[BAD], [None], [0.123456], [3]]),
            Figure("boxes", BAD, BAD, [(BAD, chart)]),
            Listing(BAD, [{BAD: BAD}]),
        ], leading=True)
"""


@pytest.mark.slow
def test_a_section_cannot_break_the_page(run: Callable[..., Path]) -> None:
    folder = run("hostile", HOSTILE, True)
    page = (folder / "report.html").read_text("utf-8")
    assert "<script>alert" not in page
    assert page.count('<section id="runs"') == 1
    assert page.index('<section id="evaluation-runs"') < page.index('<section id="figures"')
    assert "<td>0.1235</td>" in page.replace(' class="text"', "")
    data = payload(folder)
    assert next(iter(data["figures"])) == "runs-boxes"
    assert "boxes" in data["figures"]
    assert data["figures"]["runs-boxes"] != data["figures"]["boxes"]
    assert set(data["listings"]) == {"edges", "script-alert-1-script"}


DEFAULT = """
@dataclass(frozen=True, kw_only=True)
class Present(Evaluation):
    name = "present"
    shape = "flag"

    @classmethod
    def by_default(cls, ids, has_truth):
        return cls() if has_truth and len(ids) == 2 else None

    def tables(self, results):
        return {"t": Table([{"a": 1}], "t.csv")}

    def section(self, tables):
        return Section("present", "Present", [Words(f"{len(tables.rows('t'))} row")])
"""


@pytest.mark.slow
def test_what_is_shown_by_default_writes_no_files(run: Callable[..., Path]) -> None:
    folder = run("present", DEFAULT, None)
    assert '<section id="present"' in (folder / "report.html").read_text("utf-8")
    assert not (folder / "present").exists()


@pytest.mark.slow
def test_false_leaves_out_what_is_shown_by_default(run: Callable[..., Path]) -> None:
    folder = run("present", DEFAULT, False)
    assert '<section id="present"' not in (folder / "report.html").read_text("utf-8")


@pytest.mark.slow
def test_agreement_can_be_asked_for(run: Callable[..., Path]) -> None:
    folder = run("present", DEFAULT, None, agreement={})
    assert '<section id="present"' in (folder / "report.html").read_text("utf-8")
    rows = read_rows(folder / "agreement" / "edges.csv")
    assert {"edge", "support", "in the truth"} <= set(rows[0])
    overlap = {
        (r["left"], r["right"]): float(r["overlap"])
        for r in read_rows(folder / "agreement" / "overlap.csv")
    }
    assert overlap["hc", "hc"] == overlap["pc", "pc"] == 1
    assert 0 < overlap["hc", "pc"] == overlap["pc", "hc"] < 1
    assert not (folder / "agreement" / "overlap_1.svg").is_file()
    assert main(["report", str(folder), "--figures", "all"]) == 0
    assert (folder / "agreement" / "overlap_1.svg").is_file()


@pytest.mark.slow
def test_the_skeleton_of_an_evaluation_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "evaluation", "my_sizes.py"]) == 0
    assert '"my_sizes": {"ids": ["hc"]}' in capsys.readouterr().out
    content = json.loads(EXAMPLE.read_text("utf-8"))
    content["benchmark_setup"][0]["evaluation"] = {"my_sizes": {"ids": ["hc"]}}
    content["modules"] = ["my_sizes.py"]
    (tmp_path / "study.json").write_text(json.dumps(content), "utf-8")
    assert main(["run", "study.json", "--out", "out", "--jobs", "1"]) == 0
    folder = tmp_path / "out" / "edge_counts"
    assert len(read_rows(folder / "my_sizes" / "edges.csv")) == 2
    assert {"edges.svg", "edges.png"} <= {p.name for p in (folder / "my_sizes").iterdir()}
    assert "my_sizes" in payload(folder)["figures"]
    assert main(["new", "evaluation", "my sizes.py"]) != 0
    assert main(["modules", "my_sizes", "--modules", "my_sizes.py"]) == 0
    assert '{"my_sizes": {"ids": ["hc"]}}' in capsys.readouterr().out


def test_wrong_parameters_are_named_with_their_place(tmp_path: Path) -> None:
    content = json.loads(EXAMPLE.read_text("utf-8"))
    content["modules"] = [str(ROOT / "examples" / "edge_counts.py")]
    asked = content["benchmark_setup"][0]["evaluation"]["edge_counts"]
    for change, message in (
        ({"sizes": [0]}, r"evaluation.edge_counts.sizes: found \[0\]"),
        ({"size": 3}, "did you mean 'sizes'"),
        ({"ids": ["hd"]}, r"evaluation.edge_counts: no algorithm has the id 'hd'"),
    ):
        content["benchmark_setup"][0]["evaluation"]["edge_counts"] = asked | change
        (tmp_path / "s.json").write_text(json.dumps(content), "utf-8")
        with pytest.raises(StudyError, match=message):
            Study.load(tmp_path / "s.json")


def test_the_evaluation_of_the_documentation_runs(run: Callable[..., Path]) -> None:
    text = (ROOT / "docs" / "how-to" / "own-evaluation.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    folder = run("halves", code, {"ids": ["hc"], "rows": 100})
    rows = read_rows(folder / "halves" / "halves.csv")
    assert [row["id"] for row in rows] == ["hc", "hc"]
    assert all(0 < int(row["edges"]) < 20 for row in rows)
