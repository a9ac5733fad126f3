"""Speed of MIIC, K2, hill climbing and the test by nearest neighbours.

The peers are pyAgrum and tigramite's CMIknn. Of pyAgrum the search alone is measured, not the
reading of the data.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.timing import Row, best_of, compare, pick, print_table, timed
from dagathlon.data import Dataset, Network, Variable
from dagathlon.graphs import Graph
from dagathlon.learners import learn
from dagathlon.learners.independence import independence_test

NETWORKS = ("asia", "alarm")


def _pairs(graph: Graph) -> set[frozenset[str]]:
    return {frozenset((edge.left, edge.right)) for edge in graph.edges()}


def _learner(data: Dataset) -> Any:
    import pyagrum

    return pyagrum.BNLearner(data.to_pandas().astype(str))


def miic(data: Dataset, what: str, complexity: str) -> Row:
    """MIIC of both: the graph before open edges are directed."""
    graph = learn(data, "miic", complexity=complexity).graph
    ours = best_of(lambda: learn(data, "miic", complexity=complexity), 3)

    def peer() -> tuple[Any, ...]:
        learner = _learner(data)
        learner.useMIIC()
        getattr(learner, f"use{complexity.upper()}Correction")()
        seconds, found = timed(learner.learnPDAG, 3)
        theirs = {frozenset(data.names[node] for node in pair) for pair in found.edges()}
        theirs |= {frozenset(data.names[node] for node in pair) for pair in found.arcs()}
        differing = _pairs(graph) ^ theirs
        return seconds, f"{len(differing)} of {graph.n_edges} edges differ", complexity

    return compare(f"miic, {what}", ours, "pyagrum", "pyagrum", peer)


def climbing(data: Dataset, what: str) -> Row:
    """Hill climbing with BDeu; the result compares the scores that it reached, by our score."""
    graph = learn(data, "hc", score="bdeu", iss=1).graph
    ours = best_of(lambda: learn(data, "hc", score="bdeu", iss=1), 3)

    def score(arcs: Graph) -> float:
        return float(learn(data, "hc", score="bdeu", iss=1, max_iter=0, start=arcs).stats["score"])

    def peer() -> tuple[Any, ...]:
        learner = _learner(data)
        learner.useGreedyHillClimbing()
        learner.useScoreBDeu()
        seconds, found = timed(learner.learnDAG, 3)
        arcs = [(data.names[a], data.names[b]) for a, b in found.arcs()]
        gain = score(graph) - score(Graph.from_edges(arcs, names=data.names))
        return seconds, f"score higher by {gain:.2f}", "BDeu"

    return compare(f"hc, {what}", ours, "pyagrum", "pyagrum", peer)


def neighbours(rows: int) -> Row:
    """One conditional question with two hundred permutations."""
    values = np.random.default_rng(1).normal(size=(rows, 3))
    values[:, 1] += values[:, 0] ** 2
    data = Dataset([Variable(f"V{j}") for j in range(3)], values=values)
    test = independence_test(data, "cmi-knn").native
    ours = best_of(lambda: test.test(0, 1, [2]), 3)
    statistic = test.test(0, 1, [2])[0]

    def peer() -> tuple[Any, ...]:
        from tigramite.independence_tests.cmiknn import CMIknn

        cmi = CMIknn(knn=0.2, transform="ranks", sig_samples=200, sig_blocklength=1)
        array, kinds = values.T.copy(), np.array([0, 1, 2])

        def ask() -> float:
            value = float(cmi.get_dependence_measure(array, kinds))
            cmi.get_shuffle_significance(array, kinds, value)
            return value

        ask()  # compiles
        seconds, value = timed(ask, 1)
        return seconds, f"estimates differ by {abs(value - statistic):.0e}", "200 permutations"

    return compare(f"cmi-knn, n={rows}", ours, "tigramite", "tigramite", peer)


def run() -> list[Row]:
    """One row per learner and data set."""
    n = pick(10_000, 200)
    samples = {name: Network.load(name).sample(n, 1) for name in pick(NETWORKS, ("asia",))}
    found = [
        miic(data, f"{name} n={n:,}", complexity)
        for name, data in samples.items()
        for complexity in ("nml", "mdl")
    ]
    found += [climbing(data, f"{name} n={n:,}") for name, data in samples.items()]
    return [*found, neighbours(pick(300, 40))]


if __name__ == "__main__":
    print_table(run())
