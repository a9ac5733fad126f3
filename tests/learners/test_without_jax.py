"""Where JAX is missing: everything else works, and the line that installs it is told."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import sys
sys.modules["jax"] = None
from dagathlon.cli import main
sys.exit(main(sys.argv[1:]))
"""
STUDY = {
    "benchmark_setup": [
        {
            "title": "small",
            "data": [
                {"graph_id": "dag", "parameters_id": "sem", "data_id": "rows", "seed_range": [1, 2]}
            ],
            "evaluation": {"benchmarks": {"ids": ["variational", "pc"]}},
        }
    ],
    "resources": {
        "graph": {"pcalg_randdag": [{"id": "dag", "n": 4, "d": 2}]},
        "parameters": {"sem_params": [{"id": "sem", "min": 0.25, "max": 1}]},
        "data": {"iid": [{"id": "rows", "n": 30}]},
        "structure_learning_algorithms": {
            "dibs": [{"id": "variational"}],
            "pc": [{"id": "pc"}],
        },
    },
}
PIP = "pip install 'dagathlon[jax]'"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    call = [sys.executable, "-c", SCRIPT, *arguments]
    return subprocess.run(call, capture_output=True, text=True, check=False, timeout=100)


@pytest.mark.slow
def test_modules_are_described() -> None:
    found = run("modules", "dibs")
    assert found.returncode == 0
    assert "References" in found.stdout


@pytest.mark.slow
def test_learn_tells_the_line(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("a,b\n1.5,2\n2,1\n0.3,0.2\n1,4\n")
    found = run("learn", str(path), "--with", "dibs")
    assert found.returncode != 0
    assert PIP in found.stderr
    assert "Traceback" not in found.stderr


@pytest.mark.slow
def test_studies_skip_these_runs_alone(tmp_path: Path) -> None:
    path = tmp_path / "study.json"
    path.write_text(json.dumps(STUDY))
    options = ["--out", str(tmp_path / "out"), "--engine", "batched", "--figures", "none"]
    found = run("run", str(path), *options)
    said = " ".join((found.stdout + found.stderr).split())
    assert found.returncode == 0, said
    assert "dibs, 2 runs: " in said
    assert PIP in said
    assert "pc: " not in said


@pytest.mark.slow
def test_jax_is_loaded_by_nothing_but_its_learners() -> None:
    script = """
import sys
import dagathlon
from dagathlon.modules import modules
assert "dibs" in modules("algorithm")
sys.exit("jax" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
