"""The page on Benchpress's studies shows what was recorded, and the studies are the paper's."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import reproduce_benchpress as tool

from dagathlon.modules import find

ROOT = Path(__file__).parents[1]


STUDIES = sorted((ROOT / "studies").glob("paper_*.json"))


def learners(path: Path) -> dict[str, list[dict[str, Any]]]:
    return json.loads(path.read_text())["resources"]["structure_learning_algorithms"]


def test_page_is_what_was_recorded() -> None:
    command = [sys.executable, str(ROOT / "tools" / "reproduce_benchpress.py"), "--check"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr


def test_every_recorded_part_is_on_the_page() -> None:
    page = tool.PAGE.read_text("utf-8")
    for name in tool.recorded():
        assert f"<!-- benchpress {name} -->" in page
    assert {part.study for part in tool.PARTS.values()} == {path.stem for path in STUDIES}


def test_another_number_in_the_page_is_noticed() -> None:
    page = tool.PAGE.read_text("utf-8")
    changed = page.replace("| grasp-sem-bic | 2 | 1.00 |", "| grasp-sem-bic | 2 | 0.99 |", 1)
    assert changed != page
    assert tool.filled(changed, tool.recorded()) == page


def test_tables_are_medians_of_the_runs_that_ended() -> None:
    def row(value: str, tp: float, fp: float, status: str = "ok") -> dict[str, str]:
        about = {"id": "a", "curve_value": value, "status": status, "F1_skel": "1", "cpu": "2"}
        return about | {"TPR_pattern": str(tp), "FPRn_pattern": str(fp)}

    table = [row("1", 0.5, 0.1), row("1", 0.9, 0.3), row("1", 0.6, 0.2), row("1", 0, 0, "timeout")]
    table += [row("2", 0.4, 0.4), row("2", 0.4, 0.4), row("2", 0.4, 0.4), row("2", 0.4, 0.4)]
    first, second = tool.settings(table)
    assert (first["tp"], first["fp"], first["shd"]) == (0.6, 0.2, 0.6)
    assert (first["runs"], first["ended"]) == (4, 3)
    assert tool.best([first, second]) == [second]  # the first did not end everywhere


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_copies_name_the_published_searches(path: Path) -> None:
    """Those that Benchpress's names run: `tetrad_fges`, `tetrad_boss`, `pcalg_pc`."""
    fges, boss, pc = (
        find("algorithm", name).from_json({}).native()
        for name in ("tetrad_fges", "tetrad_boss", "pcalg_pc")
    )
    found = learners(path)
    assert {entry["faithfulness"] for entry in found.get("fges", [])} <= {fges.faithfulness}
    assert {entry["starts"] for entry in found.get("boss", [])} <= {boss.starts}
    assert {entry["max_order"] for entry in found["pc"]} == {pc.max_order}


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_gobnilp_takes_part_where_the_paper_has_it(path: Path) -> None:
    """Section 5 has it for all data; section 5.1 compares PC and dual PC alone."""
    (setup,) = json.loads(path.read_text())["benchmark_setup"]
    ids = setup["evaluation"]["benchmarks"]["ids"]
    there = [name for name in ids if name.startswith("gobnilp")]
    assert there == ([] if "pc_vs" in path.stem else [learners(path)["exact_map"][0]["id"]])


def test_limits_of_searches_are_as_the_study_says_of_itself() -> None:
    study = json.loads((ROOT / "studies" / "interval_2017.json").read_text())
    searches = study["resources"]["structure_learning_algorithms"]["exact_map"]
    limits = {one["id"]: one["time_limit"] for one in searches}
    assert limits.pop("bdeu_10") == 10
    assert set(limits.values()) == {30}
    assert "after 30 seconds (BDeu with ESS 10: after 10)" in study["benchmark_setup"][0]["_about"]
