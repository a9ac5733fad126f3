"""Tetrad as a peer: jobs for `_tetrad_process`, with a time limit."""

from __future__ import annotations

import atexit
import json
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._apart import PREPARATION
from benchmarks.timing import LIMIT, Row, Timing, installed, row, stopped, version
from dagathlon.data import Dataset
from dagathlon.graphs import Graph

MODULE = "tetrad_plus"


class _Process:
    """A running Java, started when first asked, and again after a job that took too long."""

    def __init__(self) -> None:
        self._running: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str] = queue.Queue()
        atexit.register(self.stop)

    def ask(self, job: Path, limit: float) -> str | None:
        """The answer; None when the first search did not end within the limit."""
        process = self._running or self._start()
        assert process.stdin is not None
        process.stdin.write(f"{job}\n")
        process.stdin.flush()
        self._line(PREPARATION)
        if self._line(limit) is None:
            self.stop()
            return None
        return self._line(PREPARATION)

    def _start(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks._tetrad_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=Path(__file__).parent.parent,
        )
        self._running, self._lines = process, queue.Queue()
        threading.Thread(target=self._read, args=(process, self._lines), daemon=True).start()
        self._line(PREPARATION)
        return process

    @staticmethod
    def _read(process: subprocess.Popen[str], lines: queue.Queue[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("TETRAD "):  # Tetrad itself prints as well
                lines.put(line.removeprefix("TETRAD "))
        lines.put("died")

    def _line(self, limit: float) -> str | None:
        try:
            found = self._lines.get(timeout=limit)
        except queue.Empty:
            return None
        if found == "died":
            self.stop()
            raise RuntimeError("Java or Tetrad failed")
        return found

    def stop(self) -> None:
        if self._running is not None:
            self._running.kill()
            self._running.wait()
            self._running = None


_PROCESS = _Process()


def against_tetrad(
    what: str,
    ours_s: float,
    data: Dataset,
    judge: Callable[[Graph], str],
    limit: float = LIMIT,
    **how: Any,
) -> Row:
    """A row against a search of Tetrad in a warm Java; `judge` compares its graph with ours."""
    if not installed(MODULE) or not installed("jpype"):
        return row(what, ours_s, "Tetrad", note="not installed")
    try:
        answer = _ask(data, limit, how)
    except RuntimeError as error:
        return row(what, ours_s, "Tetrad", note=f"failed: {error}", version=version(MODULE))
    if answer is None:
        return stopped(what, ours_s, "Tetrad", MODULE, limit)
    found = json.loads(answer)
    graph = Graph(data.names, np.array(found["marks"], dtype=np.uint8))
    return row(
        what,
        ours_s,
        "Tetrad",
        Timing(*found["timing"]),
        found["note"],
        result=judge(graph),
        version=version(MODULE),
    )


def _ask(data: Dataset, limit: float, how: dict[str, Any]) -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        job = Path(folder) / "job.npz"
        np.savez(
            job,
            table=data.codes if data.is_discrete else data.values,
            arities=data.arities if data.is_discrete else [],
            discrete=data.is_discrete,
            how=json.dumps(how),
        )
        return _PROCESS.ask(job, limit)
