"""The tool that puts a run of the noise study beside its paper, given the paper itself."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

from dagathlon.evaluate.noise_runs import NoiseStudyTables

pytestmark = pytest.mark.slow
TOOLS = Path(__file__).parents[2] / "tools"


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(TOOLS))
    return importlib.import_module("compare_noise_2021")


def test_the_paper_beside_itself(tool: ModuleType) -> None:
    paper = tool.Paper.load()
    cells = [(name, n) for name in paper.printed["networks"] for n in paper.printed["sizes"]]
    runs = paper.runs(cells)
    # Five of NOTEARS, thirty of the others, without noise and with all of it.
    assert len(runs) == 2 * (5 + 14 * 30)
    found = tool.Comparison(runs, NoiseStudyTables.of(runs, 21600.0, resamples=1), paper)
    for row in found.correlations():
        if row["data"] == "clean":  # ranks of scores with two digits have more ties
            assert row["spearman"] > 0.98
        if row["data"] != "noisy":
            assert row["spearman_same_cells"] == pytest.approx(1)
    for code in ("N", "cMISL"):
        for row in found.differences(code):
            assert row["f1_worst"] == row["shd_worst"] == row["bsf_worst"] == 0
            assert row["failed_here"] == row["failed_there"]
    printed = {row["algorithm"]: row["failed_there"] for row in found.differences("N")}
    for name, by_code in paper.printed["failures"].items():
        assert printed[name] == sum(by_code["N"]), name


def test_conclusions_of_the_paper_hold_for_its_own_numbers(tool: ModuleType) -> None:
    paper = tool.Paper.load()
    cells = [(name, n) for name in paper.printed["networks"] for n in paper.printed["sizes"]]
    runs = paper.runs(cells)
    found = tool.Comparison(runs, NoiseStudyTables.of(runs, 21600.0, resamples=1), paper)
    rows = {row["conclusion"]: row for row in found.conclusions()}
    for name in (
        "F1 and BSF order algorithms alike, SHD does not",
        "TABU is first without noise",
        "HC is second without noise",
        "ILP is third without noise",
        "SaiyanH is the best hybrid learner",
        "loss by all four",
        "score-based ahead of constraint-based",
        "Pathfinder is the hardest",
    ):
        assert rows[name]["holds"] == "yes", rows[name]
    assert rows["loss by both"]["here"] == "not in this run"
