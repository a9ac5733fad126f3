"""A learner, a metric and an evaluation of one's own, a file each: what a third party writes."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest

from dagathlon.modules import add_files, find, modules, registry
from dagathlon.testing import check_learner
from dagathlon.workflow import Study
from strategies import read_rows

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever a test loads is forgotten after it."""
    monkeypatch.setenv(registry.FILES, "")
    yield
    monkeypatch.undo()
    modules.cache_clear()


def test_the_learner_does_what_studies_rely_on() -> None:
    add_files([EXAMPLES / "spanning_tree_learner.py"])
    check_learner("spanning_tree")
    assert find("algorithm", "spanning_tree").implementation == "spanning_tree_learner.py"


@pytest.mark.slow
def test_the_sampler_does_what_studies_rely_on_and_scores_itself(
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = EXAMPLES / "own_sampler.py"
    add_files([file])
    learner = find("algorithm", "resampled_search")
    assert learner.implementation == "own_sampler.py"
    runpy.run_path(str(file), run_name="__main__")
    own, exact = capsys.readouterr().out.splitlines()
    assert own.startswith("own {'e_shd': ")
    assert "'graph_mmd': 0.0," in exact


@pytest.mark.slow
def test_all_three_run_in_one_study(tmp_path: Path) -> None:
    Study.load(EXAMPLES / "own_parts.json").run(tmp_path, jobs=1)
    folder = tmp_path / "own_parts"
    joint = read_rows(folder / "benchmarks" / "joint_benchmarks.csv")
    assert len(joint) == 3 * 4
    assert {row["status"] for row in joint} == {"ok"}
    own = {row["implementation"] for row in joint if row["id"] == "tree"}
    assert own == {"spanning_tree_learner.py"}
    assert all(
        float(row["degree_error"]) >= 0 for row in read_rows(folder / "metrics" / "metrics.csv")
    )
    assert list((folder / "edge_counts").glob("*.csv"))
    page = (folder / "report.html").read_text()
    verdict = page.partition(">Verdict</h2>")[2].partition("<h2")[0]
    assert "degree error" in verdict
    assert "edge_counts" in page


@pytest.mark.slow
def test_the_sampler_is_scored_beside_the_exact_posterior(tmp_path: Path) -> None:
    Study.load(EXAMPLES / "own_sampler.json").run(tmp_path, jobs=1)
    found = list((tmp_path / "own_sampler" / "posteriors").glob("*.csv"))
    scored = [row for path in found for row in read_rows(path) if row.get("e_shd")]
    assert {"own", "exact", "mcmc"} <= {value for row in scored for value in row.values()}
