"""FOFC, FTFC and FASK against Tetrad 7.6.3: recorded results, and Java itself on fresh data."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from dagathlon.data import Dataset, Variable
from dagathlon.graphs import Mark
from dagathlon.learners import learn
from dagathlon.learners.measurement.cluster_learner import _fourth_moments

TOOL = Path(__file__).parents[2] / "tools" / "tetrad_clusters.py"
CASES = json.loads(Path(__file__).with_name("tetrad_clusters.json").read_text())


def load_tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tetrad_clusters", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def ours(case: dict[str, Any], table: Any, alpha: float) -> list[list[int]]:
    data = Dataset([Variable(f"X{i}") for i in range(table.shape[1])], values=np.array(table))
    given = {k: v for k, v in case.items() if k not in ("seed", "learner", "checksum", "found")}
    if case["learner"] == "fask":
        marks = learn(data, "fask", **given).graph.marks
        return sorted(np.argwhere(marks == Mark.ARROW).tolist())
    found = learn(data, case["learner"], like="tetrad", alpha=alpha, **given)
    assert found.measurement is not None
    clusters = found.measurement.clusters
    return sorted(sorted(int(name[1:]) for name in cluster) for cluster in clusters)


def compare(cases: list[dict[str, Any]]) -> None:
    tool = load_tool()
    for case in cases:
        table = tool.table_of(case)
        assert float(np.abs(table).sum()) == pytest.approx(case["checksum"], rel=1e-12)
        assert ours(case, table, tool.ALPHA) == case["found"], case


def test_the_same_clusters_and_directions_as_recorded() -> None:
    assert {case["learner"] for case in CASES} == {"fofc", "ftfc", "fask"}
    assert sum(bool(case["found"]) for case in CASES) > len(CASES) / 2
    compare(CASES)


@pytest.mark.slow
def test_the_same_clusters_and_directions_as_java_on_fresh_data() -> None:
    python = os.environ.get("DAGATHLON_TETRAD_PYTHON", sys.executable)
    asked = [python, "-c", "import jpype, tetrad_plus"]
    absent = subprocess.run(asked, capture_output=True, check=False).returncode
    if shutil.which("java") is None or absent:
        pytest.skip("needs Java and a Python with tetrad-plus and JPype1 (DAGATHLON_TETRAD_PYTHON)")
    first = str(int(np.random.default_rng().integers(600_000, 10**9)))
    command = [python, str(TOOL), "--first", first, "--count", "4"]
    made = subprocess.run(command, capture_output=True, text=True, check=True)
    compare(json.loads(made.stdout))


def test_constant_columns_do_not_change_clusters() -> None:
    rng = np.random.default_rng(5)
    causes = np.repeat(rng.normal(size=(210, 2)), 4, axis=1)
    shown = causes + 0.6 * rng.normal(size=(210, 8))
    # The variance of these is not 0, for their mean is rounded.
    values = np.column_stack([shown, np.full(210, 0.1), np.full(210, 0.3)])
    assert (values[:, 8:].std(axis=0) > 0).any()
    data = Dataset([Variable(f"X{i}") for i in range(10)], values=values)
    for test in ("wishart", "delta"):
        found = learn(data, "fofc", test=test, alpha=0.001)
        assert found.measurement is not None
        assert len(found.measurement.clusters) == 2
        assert found.notes == ("columns that never vary were left out: X8, X9",)


def test_fourth_moments_are_those_of_all_rows_at_once() -> None:
    columns = np.random.default_rng(6).normal(size=(9000, 3))
    pairs = np.column_stack([columns[:, i] * columns[:, j] for i, j in ((0, 1), (0, 2), (1, 2))])
    np.testing.assert_allclose(_fourth_moments(columns), pairs.T @ pairs / 9000)
