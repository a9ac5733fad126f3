"""Servers in a study: limits hold for their runs, their start is nobody's time, none is left."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from folders import outcome, study
from test_servers import MANIFEST, SCRIPT, gone

from dagathlon.study.plan.task import Status, TaskKind
from dagathlon.study.store.store import Store
from dagathlon.workflow import Study

# A server that holds much memory while it waits, and one that takes long to start besides.
HEAVY = SCRIPT.replace("runs = []", "runs = []\nheld = bytearray(120_000_000)")
SLOW = HEAVY.replace("runs = []", "runs = []\ntime.sleep(6)")


def server_study(folder: Path, do: Sequence[str], setup: str = "", script: str = HEAVY) -> Path:
    """A study of one server module with several settings; those that wait are given a second."""
    path = study(folder, "", setup, MANIFEST)
    (folder / "mine" / "learn.py").write_text(script)
    content = json.loads(path.read_text())
    entries = [
        {"id": f"it{number}", "do": code, "timeout": 1 if "'sleep'" in code else None}
        for number, code in enumerate(do)
    ]
    content["resources"]["structure_learning_algorithms"]["mine"] = entries
    estimation = content["benchmark_setup"][0]["evaluation"]["graph_estimation"]
    estimation["ids"] = [entry["id"] for entry in entries]
    path.write_text(json.dumps(content))
    return path


def outcomes(path: Path, out: Path) -> dict[str, tuple[Status, str, float]]:
    """How each setting ended: status, reason, seconds."""
    loaded = Study.load(path)
    loaded.run(out, jobs=1)
    found = {}
    with Store(out / "store", readonly=True) as store:
        for task in loaded.plan.tasks:
            if task.call.kind is TaskKind.LEARN and task.call.module == "mine":
                entry = store.get(task.key)
                assert entry is not None
                result = entry.outcome
                found[task.call.values["do"]] = (result.status, result.reason, result.wall)
    return found


@pytest.mark.slow
def test_start_is_nobodys_time_and_idle_memory_nobodys_memory(tmp_path):
    limits = '{"memory_limit": "60M", "time_limit": 20}'
    path = server_study(tmp_path, ["pass", "x = 1"], limits, SLOW)
    found = outcomes(path, tmp_path / "out")
    assert [status for status, _, _ in found.values()] == ["ok", "ok"]
    assert max(wall for _, _, wall in found.values()) < 5


@pytest.mark.slow
def test_limits_hold_and_the_next_run_has_another_server(tmp_path):
    eat = "x = [bytearray(1_000_000) for _ in range(4000)]; time.sleep(100)"
    wait = "subprocess.Popen(['sleep', '983']); time.sleep(100)"
    die = "os.kill(os.getppid(), signal.SIGKILL); time.sleep(100)"
    path = server_study(tmp_path, [eat, wait, die, "pass"], '{"memory_limit": "400M"}')
    found = outcomes(path, tmp_path / "out")
    assert found[eat][:2] == ("memory", "it needed more than 400 MB of memory")
    assert found[wait][:2] == ("timeout", "stopped after 1 s")
    assert found[die][:2] == ("error", "5 times: mine was killed by SIGKILL: it printed nothing")
    assert found["pass"][0] == "ok"


@pytest.mark.slow
def test_nothing_is_left_when_the_engine_is_killed(tmp_path):
    pids = tmp_path / "pids"
    code = f"open({str(pids)!r}, 'w').write(f'{os_pids()}'); time.sleep(100)"
    path = server_study(tmp_path, [code], script=SCRIPT)
    words = [sys.executable, "-m", "dagathlon", "run", str(path), "--out", str(tmp_path / "out")]
    engine = subprocess.Popen([*words, "--jobs", "1", "--quiet"])
    end = time.monotonic() + 60
    while not (pids.is_file() and pids.read_text()) and time.monotonic() < end:
        time.sleep(0.02)
    engine.send_signal(signal.SIGKILL)
    engine.wait()
    assert all(gone(int(pid)) for pid in pids.read_text().split())


def os_pids() -> str:
    """For the program to write: its own number and that of its server."""
    return "{os.getpid()} {os.getppid()}"


@pytest.mark.slow
def test_memory_and_time_of_the_run_are_measured(tmp_path):
    work = "x = bytearray(50_000_000); n = sum(i * i for i in range(1_000_000))"
    path = server_study(tmp_path, [work], script=SCRIPT)
    found = outcome(path, tmp_path / "out")
    assert found.status == "ok"
    assert found.cpu >= 0.02
    assert 45e6 < found.memory < 150e6
