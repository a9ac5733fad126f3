"""Exact posteriors, optimal DAGs and searches over orders with cached parent sets.

``sumu`` (its function aps) is the peer for posteriors. No peer for optimal DAGs could be run:
pygobnilp 1.0 calls an interface that Gurobi 13 no longer has, and the licence in the last Gurobi
that has it is expired; GOBNILP itself and r.blip are not on PyPI.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

import numpy as np

from benchmarks.timing import Row, best_of, compare, print_table, row
from dagathlon import _core
from dagathlon.data import Dataset, Network, Variable
from dagathlon.learners import learn

# Beyond these sumu takes minutes.
PEER_VARIABLES = (10, 14)
NO_PEER = "no peer runs: pygobnilp needs an older Gurobi"


def weights(d: int) -> np.ndarray:
    return 3 * np.random.default_rng(0).normal(size=(d, 2 ** (d - 1)))


def posterior(d: int) -> _core.DagPosterior:
    found = _core.DagPosterior.of_weights(weights(d), _core.Modularity.structure)
    found.edges()
    return found


def peak_memory(d: int) -> str:
    """Peak of a fresh process, Python and numpy included."""
    code = (
        f"import benchmarks.exact as b, resource; b.posterior({d}); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return f"peak {done.stdout.strip()} MB"


def posteriors() -> list[Row]:
    rows = []
    for d in PEER_VARIABLES:

        def families(d: int = d) -> np.ndarray:
            found = _core.DagPosterior.of_weights(weights(d), _core.Modularity.structure)
            return np.array([found.families(j) for j in range(d)])

        def peer(d: int = d) -> tuple[float, str]:
            import sumu

            logs = sumu.aps(weights(d), as_dict=False, normalize=True)
            error = np.abs(np.exp(logs) - families(d)).max()
            seconds = best_of(lambda: sumu.aps(weights(d), as_dict=False, normalize=True), 1)
            return seconds, f"largest difference {error:.0e}"

        what = f"all family marginals d={d}"
        rows.append(compare(what, best_of(families, 2), "sumu aps", "sumu", peer))
    for d in (18, 20):
        what = f"partition function, edge marginals d={d}"
        rows.append(row(what, best_of(lambda d=d: posterior(d), 1), note=peak_memory(d)))
    found = posterior(16)
    rows.append(row("one exact draw d=16", best_of(lambda: found.sample(20, 1), 2) / 20))
    return rows


def gaussian(p: int, n: int) -> Dataset:
    rng = np.random.default_rng(1)
    arcs = np.triu(rng.normal(size=(p, p)) * (rng.random((p, p)) < 3 / p), 1)
    values = rng.normal(size=(n, p)) @ np.linalg.inv(np.eye(p) - arcs)
    return Dataset([Variable(f"V{i}") for i in range(p)], values=values)


def optima() -> list[Row]:
    cases = [
        ("alarm n=1,000 bdeu", Network.load("alarm").sample(1000, seed=1), "bdeu"),
        ("insurance n=2,000 bdeu", Network.load("insurance").sample(2000, seed=1), "bdeu"),
        ("child n=1,000 bic", Network.load("child").sample(1000, seed=1), "bic"),
        ("gaussian p=25 n=500 bge", gaussian(25, 500), "bge"),
    ]
    rows = []
    for what, data, score in cases:
        cpu = time.process_time()
        start = time.perf_counter()
        found = learn(data, "exact_map", score=score, max_parents=3, time_limit=120.0)
        seconds = time.perf_counter() - start
        cpu = time.process_time() - cpu
        gap = "proven" if found.stats["proven"] else f"gap {found.stats['gap']:.1e}"
        note = f"{gap}, {cpu:.1f} s of CPU, {found.stats['cuts']} cuts; {NO_PEER}"
        rows.append(row(f"exact_map {what} palim 3", seconds, note=note))
    return rows


def orders() -> list[Row]:
    data = Network.load("alarm").sample(1000, seed=1)
    best = float(learn(data, "exact_map", score="bdeu", max_parents=3).stats["score"])
    rows = []
    for name in ("asobs", "winasobs"):
        found = learn(data, name, score="bdeu", max_parents=3)
        seconds = best_of(lambda n=name: learn(data, n, score="bdeu", max_parents=3), 1)
        lost = best - float(found.stats["score"])
        note = (
            f"{found.stats['starts']} starts, {lost:.1f} below the optimum; r.blip needs R and Java"
        )
        rows.append(row(f"{name} alarm n=1,000 bdeu palim 3", seconds, note=note))
    return rows


def run() -> list[Row]:
    return [*posteriors(), *optima(), *orders()]


if __name__ == "__main__":
    print_table(run())
    print(
        f"peak memory of this run {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB"
    )
