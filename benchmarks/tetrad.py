"""Tetrad as a peer: a job for `tetrad_process`, with a time limit."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dagathlon.data import Dataset
from dagathlon.graphs import Graph


class TetradResult(NamedTuple):
    """Seconds of the fastest repeat in a warm Java, and the learned graph."""

    seconds: float
    graph: Graph


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
        command = [sys.executable, "-m", "benchmarks.tetrad_process", str(job)]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=limit, check=False
            )
        except subprocess.TimeoutExpired:
            return None
    answers = [line for line in done.stdout.splitlines() if line.startswith("ANSWER ")]
    if not answers:
        raise RuntimeError(f"Tetrad failed: {done.stderr[-500:]}")
    found = json.loads(answers[-1].removeprefix("ANSWER "))
    graph = Graph.from_adjacency(data.names, np.array(found["matrix"]))
    return TetradResult(min(found["seconds"]), graph)
