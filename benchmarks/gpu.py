"""Hundreds of data sets at once on a graphics card, beside one core of the same machine.

    python -m benchmarks.gpu [FILE [LEARNER ...]]

writes benchmarks/gpu.md, or FILE, about all learners or those named; those that are not there are
left out. The core learns from a few of the data sets, one after the other, in a process that sees
no card; compiling is told apart.
``DAGATHLON_BENCHMARKS_QUICK`` makes all small.
"""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

QUICK = bool(os.environ.get("DAGATHLON_BENCHMARKS_QUICK"))
P, ROWS, EDGES = (3, 50, 2) if QUICK else (10, 1000, 20)
MANY, FEW = (2, 1) if QUICK else (256, 2)
# Seconds after which no further data set is begun on the core.
PATIENCE = 20.0
# Squares of squares down a long path overflow what learners take: such data are drawn again.
LARGEST = 1e4
FUNCTIONS = ("mlp", "gp", "mim", "gp-add", "quadratic")
LEARNERS: dict[str, dict[str, Any]] = {
    "notears_mlp": {},
    "dagma_mlp": {},
    "grandag": {},
    "mcsl": {},
    "dibs": {"steps": 20 if QUICK else 500},
}


def drawn(seed: int) -> tuple[Any, np.ndarray]:
    """A nonlinear data set on a random DAG, and its arcs; functions take turns."""
    rng = np.random.default_rng(2000 + seed)
    while True:
        data, arcs = drawn_once(FUNCTIONS[seed % len(FUNCTIONS)], rng)
        if np.abs(data.values).max() <= LARGEST:
            return data, arcs


def drawn_once(function: str, rng: np.random.Generator) -> tuple[Any, np.ndarray]:
    from dagathlon.graphs import Graph
    from dagathlon.simulate.nonlinear import Nonlinear

    order, pairs = rng.permutation(P), np.column_stack(np.triu_indices(P, 1))
    arcs = np.zeros((P, P), dtype=bool)
    for i, j in pairs[rng.choice(len(pairs), EDGES, replace=False)]:
        arcs[order[i], order[j]] = True
    graph = Graph.from_adjacency([f"x{i}" for i in range(P)], arcs)
    return Nonlinear(n=ROWS, function=function).sample(SimpleNamespace(graph=graph), rng), arcs


def learned(name: str, sets: int, at_once: bool) -> dict[str, Any]:
    """Seconds of the first time, which compiles, and of a second; F1 of what was found."""
    from dagathlon.modules import modules

    learner = modules("algorithm")[name](**LEARNERS[name])
    data, truths = zip(*(drawn(seed) for seed in range(sets)), strict=True)
    parts = [list(range(sets))] if at_once else [[k] for k in range(sets)]
    walls, found = [], []
    for repeat in range(2):
        start, found = time.perf_counter(), []
        for part in parts[: 1 if repeat == 0 else None]:
            rngs = [np.random.default_rng(k) for k in part]
            found += learner.learn_many([data[k] for k in part], rngs)
            if time.perf_counter() - start > PATIENCE and not at_once:
                break
        walls.append((time.perf_counter() - start) / len(found))
    scores = [f1(one.graph.adjacency, arcs) for one, arcs in zip(found, truths, strict=False)]
    return {"sets": len(found), "first": walls[0], "each": walls[1], "f1": float(np.mean(scores))}


def f1(found: Any, truth: np.ndarray) -> float:
    both = np.asarray(found, dtype=bool)
    return float(2 * (both & truth).sum() / max(both.sum() + truth.sum(), 1))


def in_process(name: str, where: str) -> dict[str, Any] | None:
    """A learner in a process of its own, on the card or on one core; None where it failed."""
    environment = dict(os.environ)
    if where == "core":
        environment |= {"JAX_PLATFORMS": "cpu", "CUDA_VISIBLE_DEVICES": "", "NPROC": "1"}
    call = [sys.executable, "-m", "benchmarks.gpu", "--learn", name, where]
    if where == "core":
        call = ["taskset", "-c", str(min(os.sched_getaffinity(0))), *call]
    done = subprocess.run(call, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{name} on the {where} failed: {done.stderr.strip().splitlines()[-1:]}", flush=True)
        return None
    result: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    print(f"{name} on the {where}: {result}", flush=True)
    return result


def row(name: str) -> str:
    """A line of the table."""
    said = ", ".join([name, *(f"{key}={value}" for key, value in LEARNERS[name].items())])
    card, core = in_process(name, "card"), in_process(name, "core")
    if card is None or core is None:
        return f"| {said} | failed | | | | | |"
    ratio = core["each"] / card["each"]
    compiling = max(card["first"] - card["each"], 0.0) * card["sets"]
    return (
        f"| {said} | {card['sets']} | {card['each'] * card['sets']:.1f} s | {compiling:.1f} s "
        f"| {core['each']:.2f} s | {ratio:.1f} | {card['f1']:.2f} and {core['f1']:.2f} |"
    )


def page(names: list[str]) -> str:
    """The measurements of these learners as Markdown."""
    from benchmarks._tables import machine
    from dagathlon.modules import modules

    known = modules("algorithm")
    devices = subprocess.run(
        [sys.executable, "-c", "import jax; print(jax.__version__, jax.devices()[0].device_kind)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split(maxsplit=1)
    lines = [row(name) for name in names if name in known]
    head = (
        "| learner | data sets at once | seconds for all | compiling | one core, each "
        "| times faster per data set | F1 on the card (all sets) and the core (the first ones) |"
    )
    return "\n".join(
        [
            "# Many data sets on a graphics card",
            "",
            f"{P} variables, {ROWS:,} rows, {EDGES} arcs; functions of {', '.join(FUNCTIONS)} "
            f"take turns; data with a value above {LARGEST:,.0f} are drawn again. Learners have "
            "their defaults where the table says nothing else. "
            f"Made by `python -m benchmarks.gpu` on "
            f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}: {devices[1].strip()} with JAX "
            f"{devices[0]}; the core is one of {machine()}.",
            "",
            head,
            "|---|---|---|---|---|---|---|",
            *lines,
            "",
        ]
    )


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--learn"]:
        _, name, where = arguments
        print(json.dumps(learned(name, MANY if where == "card" else FEW, where == "card")))
        return
    path = Path(arguments[0]) if arguments else Path(__file__).with_name("gpu.md")
    path.write_text(page(arguments[1:] or list(LEARNERS)))
    print(path.read_text())


if __name__ == "__main__":
    main(sys.argv[1:])
