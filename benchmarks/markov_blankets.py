"""Speed of blanket and neighbourhood learners: ``python -m benchmarks markov_blankets``.

The peer is bnlearn's C code as packaged in bnlearn-port (imports as pybnlearn).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from benchmarks.timing import Row, best_of, compare, print_table

from dagathlon.data import Dataset, Network, read_data
from dagathlon.learners import learn

ALARM = ("gs", "iamb", "inter_iamb", "mmpc", "si_hiton_pc", "hpc")
GAUSSIAN = ("mmpc", "si_hiton_pc", "iamb")


def gaussian_data(p: int, n: int) -> Dataset:
    """A random linear Gaussian network with one parent per variable on average."""
    rng = np.random.default_rng(3)
    weights = np.triu((rng.random((p, p)) < 2 / (p - 1)) * rng.uniform(0.3, 0.9, (p, p)), 1)
    values = np.linalg.solve((np.eye(p) - weights).T, rng.normal(size=(p, n))).T
    return read_data(values)


def against_bnlearn(name: str, data: Dataset, what: str, test: str, alpha: float) -> Row:
    """Times of both on the same data, and whether the graphs are equal."""
    ours = best_of(lambda: learn(data, name, test=test, alpha=alpha), 3)
    graph = learn(data, name, test=test, alpha=alpha).graph
    frame = data.to_pandas()

    def peer() -> tuple[float, str]:
        import pybnlearn

        results: list[Any] = []
        seconds = best_of(
            lambda: results.append(getattr(pybnlearn, name)(frame, test=test, alpha=alpha)), 1
        )
        skeleton = {frozenset(arc) for arc in pybnlearn.arcs(results[-1])}
        same = skeleton == {frozenset((edge.left, edge.right)) for edge in graph.edges()}
        return seconds, f"{test}, alpha {alpha}; {'same' if same else 'another'} skeleton"

    return compare(f"{name}, {what}", ours, "bnlearn-port", "pybnlearn", peer)


def run() -> list[Row]:
    """One row per learner."""
    alarm, gaussian = Network.load("alarm").sample(10_000, 1), gaussian_data(200, 1000)
    return [
        *(against_bnlearn(name, alarm, "Alarm n=10,000", "mi", 0.05) for name in ALARM),
        *(
            against_bnlearn(name, gaussian, "Gaussian p=200 n=1000", "zf", 0.01)
            for name in GAUSSIAN
        ),
    ]


if __name__ == "__main__":
    print_table(run())
