"""Learners whose result is a PAG, in a study against a true DAG."""

from __future__ import annotations

import copy
import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest
from small_study import STUDY

LEARNERS = ("fci", "rfci", "gfci")


@pytest.mark.slow
def test_pags_are_compared_with_a_dag(tmp_path: Path, plain_pictures: dict[str, str]) -> None:
    study = copy.deepcopy(STUDY)
    study["benchmark_setup"][0]["evaluation"] = {"benchmarks": {"ids": list(LEARNERS)}}
    study["benchmark_setup"][0]["data"][0]["seed_range"] = [1, 1]
    study["resources"]["graph"]["pcalg_randdag"][0]["n"] = 6
    study["resources"]["data"]["iid"][0]["n"] = 200
    study["resources"]["structure_learning_algorithms"] = {
        name: [{"id": name, "alpha": 0.01}] for name in LEARNERS
    }
    file = tmp_path / "latent.json"
    file.write_text(json.dumps(study))
    command = [sys.executable, "-m", "dagathlon", "run", str(file), "--out", str(tmp_path / "out")]
    subprocess.run([*command, "--jobs", "1", "--quiet"], check=True, env=plain_pictures)
    table = tmp_path / "out" / "small" / "benchmarks" / "joint_benchmarks.csv"
    with table.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == len(LEARNERS)
    assert {row["status"] for row in rows} == {"ok"}
    assert {row["algorithm"] for row in rows} == set(LEARNERS)
    assert all(0 <= float(row["F1_skel"]) <= 1 for row in rows)
    assert all(float(row["SHD"]) >= 0 for row in rows)
