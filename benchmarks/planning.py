"""How long planning takes and how much memory it needs, for a study of a million tasks."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.timing import Row, best_of, pick, print_table, row
from dagathlon.workflow import Study

SETTINGS = 100
SEEDS = pick(5_000, 5)


def large_study() -> dict[str, Any]:
    """In a full run 100 settings on 5,000 data sets: 500,000 learning tasks and as many scores."""
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
        seconds = best_of(lambda: Study.load(path).plan, repeats=1)
        tasks = len(Study.load(path).plan.tasks)
    note = f"{tasks:,} tasks, {1e6 * float(seconds) / tasks:.1f} µs each"
    return [row("plan a study", seconds, note=note)]


if __name__ == "__main__":
    print_table(run())
