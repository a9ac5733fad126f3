"""Continuous learners against gCastle and lingam."""

from __future__ import annotations

import logging
from collections.abc import Callable

import numpy as np

from benchmarks.timing import Row, best_of, compare, pick, print_table, timed
from dagathlon.data import Dataset, Variable
from dagathlon.learners import learn

SIZES = pick([(20, 640), (80, 300)], [(10, 100)])


def linear(p: int, n: int, noise: str, seed: int = 1) -> Dataset:
    """A random linear model with two parents on average."""
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.random((p, p)) < 4 / (p - 1), 1) * rng.uniform(0.25, 1.0, (p, p))
    weights *= rng.choice([-1, 1], (p, p))
    order = rng.permutation(p)
    errors = getattr(rng, noise)(size=(n, p))
    values = errors @ np.linalg.inv(np.eye(p) - weights[np.ix_(order, order)])
    return Dataset([Variable(f"V{i}") for i in range(p)], values=values)


def gcastle(data: Dataset, learner: str, ours: str, **parameters: object):
    def measure() -> tuple[float, str]:
        logging.disable(logging.INFO)
        from castle import algorithms

        peer = getattr(algorithms, learner)(**parameters)
        seconds, _ = timed(lambda: peer.learn(np.array(data.values)), 2)
        found = learn(data, ours).graph.marks == 2
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


def run() -> list[Row]:
    rows = []
    for p, n in SIZES:
        data = linear(p, n, "normal")
        ours = best_of(lambda data=data: learn(data, "notears"), repeats=3)
        peer = gcastle(data, "Notears", "gcastle_notears")
        rows.append(compare(f"notears p={p} n={n}", ours, "gcastle", "castle", peer))
        data = linear(p, n, "laplace")
        ours = best_of(lambda data=data: learn(data, "direct_lingam"), repeats=3)
        what = f"direct_lingam p={p} n={n}"
        rows.append(compare(what, ours, "lingam", "lingam", lingam(data)))
        peer = gcastle(data, "DirectLiNGAM", "gcastle_direct_lingam")
        rows.append(compare(what, ours, "gcastle", "castle", peer))
    return rows


if __name__ == "__main__":
    print_table(run())
