"""PC's skeleton of Gaussian data: our native code on one core beside a graphics card.

The card's code is in `_card_skeleton`. It is no part of the package: docs/learners-pc.md has what
was measured and why. Without a card, or without JAX, ours is measured alone.
"""

from __future__ import annotations

import math
import time
from functools import partial

import numpy as np

from benchmarks import _card_skeleton
from benchmarks.timing import Row, Timing, compare, pick, timed
from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.graphs import Graph
from dagathlon.learners.constraint.pc import Pc

ALPHA = 0.01
MAX_ORDER = 3
# Variables, rows and average degree.
SIZES = ((1_000, 1_000, 4), (5_000, 1_000, 4), (10_000, 1_000, 4), (1_000, 10_000, 20))


def values(p: int, n: int, degree: float) -> np.ndarray:
    """Rows of a random linear Gaussian model."""
    rng = np.random.default_rng(1)
    found = rng.normal(size=(p, n))
    for child in range(1, p):
        parents = np.flatnonzero(rng.random(child) < degree / (p - 1))
        weights = rng.uniform(0.25, 1, len(parents)) * rng.choice([-1, 1], len(parents))
        found[child] += weights @ found[parents]
    return np.ascontiguousarray(found.T)


def critical(rows: int, order: int) -> float:
    """The largest square of a partial correlation that Fisher's z takes for zero."""
    from scipy.special import ndtri

    return float(np.tanh(-ndtri(ALPHA / 2) / math.sqrt(rows - order - 3)) ** 2)


def run() -> list[Row]:
    return [_beside(*size) for size in pick(SIZES, ((40, 200, 3),))]


def _beside(p: int, n: int, degree: float) -> Row:
    data = values(p, n, degree)
    ours, (edges, searched) = timed(partial(_ours, Dataset.from_numpy(data)), 3)
    card = partial(_card, data, f"edges: {edges}", f"ours less correlations {searched:.2g} s")
    what = f"skeleton, sets of up to {MAX_ORDER}, {p} variables, {n} rows, degree {degree}"
    return compare(what, ours, "JAX on a card", "jax", card, limit=60)


def _ours(data: Dataset) -> tuple[int, float]:
    """The number of edges, and the seconds of the search alone."""
    learner = Pc(alpha=ALPHA, max_order=MAX_ORDER, test="zf")
    test = learner.make_test(data, np.random.default_rng(0))
    start = time.perf_counter()
    graph, _ = _core.pc_skeleton(test.native, learner._skeleton_options(test))
    return Graph._of(test.names, graph).n_edges, time.perf_counter() - start


def _card(data: np.ndarray, ours: str, note: str) -> tuple[Timing, str, str]:
    import jax

    call = partial(_card_skeleton.skeleton, data, partial(critical, len(data)), MAX_ORDER)
    spent, pairs = timed(call, 3)
    where = "no card: on the processor" if jax.default_backend() == "cpu" else "compiled before"
    return spent, f"{ours} and {len(pairs) // 2}", f"{where}; {note}"
