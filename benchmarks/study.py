"""Time of a whole study, and of its report.

The study is the size of the small Gaussian study of the Benchpress paper: 20 variables, 640 rows,
20 seeds, the same 11 algorithms with 42 settings.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.timing import Row, best_of, pick, print_table, row
from dagathlon.study.records.file import SAVED, load, save
from dagathlon.study.records.from_plan import facts_of_setup
from dagathlon.workflow import Study, rewrite

SEEDS = pick(20, 1)
PLANNED_SEEDS = pick(3300, 3)
MEANS = [0.0001, 0.001, 0.01, 0.05, 1]
PENALTIES = [1, 1.5, 2, 2.5, 3]
LEVELS = [0.001, 0.01, 0.05, 0.1]
BAYESIAN = {"scoretype": "bge", "plus1it": 1, "hardlimit": 14, "softlimit": 9}
LEARNERS: dict[str, list[dict[str, Any]]] = {
    "tetrad_boss": [{"id": "boss", "penaltyDiscount": PENALTIES}],
    "tetrad_grasp": [{"id": "grasp", "penaltyDiscount": PENALTIES}],
    "tetrad_fges": [{"id": "fges", "penaltyDiscount": [0.8, 1, 1.5]}],
    "gcastle_notears": [{"id": "notears", "max_iter": 50, "w_threshold": [0.05, 0.1, 0.25]}],
    "dualpc": [{"id": "dualpc", "alpha": LEVELS[:3]}],
    "pcalg_pc": [{"id": "pc", "alpha": LEVELS}],
    "bnlearn_mmhc": [{"id": "mmhc", "alpha": LEVELS, "score": "bge", "test": "zf"}],
    "bnlearn_tabu": [{"id": "tabu", "score": "bge", "issmu": MEANS}],
    "bnlearn_hc": [{"id": "hc", "score": "bge", "issmu": MEANS}],
    "bidag_itsearch": [
        {"id": "itsearch", **BAYESIAN, "am": [0.01, 0.1], "estimate": "map"},
        {"id": "space", **BAYESIAN, "plus1it": 6, "am": 0.1, "estimate": "endspace"},
    ],
    "bidag_order_mcmc": [
        {
            "id": "order-mcmc",
            "scoretype": "bge",
            "am": 0.1,
            "input_algorithm_id": "space",
            "threshold": [0.3, 0.5, 0.7],
            "mcmc_estimator": "threshold",
        }
    ],
}


def content() -> dict[str, Any]:
    """The study's file."""
    listed = [entry["id"] for entries in LEARNERS.values() for entry in entries]
    data = {
        "graph_id": "dag",
        "parameters_id": "sem",
        "data_id": "rows",
        "seed_range": [1, SEEDS],
    }
    evaluation = {
        "benchmarks": {"ids": [name for name in listed if name != "space"]},
        "graph_true_stats": True,
    }
    return {
        "benchmark_setup": [{"title": "small", "data": [data], "evaluation": evaluation}],
        "resources": {
            "graph": {"pcalg_randdag": [{"id": "dag", "n": 20, "d": 4, "max_parents": 5}]},
            "parameters": {"sem_params": [{"id": "sem", "min": 0.25, "max": 1}]},
            "data": {"iid": [{"id": "rows", "n": 640, "standardized": True}]},
            "structure_learning_algorithms": LEARNERS,
        },
    }


def command(*words: str) -> None:
    """Run Python as a user does, in a process of its own."""
    subprocess.run([sys.executable, *words], check=True, capture_output=True)


def whole_study(folder: Path) -> Row:
    """The command from nothing to the report, each repeat into a folder of its own."""
    path = folder / "small.json"
    path.write_text(json.dumps(content()))
    numbers = count()

    def run_it() -> None:
        out = folder / f"run{next(numbers)}"
        command("-m", "dagathlon", "run", str(path), "--out", str(out), "--jobs", "2")

    seconds = best_of(run_it, 1)
    plan = Study.load(path).plan
    note = f"{len(plan.tasks):,} tasks, jobs=2; memory is that of the command's parent"
    return row(f"11 algorithms, {SEEDS} seeds, p=20", seconds, note=note)


def report(folder: Path) -> Row:
    """Tables, figures and the page, from a store that has all results."""
    out = folder / "run0"
    seconds = best_of(partial(rewrite, out), 2)
    page = (out / "small" / "report.html").stat().st_size
    everything = sum(path.stat().st_size for path in (out / "small").rglob("*") if path.is_file())
    note = f"report.html {page / 1e6:.1f} MB, all files {everything / 1e6:.1f} MB"
    return row("write tables, figures and report", seconds, note=note)


def saved_plan(folder: Path) -> list[Row]:
    """What a run of a million tasks saves at its start, and reading it again."""
    study = content()
    study["benchmark_setup"][0]["data"][0]["seed_range"] = [1, PLANNED_SEEDS]
    thresholds = [round(i / 150, 4) for i in range(1, 151)]
    learners = {"corr_thresh": [{"id": "correlation", "thresh": thresholds}]}
    study["resources"]["structure_learning_algorithms"] = learners
    study["benchmark_setup"][0]["evaluation"] = {"benchmarks": {"ids": ["correlation"]}}
    path = folder / "large.json"
    path.write_text(json.dumps(study))
    loaded = Study.load(path)
    tasks = f"{len(loaded.plan.tasks):,} tasks"

    def write() -> None:
        save(facts_of_setup(loaded.config, loaded.plan, 0), folder / "large")

    writing = best_of(write, 2)
    size = (folder / "large" / SAVED).stat().st_size / 1e6
    reading = best_of(partial(load, folder / "large"), 2)
    return [
        row("save the plan of a run", writing, note=f"{tasks}, {size:.1f} MB"),
        row("read a saved plan", reading, note=tasks),
    ]


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return [whole_study(folder), report(folder), *saved_plan(folder)]


if __name__ == "__main__":
    print_table(run())
