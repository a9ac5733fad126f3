"""Whole runs on a real SLURM: the same results as at home, and a run that is itself a job."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from clusters_under_test import queue, queue_empties

from dagathlon.cli import main
from dagathlon.study.store.claims import run_records
from dagathlon.study.store.store import Store
from endless_study import endless_study

pytest.importorskip("dask_jobqueue")
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("slurm")]

SETTINGS = 'engine = "slurm"\nworkers = 2\ncores = 1\nmemory = "1G"\nwalltime = "0:30:00"\n'
QUICKSTART = Path(__file__).parents[2] / "studies" / "quickstart.json"


@pytest.fixture
def settings(tmp_path: Path) -> str:
    path = tmp_path / "cluster.toml"
    path.write_text(SETTINGS)
    return str(path)


def dagathlon(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dagathlon", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def outcomes(out: Path) -> dict[bytes, tuple[str, bytes | None]]:
    """Status and digest of every task of a store."""
    with Store(out / "store", readonly=True) as store:
        rows = store.connection.execute("SELECT key, status, digest FROM results")
        return {key: (status, digest) for key, status, digest in rows}


def test_results_are_those_of_the_local_engine(tmp_path: Path, settings: str) -> None:
    few = ("--limit", 20, "--no-figures", "--quiet")
    there = dagathlon(
        "run", QUICKSTART, "--out", tmp_path / "there", *few, "--cluster-settings", settings
    )
    assert there.returncode == 0, there.stderr
    here = dagathlon("run", QUICKSTART, "--out", tmp_path / "here", *few, "--jobs", 1)
    assert here.returncode == 0, here.stderr
    assert len(outcomes(tmp_path / "here")) > 20
    assert outcomes(tmp_path / "there") == outcomes(tmp_path / "here")
    assert queue_empties()


def test_a_run_that_is_a_job_is_watched_and_stopped_from_here(
    tmp_path: Path, settings: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    study = endless_study(tmp_path)
    done = dagathlon("run", study, "--out", out, "--cluster-settings", settings, "--detach")
    assert done.returncode == 0, done.stderr
    (job,) = [word.strip(",") for word in done.stdout.split("job ")[1].split()[:1]]
    assert queue()[job][0] == "RUNNING"
    with Store(out / "store", readonly=True) as store:
        (record,) = run_records(store)
    assert record.alive
    assert main(["status", str(out)]) == 0
    assert "running" in capsys.readouterr().out
    assert main(["stop", str(out)]) == 0
    assert "has stopped" in capsys.readouterr().out
    assert queue_empties()


def test_a_job_that_the_queue_refuses_is_told_at_once(tmp_path: Path, settings: str) -> None:
    study = endless_study(tmp_path)
    words = ("run", study, "--out", tmp_path / "out", "--cluster-settings", settings)
    done = dagathlon(*words, "--partition", "nope", "--detach")
    assert done.returncode == 2
    assert "the job was refused" in done.stderr
    assert "invalid partition specified: nope" in done.stderr
    assert not queue()


def test_a_wrong_study_submits_nothing(tmp_path: Path, settings: str) -> None:
    study = json.loads(QUICKSTART.read_text())
    study["benchmark_setup"][0]["data"][0]["graph_id"] = "nope"
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(study))
    done = dagathlon(
        "run", path, "--out", tmp_path / "o", "--cluster-settings", settings, "--detach"
    )
    assert done.returncode == 2
    assert "nope" in done.stderr
    assert not queue()
