"""Speed of blanket and neighbourhood learners.

The peer is bnlearn's C code as packaged in bnlearn-port (imports as pybnlearn).
"""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks.inputs import linear_data
from benchmarks.timing import Row, best_of, compare, pick, print_table, timed
from dagathlon.data import Dataset, Network
from dagathlon.learners import learn

ALARM = ("gs", "iamb", "inter_iamb", "mmpc", "si_hiton_pc", "hpc")
GAUSSIAN = ("mmpc", "si_hiton_pc", "iamb")


def against_bnlearn(name: str, data: Dataset, what: str, test: str, alpha: float) -> Row:
    """Times of both on the same data, and whether the graphs are equal."""
    ours = best_of(lambda: learn(data, name, test=test, alpha=alpha), 3)
    graph = learn(data, name, test=test, alpha=alpha).graph
    frame = data.to_pandas()

    def peer() -> tuple[Any, ...]:
        import pybnlearn

        search = partial(getattr(pybnlearn, name), frame, test=test, alpha=alpha)
        seconds, found = timed(search, 3)
        skeleton = {frozenset(arc) for arc in pybnlearn.arcs(found)}
        differing = skeleton ^ {frozenset((edge.left, edge.right)) for edge in graph.edges()}
        result = f"{len(differing)} of {graph.n_edges} edges differ"
        return seconds, result, f"{test}, alpha {alpha}"

    return compare(f"{name}, {what}", ours, "bnlearn-port", "pybnlearn", peer)


def run() -> list[Row]:
    """One row per learner."""
    n, p = pick((10_000, 200), (100, 20))
    alarm, gaussian = Network.load("alarm").sample(n, 1), linear_data(p, 1000, degree=2)
    return [
        *(against_bnlearn(name, alarm, f"Alarm n={n:,}", "mi", 0.05) for name in ALARM),
        *(
            against_bnlearn(name, gaussian, f"Gaussian p={p} n=1000", "zf", 0.01)
            for name in GAUSSIAN
        ),
    ]


if __name__ == "__main__":
    print_table(run())
