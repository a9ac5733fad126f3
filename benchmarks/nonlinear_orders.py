"""Learners of nonlinear orders beside dodiscover's and lingam's: the same data, one core each.

``DAGATHLON_DODISCOVER`` and ``DAGATHLON_LINGAM`` name Pythons that have them; without, ours are
measured alone. Seconds are those of the processor, of one call, without start-up.
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

PYTHONS = {
    "dodiscover": os.environ.get("DAGATHLON_DODISCOVER", ""),
    "lingam": os.environ.get("DAGATHLON_LINGAM", ""),
}
LIMIT = 600.0
# Columns, rows, and which peers end in time there.
SIZES = pick(
    [(6, 300, ("CAM", "SCORE", "DAS", "NoGAM", "RESIT")), (10, 1000, ("SCORE", "DAS", "NoGAM"))],
    [(3, 60, ("CAM", "SCORE", "DAS", "NoGAM", "RESIT"))],
)
# The largest that is no trouble for ours; the sorting baselines take a millisecond or two.
ALONE = pick([("cam", 10, 1000), ("resit", 10, 1000), ("cam", 40, 1000)], [("cam", 3, 60)])


class Learned(NamedTuple):
    """The order, the arcs, and what they cost."""

    order: list[int]
    arcs: np.ndarray
    spent: Timing


def drawn(p: int, n: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Rows of sums of Gaussian processes on a random DAG of 1.5 arcs a node, and its arcs."""
    from dagathlon.graphs import Graph
    from dagathlon.simulate.nonlinear import Nonlinear

    rng = np.random.default_rng(seed)
    order, arcs = rng.permutation(p), np.zeros((p, p), dtype=bool)
    arcs[np.ix_(order, order)] = np.triu(rng.random((p, p)) < 3 / (p - 1), 1)
    graph = Graph.from_adjacency([str(i) for i in range(p)], arcs)
    data = Nonlinear(n=n, function="gp-add").sample(SimpleNamespace(graph=graph), rng)  # type: ignore[arg-type]
    return np.asarray(data.values), arcs


def learned(which: str, values: np.ndarray) -> Learned | None:
    """What a learner makes of the data, in a process of its own; None if it takes too long."""
    package = which.rpartition(":")[0]
    script = Path(__file__).with_name("_orders_peer.py")
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder, "data.npz"), Path(folder, "found.npz")
        np.savez(given, values=values)
        python = PYTHONS[package] if package else sys.executable
        command = [python, str(script), which, str(given), str(made)]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return None
        found = np.load(made)
        cpu = float(found["spent"][0])
        return Learned(found["order"].tolist(), found["arcs"], Timing(cpu, cpu=cpu))


def shd(found: np.ndarray, truth: np.ndarray) -> int:
    """Pairs of variables between which something else stands."""
    differs = found != truth
    return int((differs | differs.T)[np.triu_indices(len(truth), 1)].sum())


def against(name: str, p: int, n: int) -> Row:
    """A learner beside its peer on one data set."""
    values, truth = drawn(p, n)
    ours = learned(name.lower(), values)
    if ours is None:
        raise RuntimeError(f"{name} takes more than {LIMIT:g} s")
    what, package = f"{name.lower()} p={p} n={n}", "lingam" if name == "RESIT" else "dodiscover"
    own = f"SHD {shd(ours.arcs, truth)}"
    if not PYTHONS[package]:
        return row(what, ours.spent, package, note="not installed", result=own)
    theirs = learned(f"{package}:{name}", values)
    if theirs is None:
        spent = Timing(LIMIT, stopped=True)
        return row(what, ours.spent, package, spent, f"stopped after {LIMIT:g} s", result=own)
    same = "the same order" if ours.order == theirs.order else "another order"
    return row(
        what, ours.spent, package, theirs.spent, same, result=f"{own}, {shd(theirs.arcs, truth)}"
    )


def run() -> list[Row]:
    rows = [against(name, p, n) for p, n, names in SIZES for name in names]
    for name, p, n in ALONE:
        values, truth = drawn(p, n)
        found = learned(name, values)
        if found is not None:
            rows.append(
                row(f"{name} p={p} n={n}", found.spent, result=f"SHD {shd(found.arcs, truth)}")
            )
    return rows
