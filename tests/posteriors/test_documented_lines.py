"""The lines that the page on Bayesian learners shows do what it says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from dagathlon.data import Network, write_data
from dagathlon.posteriors import Posterior, read_posterior

PAGE = Path(__file__).parents[2] / "docs" / "learners-bayesian.md"


@pytest.mark.slow
def test_the_lines_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_data(Network.load("asia").sample(100, seed=1), tmp_path / "data.csv")
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    scope: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), scope)
    assert len(blocks) == 3
    assert len(scope["posterior"].chains) == 4
    assert read_posterior("mine.npz") == scope["mine"]
    assert len(scope["both"].chains) == 2
    assert isinstance(read_posterior("mine.csv"), Posterior)
