"""Speed of the learners of measurement models and of FASK: ``python -m benchmarks.measurement``.

Clusters of five indicators of one latent variable, or of eight of two, 1,000 rows; a linear model
with exponential noise for FASK. Tetrad runs through JPype1, on one core and warm: the first of its
runs is not counted, and it is given up after 25 seconds. The notes say whether both found the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks._tetrad import against_tetrad
from benchmarks.timing import Row, best_of, pick, print_table
from dagathlon.data import Dataset, Variable
from dagathlon.graphs import Graph
from dagathlon.learners import learn
from dagathlon.simulate.linear_sem import RandomLinearSem
from dagathlon.simulate.measurement import Hide, RandomMeasurementModel

ROWS = 1000
LIMIT_S = 25.0


def clusters(count: int, size: int, factors: int) -> Dataset:
    rng = np.random.default_rng(count)
    kind = RandomMeasurementModel(clusters=count, indicators=size, factors=factors)
    model = RandomLinearSem(min=0.5, max=1.5).sample(kind.sample(rng), rng)
    found = Hide().apply(model.sample(ROWS, rng), rng)
    return named(found.values)


def skewed(p: int) -> Dataset:
    rng = np.random.default_rng(p)
    weights = np.triu(rng.uniform(0.3, 0.8, (p, p)) * (rng.random((p, p)) < 3 / p), 1)
    return named(rng.exponential(size=(ROWS, p)) @ np.linalg.inv(np.eye(p) - weights))


def named(values: Any) -> Dataset:
    return Dataset([Variable(f"X{i}") for i in range(values.shape[1])], values=np.array(values))


def compared(what: str, data: Dataset, learner: str, ours: dict[str, Any], **how: Any) -> Row:
    found = learn(data, learner, **ours)
    seconds = best_of(lambda: learn(data, learner, **ours), 3)

    def judge(graph: Graph) -> str:
        same = np.array_equal(graph.marks, found.graph.marks)
        return "the same" if same else "not the same"

    return against_tetrad(what, seconds, data, judge, LIMIT_S, learner=learner, alpha=0.01, **how)


def run() -> list[Row]:
    rows = []
    for count in pick([4, 8], [2]):
        data = clusters(count, 5, 1)
        for test in ("wishart", "delta"):
            for growth in ("gap", "sag"):
                how = {"test": test, "growth": growth}
                what = f"FOFC {test} {growth}, p={5 * count}"
                rows.append(compared(what, data, "fofc", how | {"like": "tetrad"}, **how))
    for count in pick([1, 2], [1]):
        what, how = f"FTFC gap, p={8 * count}", {"growth": "gap"}
        data = clusters(count, 8, 2)
        rows.append(compared(what, data, "ftfc", how | {"like": "tetrad"}, **how))
    for p in pick([20, 50], [10]):
        rows.append(compared(f"FASK, p={p}", skewed(p), "fask", {}))
    return rows


if __name__ == "__main__":
    print_table(run())
