"""Continuous learners against gCastle and lingam."""

from __future__ import annotations

import logging
from collections.abc import Callable

import numpy as np

from benchmarks.timing import Row, best_of, compare, pick, print_table, timed
from dagathlon.data import Dataset, Variable
from dagathlon.learners import learn

SIZES = pick([(20, 640), (80, 300)], [(10, 100)])
SOLVERS = ("lbfgsb", "path")
# Takes most of a minute, as long as the peer, which is stopped before.
SLOW = (80, 300, "lbfgsb")


def linear(p: int, n: int, noise: str, seed: int = 1) -> Dataset:
    """A random linear model with two parents on average."""
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.random((p, p)) < 4 / (p - 1), 1) * rng.uniform(0.25, 1.0, (p, p))
    weights *= rng.choice([-1, 1], (p, p))
    order = rng.permutation(p)
    errors = getattr(rng, noise)(size=(n, p))
    values = errors @ np.linalg.inv(np.eye(p) - weights[np.ix_(order, order)])
    return Dataset([Variable(f"V{i}") for i in range(p)], values=values)


def gcastle(data: Dataset, learner: str, ours: str, **settings: object):
    def measure() -> tuple[float, str]:
        logging.disable(logging.INFO)
        from castle import algorithms

        peer = getattr(algorithms, learner)()
        seconds, _ = timed(lambda: peer.learn(np.array(data.values)), 2)
        found = learn(data, ours, **settings).graph.marks == 2
        return seconds, f"{int((found != (peer.causal_matrix != 0)).sum())} arcs differ"

    return measure


def lingam(data: Dataset) -> Callable[[], tuple[float, str]]:
    def measure() -> tuple[float, str]:
        from lingam import DirectLiNGAM

        seconds, peer = timed(lambda: DirectLiNGAM().fit(data.values), 2)
        order = " ".join(f"V{i}" for i in peer.causal_order_)
        same = learn(data, "direct_lingam").stats["order"] == order
        return seconds, "the same order" if same else "another order"

    return measure


def notears(p: int, n: int, solver: str) -> Row:
    data = linear(p, n, "normal")
    ours = best_of(lambda: learn(data, "notears", solver=solver, standardize=False), repeats=3)
    peer = gcastle(data, "Notears", "notears", solver=solver, standardize=False)
    return compare(f"notears p={p} n={n} {solver}", ours, "gcastle", "castle", peer)


def run() -> list[Row]:
    rows = []
    for p, n in SIZES:
        rows += [notears(p, n, solver) for solver in SOLVERS if (p, n, solver) != SLOW]
        data = linear(p, n, "laplace")
        ours = best_of(lambda data=data: learn(data, "direct_lingam"), repeats=3)
        what = f"direct_lingam p={p} n={n}"
        rows.append(compare(what, ours, "lingam", "lingam", lingam(data)))
        peer = gcastle(data, "DirectLiNGAM", "gcastle_direct_lingam")
        rows.append(compare(what, ours, "gcastle", "castle", peer))
    return rows


if __name__ == "__main__":
    print_table(run())
