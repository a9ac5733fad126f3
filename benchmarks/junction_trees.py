"""Particle Gibbs over junction trees beside trilearn: the same data, prior, particles and steps.

``DAGATHLON_TRILEARN`` names a Python that has trilearn 2.0.5 and a NumPy before 2.3; without it
ours is measured alone.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import Row, best_of, pick, row, timed
from dagathlon.benchpress.junction_trees import TrilearnPgibbs
from dagathlon.data import Dataset
from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.undirected.decomposable_count import count_decomposable_graphs
from dagathlon.learners.undirected.parallel_junction_trees import ParallelJunctionTrees
from dagathlon.learners.undirected.particle_gibbs import ParticleGibbs

PEER = os.environ.get("DAGATHLON_TRILEARN", "")
PARTICLES = 20


def band(p: int, rows: int = 200) -> np.ndarray:
    """An autoregression of order three."""
    rng = np.random.default_rng(p)
    values = rng.normal(size=(rows, p))
    for j in range(1, p):
        values[:, j] += values[:, max(j - 3, 0) : j].mean(axis=1)
    return values


def run() -> list[Row]:
    sizes = pick((20, 50), (6,))
    return [*(_beside(p, pick(20, 3)) for p in sizes), *_alone(pick(50, 6)), _count()]


def _learned(learner: Learner, data: Dataset) -> Estimate:
    return learner.learn(data, np.random.default_rng(1))


def _beside(p: int, steps: int) -> Row:
    values = band(p)
    data, learner = Dataset.from_numpy(values), TrilearnPgibbs(n_particles=PARTICLES, M=steps)
    ours = best_of(lambda: _learned(learner, data), 3)
    what = f"particle Gibbs, {PARTICLES} particles, {steps} steps, {p} variables, 200 rows"
    if not PEER:
        return row(what, ours, "trilearn", note="not installed")
    with tempfile.TemporaryDirectory() as folder:
        given, out = Path(folder) / "data.npz", Path(folder) / "found.npz"
        np.savez(given, values=values)
        script = Path(__file__).with_name("_trilearn_peer.py")
        call = [PEER, str(script), str(given), str(PARTICLES), str(steps), str(out)]
        subprocess.run(call, check=True, capture_output=True)
        found = np.load(out)
        score = _learned(learner, data).stats["score"]
        result = f"best scores: {score:.0f} and {float(found['scores'].max()):.0f}"
        return row(
            what, ours, "trilearn", float(found["seconds"]), "CPU of the peer", result=result
        )


def _alone(p: int) -> list[Row]:
    """Our own proposals for as long as trilearn's chain in Benchpress's study would take us."""
    data = Dataset.from_numpy(band(p))
    prior: dict[str, Any] = {"delta": 1.0, "scale": 1.0, "zero_mean": True}
    learners: list[Learner] = [
        TrilearnPgibbs(n_particles=PARTICLES, M=pick(2000, 5)),
        ParticleGibbs(iterations=pick(3000, 5), **prior),
        ParallelJunctionTrees(iterations=pick(200_000, 50), **prior),
    ]
    return [_settled(learner, data) for learner in learners]


def _settled(learner: Learner, data: Dataset) -> Row:
    ours, result = timed(lambda: _late_score(_learned(learner, data)), 1)
    return row(f"{learner.name}, {len(data.names)} variables, 200 rows", ours, result=result)


def _late_score(found: Estimate) -> str:
    if found.posterior is None:
        return ""
    score = found.posterior.after(0.5).chains[0].score
    return f"median score of the second half: {np.median(np.asarray(score)):.0f}"


def _count() -> Row:
    nodes = pick(11, 4)
    ours, result = timed(lambda: _counted(nodes), 1)
    return row(f"the number of decomposable graphs of {nodes} nodes", ours, result=result)


def _counted(nodes: int) -> str:
    found = count_decomposable_graphs(nodes, n_particles=1000)
    return f"{found.count:.4g} ± {found.relative_error:.1%}"
