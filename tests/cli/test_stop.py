"""``run --detach`` and ``stop``: runs that go on without a terminal, and how they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dagathlon.cli import main, stop
from dagathlon.cli.stop import _ended
from dagathlon.cluster import coordinator_job
from dagathlon.cluster.settings import ClusterSettings
from dagathlon.study.engine.coordinator import STOP
from dagathlon.study.store.claims import Registration, RunRecord, run_records
from dagathlon.study.store.store import Store
from endless_study import endless_study
from processes import has_ended


def run(tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """Detach a run, from a process that knows no other modules of this name."""
    words = ["run", str(endless_study(tmp_path)), "--out", str(tmp_path / "out"), "--jobs", "1"]
    command = [sys.executable, "-m", "dagathlon", *words, "--detach"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def detached(tmp_path: Path) -> int:
    """The process of a run that has just been detached."""
    done = run(tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"dagathlon stop {tmp_path / 'out'}" in done.stdout
    with Store(tmp_path / "out" / "store", readonly=True) as store:
        (record,) = run_records(store)
    assert record.alive
    return record.pid


def test_a_detached_run_goes_on_by_itself_and_stops_when_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pid = detached(tmp_path)
    assert os.getsid(pid) == pid
    assert main(["stop", str(tmp_path / "out")]) == 0
    assert "has stopped" in capsys.readouterr().out
    assert has_ended(pid)
    assert "the same command goes on" in (tmp_path / "out" / "run.log").read_text()
    assert main(["stop", str(tmp_path / "out")]) == 0
    assert "nothing runs here; a job that still waits in a queue" in capsys.readouterr().out


def test_a_run_that_does_not_react_is_killed_when_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stop, "_PATIENCE_NOW", 0.5)
    pid = detached(tmp_path)
    os.kill(pid, signal.SIGSTOP)
    assert main(["stop", "--now", str(tmp_path / "out")]) == 0
    assert "has stopped" in capsys.readouterr().out
    assert has_ended(pid)


def test_one_that_does_not_stop_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stop, "_PATIENCE", 0.5)
    with Store(tmp_path / "store") as store:
        registration = Registration(store)  # of this process, which does not look
        assert main(["stop", str(tmp_path)]) == 1
        assert (registration.scratch / STOP).exists()
        registration.end({})
    assert f"process {os.getpid()}" in capsys.readouterr().err


def test_a_wrong_study_is_not_detached(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = tmp_path / "study.json"
    study.write_text("{}")
    assert main(["run", str(study), "--out", str(tmp_path / "out"), "--detach"]) == 2
    assert not (tmp_path / "out").exists()
    assert "study.json" in capsys.readouterr().err


def test_a_run_that_fails_before_it_begins_shows_its_log(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "store").write_text("not a folder")
    done = run(tmp_path)
    assert done.returncode == 1
    assert f"ended before the run began; see {out / 'run.log'}" in done.stderr
    assert f"dagathlon: {out / 'store'}" in done.stderr


def test_a_first_run_that_waits_in_a_queue_is_cancelled_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["stop", str(tmp_path)]) == 2
    assert "scancel" not in capsys.readouterr().err
    (tmp_path / "run.log").touch()
    assert main(["stop", str(tmp_path)]) == 2
    assert "there is no store here" in (said := capsys.readouterr().err)
    assert "waits in a queue is cancelled there (scancel" in said


def test_a_queue_that_does_not_answer_has_the_job_still(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = ClusterSettings(kind="slurm", memory="1G")
    queue = tmp_path / "squeue"
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    for script, there in (("echo 7", True), ("echo 8", False), ("exit 1", True)):
        queue.write_text(f"#!/bin/sh\n{script}\n")
        queue.chmod(0o755)
        assert coordinator_job.job_is_there(settings, "7") is there
    monkeypatch.setattr(coordinator_job, "_ANSWER_SECONDS", 0.1)
    queue.write_text("#!/bin/sh\nexec sleep 600\n")
    assert coordinator_job.job_is_there(settings, "7")


def test_numbers_of_tasks_agree_with_their_words() -> None:
    def said(ran: int, left: int) -> str:
        record = RunRecord(1, 2, 0.0, 1.0, {"ran": [[ran]], "left": left}, alive=False)
        return _ended(record, record)

    assert said(1, 0).endswith("1 task ran")
    assert "1 task ran, 1 is left; " in said(1, 1)
    assert "2,000 tasks ran, 3 are left; " in said(2000, 3)
