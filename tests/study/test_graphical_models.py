"""The study of Gaussian graphical models in miniature: all of it runs, and its page has it all."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dagathlon import Study
from strategies import read_rows

pytestmark = pytest.mark.slow

STUDIES = Path(__file__).parents[2] / "studies"
SHAPES = {"band", "hub", "cluster", "scale-free", "random"}


def test_small_and_large_differ_in_sizes_alone() -> None:
    small, large = (
        json.loads((STUDIES / f"{name}.json").read_text())["benchmark_setup"][0]
        for name in ("graphical_models_small", "graphical_models")
    )
    assert small["evaluation"] == large["evaluation"]
    assert [one["graph_id"] for one in small["data"]] == [one["graph_id"] for one in large["data"]]


def test_every_run_of_the_small_study_ends_well(tmp_path: Path) -> None:
    Study.load(STUDIES / "graphical_models_small.json").run(tmp_path, jobs=2, figures="none")
    folder = tmp_path / "graphical_models_small"
    joint = read_rows(folder / "benchmarks/joint_benchmarks.csv")
    assert len(joint) == 5 * 2 * 13
    assert {row["status"] for row in joint} == {"ok"}
    means = read_rows(folder / "recovery/means.csv")
    assert {row["graph"] for row in means} == SHAPES
    for one in means[::37]:
        data = f"iid/n={one['rows']}/standardized=True"
        name = "band" if one["graph"] == "band" else f"shape={one['graph']}"
        own = [row for row in joint if row["data"] == data and row["id"] == one["id"]]
        values = [float(row["F1_skel"]) for row in own if name in row["adjmat"]]
        if one["metric"] == "F1_skel":
            assert float(one["mean"]) == pytest.approx(np.mean(values))
    page = (folder / "report.html").read_text()
    assert page.index('id="recovery"') < page.index('id="verdict"')
    assert page.count('<table class="recovery">') == 1 + 2 + 3
    for name in ("paths", "precision-matrices", "edge-probabilities"):
        assert f'id="{name}"' in page
    assert "All means with standard errors (130 rows)" in page
