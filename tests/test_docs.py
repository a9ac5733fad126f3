"""What the documentation shows must work."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dagathlon import Study
from dagathlon.modules.registry import FILES

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_json_is_json_and_studies_are_studies(page: Path, tmp_path: Path) -> None:
    for number, text in enumerate(blocks(page, "json")):
        shown = json.loads(text)
        assert shown, f"block {number} is empty"
        if {"benchmark_setup", "resources"} <= set(shown) and "modules" not in shown:
            (tmp_path / "study.json").write_text(text)
            assert Study.load(tmp_path / "study.json").plan.tasks


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if not target.startswith(("http", "mailto")):
            assert (page.parent / target).exists(), target


@pytest.mark.slow
def test_reference_pages_are_as_they_would_be_written() -> None:
    # In a process of its own, and without what other tests made known to processes.
    tool = [sys.executable, str(ROOT / "tools" / "docs_reference.py"), "--check"]
    clean = {name: value for name, value in os.environ.items() if name != FILES}
    found = subprocess.run(tool, capture_output=True, text=True, check=False, env=clean)
    assert found.returncode == 0, found.stdout + found.stderr


def test_python_of_the_page_on_scores_and_tests_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = ROOT / "docs" / "how-to" / "scores-and-tests.md"
    for text in blocks(page, "python"):
        exec(text, {})
    printed = capsys.readouterr().out
    assert "TestResult(statistic=" in printed
    assert "False" in printed


def test_python_of_the_page_on_posteriors_runs(capsys: pytest.CaptureFixture[str]) -> None:
    known: dict[str, object] = {}
    for text in blocks(ROOT / "docs" / "evaluation-posteriors.md", "python"):
        exec(text, known)
    assert "e_shd" in capsys.readouterr().out
