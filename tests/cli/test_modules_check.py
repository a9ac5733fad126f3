"""``dagathlon modules --check`` survives the learner that it checks, and says where that ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dagathlon.cli import INTERRUPTED, USER_ERROR
from dagathlon.cli._guarded_check import guarded_problems
from processes import has_ended

LEARNER = '''
import os, signal, subprocess, sys, time
from dataclasses import dataclass

import numpy as np
from dagathlon import Estimate, Graph, Learner


@dataclass(frozen=True, kw_only=True)
class Bad(Learner):
    """Misbehaves."""

    name = "bad"
    takes = frozenset({{"continuous"}})
    {attributes}

    def learn(self, data, rng):
        {action}
        return Estimate(Graph(data.names))
'''

ORDINARY = "continuous data: 120 rows"


def written(folder: Path, action: str, attributes: str = "") -> Path:
    path = folder / "bad.py"
    path.write_text(LEARNER.format(action=action, attributes=attributes))
    return path


def command(path: Path) -> list[str]:
    return [
        *(sys.executable, "-m", "dagathlon", "modules", "bad", "--modules", str(path), "--check")
    ]


@pytest.fixture
def problems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    def found(action: str, *, seconds: float = 60.0, memory: int = 4 * 2**30) -> list[str]:
        monkeypatch.setenv("DAGATHLON_MODULES", str(written(tmp_path, action)))
        return guarded_problems("bad", seconds, memory)

    return found


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", f"{ORDINARY}: it was killed by SIGSEGV"),
        pytest.param(
            "os._exit(0)",
            f"{ORDINARY}: it ended the program with exit code 0",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "if len(data) == 1: os._exit(3)",
            "continuous data: 1 row: it ended the program with exit code 3",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_what_ends_the_process_is_a_problem_of_the_learner(
    problems: Callable[..., list[str]], action: str, reason: str
) -> None:
    (found,) = problems(
        f"print('about to fall', flush=True); {action}".replace("; if", "\n        if")
    )
    assert found.startswith(f"{reason}; its last output:\n")
    assert "about to fall" in found


def test_what_is_found_in_the_process_comes_out(problems: Callable[..., list[str]]) -> None:
    found = problems("""print('{"problems": []}')
        if len(data) == 1: raise ZeroDivisionError("by zero")""")
    assert found == ["continuous data: 1 row: ZeroDivisionError: by zero"]


@pytest.mark.slow
def test_a_loop_is_ended_and_named(problems: Callable[..., list[str]], tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    found = problems(
        f"""if len(data) == 60:
            open({str(pid)!r}, "w").write(str(os.getpid()))
            while True: pass""",
        seconds=4.0,
    )
    assert found == ["continuous data: 2 columns: it did not end within 4 s"]
    assert has_ended(pid.read_text())


@pytest.mark.slow
def test_programs_that_it_started_are_ended_too(
    problems: Callable[..., list[str]], tmp_path: Path
) -> None:
    found = problems(
        f"""child = subprocess.Popen(["sleep", "1000"])
        open({str(tmp_path / "pid")!r}, "w").write(str(child.pid))
        child.wait()""",
        seconds=4.0,
    )
    assert found == [f"{ORDINARY}: it did not end within 4 s"]
    assert has_ended((tmp_path / "pid").read_text())


@pytest.mark.slow
def test_memory_is_bounded(problems: Callable[..., list[str]]) -> None:
    found = problems(
        """held = []
        while True:
            held.append(np.ones(2**18))
            time.sleep(0.001)""",
        memory=600 * 2**20,
    )
    assert found == [f"{ORDINARY}: it took more than 600 MB of memory"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("action", "attributes", "code", "text"),
    [
        ("pass", "", 0, "All checks passed."),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "", 1, "it was killed by SIGSEGV"),
        ("pass", "unavailable = 'no program'", USER_ERROR, "bad cannot run here: no program"),
    ],
)
def test_the_exit_code_says_how_it_went(
    tmp_path: Path, action: str, attributes: str, code: int, text: str
) -> None:
    environment = {**os.environ, "DAGATHLON_MODULES": ""}
    asked = command(written(tmp_path, action, attributes))
    done = subprocess.run(asked, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == code
    assert text in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_an_interrupt_ends_both(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    action = f"open({str(pid)!r}, 'w').write(str(os.getpid())); time.sleep(1000)"
    environment = {**os.environ, "DAGATHLON_MODULES": ""}
    path = written(tmp_path, action)
    running = subprocess.Popen(
        command(path), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env=environment,
    )  # fmt: skip
    try:
        while running.poll() is None and not (pid.exists() and pid.read_text()):
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=30)
    finally:
        running.kill()
        running.wait()
    assert running.returncode == INTERRUPTED
    assert "Traceback" not in errors
    assert has_ended(pid.read_text())
