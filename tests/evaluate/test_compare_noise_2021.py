"""The tool that puts a run of the noise study beside its paper, given the paper itself."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

from dagathlon.evaluations.noise.tables import NoiseStudyTables

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
    rows = {(row["conclusion"], row["metric"]): row for row in found.conclusions()}
    places = {"TABU is first without noise": 1.0, "HC is second without noise": 2.0}
    for name, value in places.items():
        row = rows[name, "f1"]
        assert row["here"] == row["paper, same networks and sizes"] == value
    for name, metric in (
        ("F1 and BSF agree, SHD differs", ""),
        ("HC and TABU are the first two without noise", "bsf"),
        ("SaiyanH is the first of the hybrids without noise", "f1"),
        ("score-based before constraint-based without noise", "f1"),
        ("Pathfinder is the hardest", ""),
    ):
        row = rows[name, metric]
        assert row["here"] > 0
        assert row["here"] == row["paper, same networks and sizes"]
    loss = rows["loss by all four", "bsf"]
    assert loss["here"] == pytest.approx(loss["paper, same networks and sizes"], abs=0.005)
    missing = rows["loss by both", "f1"]
    assert missing["here"] is None
    assert missing["paper, same networks and sizes"] == pytest.approx(0.261, abs=0.001)


def test_a_part_says_so_first(tool: ModuleType) -> None:
    paper = tool.Paper.load()
    runs = paper.runs([("asia", 100)])
    study = NoiseStudyTables.of(runs, 21600.0, resamples=1)
    words = "30 of 7,200 runs are in; the study is running"
    part = tool.about(tool.Comparison(runs, study, paper, words))
    assert part.splitlines()[0] == f"Not the whole study: {words}."
    assert tool.about(tool.Comparison(runs, study, paper)) == part.splitlines()[1]
