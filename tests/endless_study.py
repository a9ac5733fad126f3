"""A study that never ends by itself, for tests that stop it."""

from __future__ import annotations

import json
from pathlib import Path

_LEARNER = '''
import time
from dataclasses import dataclass
from dagathlon import Dataset, Estimate, Graph, Learner

@dataclass(frozen=True, kw_only=True)
class Endless(Learner):
    """Sleep."""

    name = "endless"
    takes = frozenset({"continuous"})
    gives = "undirected"

    def learn(self, data, rng):
        time.sleep(100_000)
'''
_STUDY = {
    "modules": ["endless.py"],
    "benchmark_setup": [
        {
            "title": "endless",
            "data": [
                {"graph_id": "dag", "parameters_id": "sem", "data_id": "rows", "seed_range": [1, 2]}
            ],
            "evaluation": {"benchmarks": {"ids": ["endless"]}},
        }
    ],
    "resources": {
        "graph": {"pcalg_randdag": [{"id": "dag", "n": 5, "d": 2}]},
        "parameters": {"sem_params": [{"id": "sem", "min": 0.25, "max": 1}]},
        "data": {"iid": [{"id": "rows", "n": 20, "standardized": True}]},
        "structure_learning_algorithms": {"endless": [{"id": "endless"}]},
    },
}


def endless_study(folder: Path) -> Path:
    """The file of the study, in a folder."""
    (folder / "endless.py").write_text(_LEARNER)
    path = folder / "endless.json"
    path.write_text(json.dumps(_STUDY))
    return path
