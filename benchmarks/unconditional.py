"""Unconditional dependence graphs beside gues: the same data, score and number of moves.

``DAGATHLON_GUES`` names a Python that has gues 0.3.0; without it ours is measured alone.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.timing import Row, best_of, pick, row
from dagathlon.data import Dataset, Variable
from dagathlon.graphs import Graph
from dagathlon.learners.undirected.unconditional_mcmc import UnconditionalMcmc

PEER = os.environ.get("DAGATHLON_GUES", "")


def model(p: int, rows: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """A random linear model: standardised rows, and which pairs share an ancestor."""
    rng = np.random.default_rng(p)
    weights = np.triu(rng.uniform(0.4, 1, (p, p)) * (rng.random((p, p)) < 1.5 / p), 1)
    reach = np.linalg.inv(np.eye(p) - weights)
    values = rng.normal(size=(rows, p)) @ reach
    ancestors = reach != 0
    joined = (ancestors.T.astype(int) @ ancestors.astype(int)) > 0
    return (values - values.mean(axis=0)) / values.std(axis=0), joined & ~np.eye(p, dtype=bool)


def run() -> list[Row]:
    return [_beside(p, pick(2000, 50)) for p in pick((6, 10, 20), (6,))]


def _beside(p: int, moves: int) -> Row:
    values, truth = model(p)
    data = Dataset([Variable(f"v{i}") for i in range(p)], values=values)
    learner = UnconditionalMcmc(
        score="l0-g", iterations=moves, stepsave=1, warmup=0, temperatures=(1.0,)
    )
    ours = best_of(lambda: learner.learn(data, np.random.default_rng(0)), 3)
    what = f"unconditional dependence, {moves} moves, {p} variables, 300 rows"
    if not PEER:
        return row(what, ours, "gues", note="not installed")
    with tempfile.TemporaryDirectory() as folder:
        given, out = Path(folder) / "data.npz", Path(folder) / "found.npz"
        np.savez(given, values=values)
        script = Path(__file__).with_name("_gues_peer.py")
        subprocess.run(
            [PEER, str(script), str(given), str(moves), str(out)], check=True, capture_output=True
        )
        found = np.load(out)
        best = found["best"].astype(bool) & ~np.eye(p, dtype=bool)
        mine = learner.learn(data, np.random.default_rng(0)).graph
        result = f"pairs wrong in the best graph: {_wrong(mine, truth)} and {_off(best, truth)}"
        return row(what, ours, "gues", float(found["seconds"]), "CPU of the peer", result=result)


def _wrong(graph: Graph, truth: np.ndarray) -> int:
    return _off(np.asarray(graph.adjacency) != 0, truth)


def _off(joined: np.ndarray, truth: np.ndarray) -> int:
    return int(np.triu(joined != truth, 1).sum())
