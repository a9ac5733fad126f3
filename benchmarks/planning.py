"""How long planning takes and how much memory it needs, for a study of a million tasks."""

from __future__ import annotations

import json
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.timing import Row, print_table, row

from dagathlon.workflow import Study

SETTINGS = 100
SEEDS = 5_000


def large_study() -> dict[str, Any]:
    """100 settings on 5,000 data sets: 500,000 learning tasks and as many scores."""
    thresholds = [round(i / SETTINGS, 6) for i in range(SETTINGS)]
    entry = {
        "graph_id": "dag",
        "parameters_id": "sem",
        "data_id": "rows",
        "seed_range": [1, SEEDS],
    }
    return {
        "benchmark_setup": [
            {
                "title": "large",
                "data": [entry],
                "evaluation": {"benchmarks": {"ids": ["correlation"]}},
            }
        ],
        "resources": {
            "graph": {"pcalg_randdag": [{"id": "dag", "n": 20, "d": 4}]},
            "parameters": {"sem_params": [{"id": "sem", "min": 0.25, "max": 1}]},
            "data": {"iid": [{"id": "rows", "n": 300, "standardized": True}]},
            "structure_learning_algorithms": {
                "corr_thresh": [{"id": "correlation", "thresh": thresholds}]
            },
        },
    }


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.json"
        path.write_text(json.dumps(large_study()))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        began = time.perf_counter()
        plan = Study.load(path).plan
        seconds = time.perf_counter() - began
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    tasks = len(plan.tasks)
    note = f"{tasks} tasks, {1e6 * seconds / tasks:.1f} µs each, {grown / 1024:.0f} MiB"
    return [row("plan a study", seconds, note=note)]


if __name__ == "__main__":
    print_table(run())
