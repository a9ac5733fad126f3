"""Samplers of decomposable graphs.

trilearn pins packages of its own: give the Python of an environment that has it in
`DAGATHLON_TRILEARN` (2.0.5 was compared). Its time is CPU time inside its process; its sampler of
junction trees makes the same kind of steps as ours, so that times are for as many steps of each.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.inputs import linear_data
from benchmarks.timing import Row, Timing, best_of, pick, print_table, row, timed
from dagathlon.data import Dataset, Variable
from dagathlon.learners import learn

PEER = os.environ.get("DAGATHLON_TRILEARN", "")
NOTHING = "not installed: DAGATHLON_TRILEARN is the Python of an environment with trilearn"
# trilearn's prior, which it does not let Benchpress change.
THEIRS = {"delta": 1.0, "scale": 1.0, "zero_mean": True}
STEPS = pick(1_000_000, 2_000)
PEER_STEPS = pick(500, 50)
SAMPLERS = [
    ("single edges", {"sampler": 0}),
    ("junction trees, single edges", {"sampler": 1}),
    ("junction trees, several edges", {"sampler": 2}),
]


def run() -> list[Row]:
    p = pick(50, 8)
    data = band_data(p, 200)
    learn(
        band_data(4, 20), "giudici_green", iterations=0
    )  # modules are loaded before processes part
    rows = []
    for what, sampler in SAMPLERS:
        seconds = best_of(
            lambda: learn(data, "athomas_jtsamplers", num_samples=STEPS, **sampler),  # noqa: B023
            2,
        )
        rows.append(row(f"{what}, {STEPS} samples, all saved, p={p} n=200", seconds))
    return [*rows, against_trilearn(data), accuracy(), large()]


def band_data(p: int, n: int) -> Dataset:
    """Rows of a process in which each column follows the two before it: a decomposable graph."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(n, p))
    for j in range(1, p):
        values[:, j] += 0.6 * values[:, j - 1] + (0.3 * values[:, j - 2] if j > 1 else 0.0)
    return Dataset([Variable(f"V{i}") for i in range(p)], values=values)


def against_trilearn(data: Dataset) -> Row:
    """As many steps of both."""
    options = {"iterations": PEER_STEPS, "stepsave": 1, "warmup": 0}
    ours = best_of(lambda: learn(data, "junction_tree_mcmc", **options, **THEIRS), 2)
    what = f"junction trees, {PEER_STEPS} steps, p={len(data.names)} n={len(data)}"
    if not PEER:
        return row(what, ours, "trilearn", note=NOTHING)
    seconds, _ = trilearn(data, "greenthomas", PEER_STEPS)
    return row(what, ours, "trilearn", seconds, "its Metropolis-Hastings over junction trees")


def accuracy() -> Row:
    """The same posterior: largest difference of a probability of an edge to the exact one."""
    data = linear_data(5, 40)
    exact = learn(data, "exact_decomposable", **THEIRS).posterior
    assert exact is not None
    truth = exact.edge_probabilities
    seconds, found = timed(lambda: learn(data, "junction_tree_mcmc", **THEIRS), 2)
    assert found.posterior is not None
    own = f"ours {np.abs(found.posterior.edge_probabilities - truth).max():.3f}"
    what = "error of a probability of an edge, p=5 n=40, junction trees, 50000 steps"
    if not PEER:
        return row(what, seconds, "trilearn", note=NOTHING, result=own)
    steps = pick(10_000, 500)
    theirs, shares = trilearn(data, "greenthomas", steps)
    result = f"{own}, theirs {np.abs(shares - truth).max():.3f}"
    return row(what, seconds, "trilearn", theirs, f"{steps} steps", result=result)


def large() -> Row:
    """Many variables: what one step costs where trees are large."""
    p = pick(500, 20)
    data, steps = band_data(p, 500), pick(200_000, 1_000)
    seconds = best_of(lambda: learn(data, "junction_tree_mcmc", iterations=steps), 2)
    return row(f"junction trees, {steps} steps, p={p} n=500", seconds)


def trilearn(data: Dataset, method: str, steps: int) -> tuple[Timing, np.ndarray]:
    """CPU seconds, and the share of the chain that has each edge."""
    script = Path(__file__).with_name("_trilearn_peer.py")
    with tempfile.TemporaryDirectory() as folder:
        given, out = Path(folder, "data.npz"), Path(folder, "out.npz")
        np.savez(given, values=data.values)
        command = [PEER, str(script), str(given), method, str(steps), str(out)]
        subprocess.run(command, check=True, capture_output=True)
        with np.load(out) as found:
            seconds = float(found["seconds"])
            return Timing(seconds, cpu=seconds), found["shares"]


if __name__ == "__main__":
    print_table(run())
