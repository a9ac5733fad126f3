"""Learners that fit networks, beside gCastle's and dagma's: the same data, one core each.

``DAGATHLON_GCASTLE`` names a Python that has gcastle and dagma; without it ours are measured alone.
Theirs take a minute or more for each data set: ``DAGATHLON_NETWORK_SETS`` (20) is their number, and
in the folder ``DAGATHLON_NETWORK_FOLDER``, where there is one, their results are kept between runs.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from benchmarks._measure import Row, Timing, pick, row

KEPT = os.environ.get("DAGATHLON_NETWORK_FOLDER")
PEER = os.environ.get("DAGATHLON_GCASTLE", "")
SETS = pick(int(os.environ.get("DAGATHLON_NETWORK_SETS", "20")), 1)
P, ROWS, EDGES = pick((10, 1000, 20), (3, 50, 2))
FUNCTIONS = ("mlp", "gp", "mim", "gp-add", "quadratic")
PAIRS = {
    "notears_mlp": "gcastle:NotearsNonlinear",
    "dagma_mlp": "dagma:DagmaNonlinear",
    "grandag": "gcastle:GraNDAG",
    "mcsl": "gcastle:MCSL",
}


class Measured(NamedTuple):
    """Of all data sets: CPU and wall seconds, structural Hamming distances and F1."""

    cpu: np.ndarray
    wall: np.ndarray
    shd: np.ndarray
    f1: np.ndarray


def drawn(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of a nonlinear model on a random DAG, and its arcs; functions take turns."""
    from dagathlon.graphs import Graph
    from dagathlon.simulate.nonlinear import Nonlinear

    rng = np.random.default_rng(1000 + seed)
    order, pairs = rng.permutation(P), np.column_stack(np.triu_indices(P, 1))
    arcs = np.zeros((P, P), dtype=bool)
    for i, j in pairs[rng.choice(len(pairs), EDGES, replace=False)]:
        arcs[order[i], order[j]] = True
    graph = Graph.from_adjacency([f"x{i}" for i in range(P)], arcs)
    function = FUNCTIONS[seed % len(FUNCTIONS)]
    data = Nonlinear(n=ROWS, function=function).sample(SimpleNamespace(graph=graph), rng)
    return np.asarray(data.values), arcs


def shd(found: np.ndarray, truth: np.ndarray) -> int:
    """Pairs of variables between which something else stands."""
    differs = found != truth
    return int(np.triu(differs | differs.T, 1).sum())


def measured(which: str, folder: Path, truths: list[np.ndarray]) -> Measured:
    """What a learner makes of the data sets of a folder, in a process of its own."""
    script = Path(__file__).with_name("_networks_process.py")
    python = PEER if ":" in which else sys.executable
    core = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
    subprocess.run(
        [*core, python, str(script), which, str(folder)], check=True, capture_output=True
    )
    found = [np.load(folder / f"{which}-{number}.npz") for number in range(len(truths))]
    arcs = [one["arcs"] for one in found]
    pairs = list(zip(arcs, truths, strict=True))
    return Measured(
        np.array([one["cpu"] for one in found]),
        np.array([one["wall"] for one in found]),
        np.array([shd(*pair) for pair in pairs], dtype=float),
        np.array([2 * (a & t).sum() / max(a.sum() + t.sum(), 1) for a, t in pairs]),
    )


def timing(found: Measured) -> Timing:
    return Timing(found.wall.mean(), found.wall.max(), found.cpu.mean())


def described(ours: Measured, theirs: Measured) -> str:
    """Means of both with standard errors, and the difference with its own."""
    parts = []
    for name in ("shd", "f1"):
        a, b = getattr(ours, name), getattr(theirs, name)
        both = f"{name.upper()} {_mean(a)} and {_mean(b)}"
        parts.append(f"{both}, difference {_mean(a - b)}")
    return "ours and theirs: " + "; ".join(parts)


def _mean(values: np.ndarray) -> str:
    error = values.std(ddof=1) / len(values) ** 0.5 if len(values) > 1 else np.nan
    return f"{values.mean():.2f} ± {error:.2f}"


def pair(name: str, peer: str, folder: Path, truths: list[np.ndarray]) -> Row:
    what = f"{name}, {P} variables, {ROWS:,} rows, {EDGES} arcs, mean of {len(truths)} sets"
    ours = measured(name, folder, truths)
    alone = f"SHD {_mean(ours.shd)}, F1 {_mean(ours.f1)}"
    if not PEER:
        return row(what, timing(ours), peer, note="not installed", result=alone)
    try:
        theirs = measured(peer, folder, truths)
    except subprocess.CalledProcessError as error:
        failure = error.stderr.decode().strip().splitlines()[-1:]
        return row(what, timing(ours), peer, note=f"failed: {failure}", result=alone)
    note = f"CPU {theirs.cpu.sum() / ours.cpu.sum():.0f} times less; compiling is not counted"
    return row(what, timing(ours), peer, timing(theirs), note, result=described(ours, theirs))


def run() -> list[Row]:
    from dagathlon.learners.jax.backend import NEEDS_JAX

    if NEEDS_JAX:
        return []
    with tempfile.TemporaryDirectory() as where:
        folder, truths = Path(KEPT or where), []
        for number in range(SETS):
            values, arcs = drawn(number)
            np.savez(folder / f"{number}.npz", values=values)
            truths.append(arcs)
        return [pair(name, peer, folder, truths) for name, peer in PAIRS.items()]


if __name__ == "__main__":
    from benchmarks._tables import print_table

    print_table(run())
