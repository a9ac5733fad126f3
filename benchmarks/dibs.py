"""DiBS beside dibs-lib: the same data, prior, likelihood, particles, schedules and steps.

``DAGATHLON_DIBS_LIB`` names a Python that has dibs-lib; without it ours is measured alone.
A machine with a graphics card runs 20 data sets with three starts each, in one batch, with every
learner in JAX:

    python -m benchmarks.dibs card
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

NAMES = ("a", "b", "c", "d", "e")
QUICK = bool(os.environ.get("DAGATHLON_BENCHMARKS_QUICK"))
SETS = 1 if QUICK else int(os.environ.get("DAGATHLON_DIBS_SETS", "4"))
# Few steps, since the peer takes 30 to 100 ms for one; arcs sharpen faster to make up for it.
STEPS, ALPHA = (20, 1.0) if QUICK else (300, 1.0)
PEER = os.environ.get("DAGATHLON_DIBS_LIB", "")


def model(seed: int, rows: int = 100) -> tuple[np.ndarray, np.ndarray]:
    """A random linear Gaussian model of five variables: centred rows, and its arcs."""
    rng = np.random.default_rng(100 + seed)
    p = len(NAMES)
    weights = np.triu(rng.normal(0, 1.4, (p, p)) * (rng.random((p, p)) < 0.5), 1)
    values = rng.normal(size=(rows, p)) @ np.linalg.inv(np.eye(p) - weights)
    return values - values.mean(axis=0), weights != 0


def dataset(values: np.ndarray) -> Any:
    from dagathlon.data import Dataset, Variable

    return Dataset([Variable(name) for name in NAMES], values=values)


def run() -> list[Any]:
    from benchmarks.timing import alone, best_of, row
    from dagathlon.learners.jax.backend import NEEDS_JAX
    from dagathlon.learners.jax.dibs import Dibs

    if NEEDS_JAX:
        return []
    data = dataset(model(0)[0])
    short = Dibs(steps=STEPS, alpha_linear=ALPHA, patience=10**9)
    ours = best_of(lambda: short.learn(data, np.random.default_rng(0)), 3)
    rows = []
    for name in ("bge", "linear"):
        whole = Dibs(likelihood=name, steps=100 if QUICK else 20_000)
        seconds = best_of(lambda whole=whole: whole.learn(data, np.random.default_rng(0)), 2)
        rows.append(alone(f"dibs, {name}, defaults, until it has settled", seconds, "100 rows"))
    what = f"dibs, bge, {STEPS} steps of 50 particles, 5 variables, 100 rows"
    if not PEER:
        return [row(what, ours, "dibs-lib", note="not installed"), *rows]
    seconds, compiling, result = beside(short)
    note = f"{SETS} sets; compiling, {compiling:.1f} s of the peer, is not counted"
    return [row(what, ours, "dibs-lib", seconds, note, result=result), *rows]


def beside(learner: Any) -> tuple[float, float, str]:
    """The peer's seconds for the steps and for compiling, and the quality of both."""
    found, times = [], []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(SETS):
            values, truth = model(seed)
            given, out = Path(folder) / "data.npz", Path(folder) / "found.npz"
            np.savez(given, values=values)
            script = Path(__file__).with_name("_dibs_peer.py")
            call = [PEER, str(script), str(given), str(STEPS), str(ALPHA), str(out)]
            subprocess.run(call, check=True, capture_output=True)
            theirs = np.load(out)
            times.append((float(theirs["whole"]) - float(theirs["first"]), float(theirs["first"])))
            found.append(qualities(learner, values, truth, theirs["particles"]))
    compiled = np.mean(times, axis=0)
    return float(compiled[0]), float(compiled[1]), described(np.array(found))


def qualities(learner: Any, values: np.ndarray, truth: np.ndarray, particles: np.ndarray) -> Any:
    """Graph MMD to the exact posterior and expected SHD, of ours and of the peer's particles."""
    from dagathlon.learners.bayesian.exact_posterior import ExactPosterior

    data = dataset(values)
    exact = ExactPosterior(score="bge").posterior(data).edge_probabilities
    ours = learner.learn(data, np.random.default_rng(0)).posterior
    drawn = [np.asarray(ours.chains[0].graph_at(k).adjacency) for k in range(ours.n_draws)]
    acyclic = [g for g in particles if not np.linalg.matrix_power(g, len(g)).any()]
    return [quality(np.array(graphs), truth, exact) for graphs in (drawn, acyclic)]


def quality(graphs: np.ndarray, truth: np.ndarray, exact: np.ndarray) -> tuple[float, float]:
    arcs, edges = graphs.mean(axis=0), truth.size - len(truth)
    differs = (graphs != 0) != truth
    shd = np.triu(differs | differs.transpose(0, 2, 1)).sum(axis=(1, 2)).mean()
    return float(2 / edges * np.sum((arcs - exact) ** 2)), float(shd)


def described(found: np.ndarray) -> str:
    """Means of ours and the peer's, and the difference with its standard error."""
    parts = []
    for k, name in enumerate(("Graph MMD", "E-SHD")):
        ours, theirs = found[:, 0, k], found[:, 1, k]
        error = np.std(ours - theirs, ddof=1) / len(ours) ** 0.5 if len(ours) > 1 else np.nan
        parts.append(f"{name} {ours.mean():.3f} and {theirs.mean():.3f} (± {error:.3f})")
    return "ours and the peer's: " + ", ".join(parts)


def card() -> None:
    """All 60 runs of a cell at once, first with compiling and then without."""
    from benchmarks.flows import called, learners
    from dagathlon.learners.jax.backend import jax
    from dagathlon.learners.jax.dibs import Dibs

    few = {"steps": 20} if QUICK else {}
    ours = [Dibs(likelihood="linear", **few), Dibs(**few), Dibs(particles=1, **few)]
    print(f"JAX {jax.__version__} on {jax.devices()[0]}")
    data = [dataset(model(seed)[0]) for seed in range(20) for _ in range(3)]
    for learner in [*ours, *learners()]:
        for said in ("with compiling", "compiled"):
            rngs = [np.random.default_rng(seed) for seed in range(len(data))]
            start = time.perf_counter()
            found = learner.learn_many(data, rngs)
            seconds = time.perf_counter() - start
            steps = np.mean([one.stats["steps"] for one in found])
            what = f"{called(learner)}, 60 runs, {said}"
            print(f"{what}: {seconds:.1f} s, {steps:.0f} steps on average", flush=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["card"]:
        card()
    else:
        from benchmarks.timing import print_table

        print_table(run())
