"""Continuous learners against gCastle and lingam, in seconds of processor time.

Set OMP_NUM_THREADS=1, so that all of them use one core. A peer has LIMIT seconds on the clock.
"""

from __future__ import annotations

import logging
import time
import timeit
from collections.abc import Callable

import numpy as np
from benchmarks.timing import Measure, Row, alone, compare, print_table

from dagathlon.data import Dataset, Variable
from dagathlon.graphs import Graph
from dagathlon.learners import learn

SIZES = [(20, 640), (80, 300)]
LIMIT = 420.0


def cpu(call: Callable[[], object], repeats: int) -> float:
    """The shortest of several repeats, in seconds of processor time."""
    return min(timeit.repeat(call, timer=time.process_time, number=1, repeat=repeats))


def linear(p: int, n: int, noise: str, seed: int = 1) -> Dataset:
    """A random linear model with two parents on average."""
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.random((p, p)) < 4 / (p - 1), 1) * rng.uniform(0.25, 1.0, (p, p))
    weights *= rng.choice([-1, 1], (p, p))
    order = rng.permutation(p)
    errors = getattr(rng, noise)(size=(n, p))
    values = errors @ np.linalg.inv(np.eye(p) - weights[np.ix_(order, order)])
    return Dataset([Variable(f"V{i}") for i in range(p)], values=values)


def gcastle(data: Dataset, learner: str, found: Graph) -> Measure:
    """One run of gCastle, whose runs are long, and the arcs in which its graph differs."""

    def measure() -> tuple[float, str]:
        logging.disable(logging.INFO)
        from castle import algorithms

        peer = getattr(algorithms, learner)()
        seconds = cpu(lambda: peer.learn(np.array(data.values)), 1)
        different = (found.marks == 2) != (np.asarray(peer.causal_matrix) != 0)
        return seconds, f"{int(different.sum())} arcs differ"

    return measure


def lingam(data: Dataset) -> Measure:
    def measure() -> tuple[float, str]:
        from lingam import DirectLiNGAM

        peer = DirectLiNGAM()
        seconds = cpu(lambda: peer.fit(data.values), 1)
        order = " ".join(f"V{i}" for i in peer.causal_order_)
        same = learn(data, "direct_lingam").stats["order"] == order
        return seconds, "the same order" if same else "another order"

    return measure


def notears(p: int, n: int) -> list[Row]:
    """The default against gCastle; the path of solutions, which may end elsewhere, by itself."""
    data = linear(p, n, "normal")
    found: list[Graph] = []
    ours = cpu(lambda: found.append(learn(data, "notears").graph), 1)
    path = cpu(lambda: found.append(learn(data, "notears", solver="path").graph), 3)
    different = int(((found[0].marks == 2) != (found[1].marks == 2)).sum())
    what, peer = f"notears p={p} n={n}", gcastle(data, "Notears", found[0])
    return [
        compare(what, ours, "gcastle", "castle", peer, limit=LIMIT),
        alone(f"{what} solver=path", path, f"{different} arcs differ from the default"),
    ]


def direct_lingam(p: int, n: int) -> list[Row]:
    data = linear(p, n, "laplace")
    ours = cpu(lambda: learn(data, "direct_lingam"), 3)
    what = f"direct_lingam p={p} n={n}"
    peer = gcastle(data, "DirectLiNGAM", learn(data, "gcastle_direct_lingam").graph)
    return [
        compare(what, ours, "lingam", "lingam", lingam(data), limit=LIMIT),
        compare(what, ours, "gcastle", "castle", peer, limit=LIMIT),
    ]


def run() -> list[Row]:
    return [row for size in SIZES for make in (notears, direct_lingam) for row in make(*size)]


if __name__ == "__main__":
    print_table(run())
