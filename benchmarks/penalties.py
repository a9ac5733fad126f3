"""The price of an arc: which penalty finds the graph, over numbers of variables and rows.

The result is the structural Hamming distance to the true class, and the number of arcs found.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.inputs import linear_data, random_dag, shd_to_truth
from benchmarks.timing import Row, pick, row
from dagathlon.data import Dataset, Variable
from dagathlon.graphs import Graph
from dagathlon.learners import learn

# Variables, rows and mean degree.
GAUSSIAN = pick(
    [
        (20, 100, 2), (20, 1000, 2), (20, 1000, 4), (50, 50, 2), (50, 200, 4), (50, 1000, 2),
        (50, 2000, 4), (200, 200, 4), (200, 1000, 2), (200, 2000, 4),
        (1000, 1000, 4),
    ],
    [(20, 100, 2)],
)  # fmt: skip
DISCRETE = pick(
    [(20, 100), (20, 1000), (50, 200), (50, 1000), (200, 200), (200, 1000)], [(20, 100)]
)
PENALTIES = ("default", "BIC", "2 BIC", "EBIC .25", "EBIC .5", "EBIC 1")


def settings(penalty: str, plain: str, rows: int) -> dict[str, Any]:
    """Parameters of a learner; EBIC's weight is on the scale in which 4γ·log p is added per arc."""
    if penalty == "default":
        return {}
    if penalty.startswith("EBIC"):
        return {"score": f"e{plain}", "gamma": float(penalty.split()[1])}
    return {"score": plain, "k": (2 if penalty == "2 BIC" else 1) * math.log(rows) / 2}


def discrete_data(p: int, rows: int, degree: float, seed: int) -> Dataset:
    """Rows of a network of two and three levels on `random_dag(p, degree, seed)`."""
    rng = np.random.default_rng(seed + 1)
    graph = random_dag(p, degree, seed)
    levels = rng.integers(2, 4, p)
    codes = np.zeros((rows, p), np.uint8)
    for name in graph.topological_order():
        node = graph.names.index(name)
        cell = np.zeros(rows, int)
        for parent in (graph.names.index(x) for x in graph.parents(name)):
            cell = cell * levels[parent] + codes[:, parent]
        cell = np.unique(cell, return_inverse=True)[1]
        shares = rng.dirichlet(np.full(levels[node], 0.7), cell.max() + 1)[cell]
        drawn = (shares.cumsum(axis=1) < rng.random((rows, 1))).sum(axis=1)
        codes[:, node] = np.minimum(drawn, levels[node] - 1)
    variables = [
        Variable(name, tuple(map(str, range(count))))
        for name, count in zip(graph.names, levels, strict=True)
    ]
    return Dataset(variables, codes=codes)


def compared(
    what: str, plain: str, sets: list[tuple[Dataset, Graph]], learner: str
) -> Iterator[Row]:
    """A row for each penalty, over the same sets."""
    arcs = np.mean([len(truth.edges()) for _, truth in sets])
    for penalty in PENALTIES:
        found, began = [], time.process_time()
        for data, truth in sets:
            graph = learn(data, learner, **settings(penalty, plain, len(data))).graph
            found.append((shd_to_truth(graph, truth), len(graph.edges())))
        distance, size = np.mean(found, axis=0)
        yield row(
            f"{learner} {penalty}: {what}",
            (time.process_time() - began) / len(sets),
            result=f"SHD {distance:.0f}, arcs {size:.0f} of {arcs:.0f}",
            note="CPU time, once" if len(sets) == 1 else f"CPU time, mean of {len(sets)}",
        )


def run() -> list[Row]:
    """Hill climbing everywhere, BOSS where it does not take long."""
    learn(linear_data(5, 50), "hc")  # modules are loaded once
    rows: list[Row] = []
    for p, n, degree in GAUSSIAN:
        seeds = range(pick(3 if p <= 50 else 1, 1))
        sets = [(linear_data(p, n, degree, s), random_dag(p, degree, s)) for s in seeds]
        what = f"Gaussian p={p} n={n} degree {degree}"
        for learner in ("hc", "boss") if p <= 50 or p <= 200 < n else ("hc",):
            rows += compared(what, "bic-g", sets, learner)
    for p, n in DISCRETE:
        seeds = range(pick(3 if p <= 50 else 1, 1))
        sets = [(discrete_data(p, n, 2.5, s), random_dag(p, 2.5, s)) for s in seeds]
        for learner in ("hc", "boss"):
            rows += compared(f"discrete p={p} n={n} degree 2.5", "bic", sets, learner)
    return rows
