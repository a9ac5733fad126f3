"""Tetrad as a peer: jobs for `tetrad_process`, with a time limit."""

from __future__ import annotations

import atexit
import json
import queue
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dagathlon.data import Dataset
from dagathlon.graphs import Graph

# Seconds that a busy machine may need to start Java.
_START = 120


class TetradResult(NamedTuple):
    """Seconds of the fastest repeat in a warm Java, and the learned graph."""

    seconds: float
    graph: Graph


class _Process:
    """A running Java, started when first asked, and again after a job that took too long."""

    def __init__(self) -> None:
        self._running: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str] = queue.Queue()
        atexit.register(self.stop)

    def ask(self, job: Path, limit: float) -> str | None:
        process = self._running or self._start()
        assert process.stdin is not None
        process.stdin.write(f"{job}\n")
        process.stdin.flush()
        found = self._line("ANSWER ", limit)
        if found is None:
            self.stop()
        return found

    def _start(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "benchmarks.tetrad_process"]
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=Path(__file__).parent.parent,
        )
        self._running, self._lines = process, queue.Queue()
        threading.Thread(target=self._read, args=(process, self._lines), daemon=True).start()
        self._line("READY", _START)
        return process

    @staticmethod
    def _read(process: subprocess.Popen[str], lines: queue.Queue[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith(("ANSWER ", "READY")):  # Tetrad itself prints as well
                lines.put(line)

    def _line(self, start: str, limit: float) -> str | None:
        try:
            return self._lines.get(timeout=limit).removeprefix(start)
        except queue.Empty:
            return None

    def stop(self) -> None:
        if self._running is not None:
            self._running.kill()
            self._running.wait()
            self._running = None


_PROCESS = _Process()


def tetrad(data: Dataset, limit: float = 60, repeats: int = 3, **how: Any) -> TetradResult | None:
    """Run a search of Tetrad; None when it takes longer than the limit."""
    with tempfile.TemporaryDirectory() as folder:
        job = Path(folder) / "job.npz"
        np.savez(
            job,
            table=data.codes if data.is_discrete else data.values,
            arities=data.arities if data.is_discrete else [],
            discrete=data.is_discrete,
            how=json.dumps(how | {"repeats": repeats}),
        )
        answer = _PROCESS.ask(job, limit)
    if answer is None:
        return None
    found = json.loads(answer)
    graph = Graph.from_adjacency(data.names, np.array(found["matrix"]))
    return TetradResult(min(found["seconds"]), graph)
