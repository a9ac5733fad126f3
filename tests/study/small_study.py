"""A small study that runs, for tests to change."""

from __future__ import annotations

from typing import Any

STUDY: dict[str, Any] = {
    "benchmark_setup": [
        {
            "title": "small",
            "data": [
                {
                    "graph_id": "dag",
                    "parameters_id": "sem",
                    "data_id": "rows",
                    "seed_range": [1, 3],
                }
            ],
            "evaluation": {"benchmarks": {"ids": ["correlation", "precision"]}},
        }
    ],
    "resources": {
        "graph": {"pcalg_randdag": [{"id": "dag", "n": [5, 8], "d": 2}]},
        "parameters": {"sem_params": [{"id": "sem", "min": 0.25, "max": 1}]},
        "data": {"iid": [{"id": "rows", "n": [20, 50], "standardized": True}]},
        "structure_learning_algorithms": {
            "corr_thresh": [{"id": "correlation", "thresh": [0.1, 0.3]}],
            "prec_thresh": [{"id": "precision", "thresh": 0.2}],
        },
    },
}
