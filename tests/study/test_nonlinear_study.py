"""The study of nonlinear learners in miniature: all of it runs, sortability beside each result."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dagathlon import Study
from strategies import read_rows

STUDIES = Path(__file__).parents[2] / "studies"


@pytest.mark.slow
def test_every_run_of_the_small_study_ends_well_beside_its_sortability(tmp_path: Path) -> None:
    content = json.loads((STUDIES / "nonlinear_small.json").read_text())
    # The kernel test is most of the time.
    content["benchmark_setup"][0]["evaluation"]["benchmarks"]["ids"].remove("pc-kci")
    path = tmp_path / "nonlinear_small.json"
    path.write_text(json.dumps(content))
    Study.load(path).run(tmp_path / "out", jobs=2, figures="none")
    folder = tmp_path / "out" / "nonlinear_small"
    joint = read_rows(folder / "benchmarks/joint_benchmarks.csv")
    assert len(joint) == 8 * 11
    assert {row["status"] for row in joint} == {"ok"}
    runs = read_rows(folder / "metrics/metrics.csv")
    known = {(row["data"], row["seed"]): row for row in read_rows(folder / "metrics/data_sets.csv")}
    for row in runs:
        case = known[row["data"], row["seed"]]
        assert row["varsortability"] == case["varsortability"]
        assert row["r2_sortability"] == case["r2_sortability"]
    standardised = [row for row in runs if "standardized=True" in row["data"]]
    assert {float(row["varsortability"]) for row in standardised} == {0.5}
    cam, chance = (
        np.mean([float(row["SHD_dag"]) for row in runs if row["id"] == name])
        for name in ("cam", "random-sort")
    )
    assert cam < chance
    page = (folder / "report.html").read_text()
    assert page.count('data-label="sortability: variance, R²"') == 4
