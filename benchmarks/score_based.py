"""Score-based searches against bnlearn (through its Python port), pybnesian, pyAgrum and pgmpy."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from benchmarks.timing import Measure, Row, alone, best_of, compare, print_table

from dagathlon.data import Dataset, Network, Variable
from dagathlon.graphs import Graph
from dagathlon.learners import learn
from dagathlon.learners.scores import score_graph

GAUSSIAN = [(80, 300), (200, 1000)]
ALARM = [1_000, 10_000, 100_000]
# Beyond this many rows pgmpy takes minutes.
PGMPY_ROWS = 1_000
# Seconds after which a slow peer is given up.
LIMIT = 40


def gaussian(p: int, n: int, seed: int = 1) -> Dataset:
    """A random linear model with two parents on average."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, p))
    for j in range(1, p):
        parents = rng.choice(j, size=min(j, int(rng.integers(0, 5))), replace=False)
        values[:, j] += values[:, parents] @ rng.uniform(0.25, 1.0, size=len(parents))
    names = [f"V{i}" for i in rng.permutation(p)]
    return Dataset([Variable(name) for name in names], values=values / values.std(axis=0))


def bnlearn(learner: str, data: Dataset, score: str | None = None) -> Measure:
    def measure() -> tuple[float, str]:
        import pybnlearn

        frame = data.to_pandas()
        search = getattr(pybnlearn, learner)
        given = {} if score is None else {"score": score}
        start = time.perf_counter()
        found = search(frame, **given)
        seconds = time.perf_counter() - start
        judge = score or ("bic-g" if data.is_continuous else "bic")
        return seconds, difference(data, pybnlearn.arcs(found), learner, judge)

    return measure


def difference(data: Dataset, arcs: Any, learner: str, score: str) -> str:
    """Our score less the peer's."""
    peer = Graph.from_edges([tuple(arc) for arc in arcs], names=data.names)
    ours = learn(data, learner, score=score).graph
    if ours == peer:
        return "the same DAG"
    gap = score_graph(data, ours, score).total - score_graph(data, peer, score).total
    return f"our score is {gap:+.2f}"


def pybnesian(data: Dataset, score: str) -> Measure:
    def measure() -> tuple[float, str]:
        import pybnesian as pbn

        frame = data.to_pandas()
        names = list(data.names)
        start = pbn.GaussianNetwork(names) if data.is_continuous else pbn.DiscreteBN(names)

        def search() -> Any:
            made = pbn.BIC(frame) if score.startswith("bic") else pbn.BGe(frame)
            return pbn.GreedyHillClimbing().estimate(pbn.ArcOperatorSet(), made, start)

        return best_of(search, repeats=3), difference(data, search().arcs(), "hc", score)

    return measure


def pyagrum(data: Dataset) -> Measure:
    def measure() -> tuple[float, str]:
        import pyagrum as gum

        frame = data.to_pandas()

        def search() -> Any:
            learner = gum.BNLearner(frame)
            learner.useScoreBIC()
            learner.useGreedyHillClimbing()
            learner.useNoPrior()
            start = time.perf_counter()
            dag = learner.learnDAG()
            return time.perf_counter() - start, dag

        seconds = min(search()[0] for _ in range(3))
        arcs = [(data.names[a], data.names[b]) for a, b in search()[1].arcs()]
        return seconds, f"without reading the data; {difference(data, arcs, 'hc', 'bic')}"

    return measure


def pgmpy(data: Dataset) -> Measure:
    def measure() -> tuple[float, str]:
        from pgmpy.estimators import BIC, HillClimbSearch

        frame = data.to_pandas().astype(str)

        start = time.perf_counter()
        found = HillClimbSearch(frame).estimate(BIC(frame), show_progress=False)
        return time.perf_counter() - start, difference(data, found.edges(), "hc", "bic")

    return measure


def ours(data: Dataset, learner: str, score: str) -> float:
    return best_of(lambda: learn(data, learner, score=score), repeats=5)


def continuous() -> list[Row]:
    rows = []
    for p, n in GAUSSIAN:
        data = gaussian(p, n)
        for learner, score in (("hc", "bic-g"), ("hc", "bge"), ("tabu", "bic-g")):
            what, seconds = f"{learner} {score} p={p} n={n}", ours(data, learner, score)
            peer = bnlearn(learner, data, score)
            rows.append(compare(what, seconds, "bnlearn-port", "pybnlearn", peer, limit=LIMIT))
            if learner == "hc":
                rows.append(
                    compare(what, seconds, "pybnesian", "pybnesian", pybnesian(data, score))
                )
    return rows


def discrete() -> list[Row]:
    rows = []
    for n in ALARM:
        data = Network.load("alarm").sample(n, seed=1)
        for learner in ("hc", "tabu"):
            what, seconds = f"{learner} bic alarm n={n:,}", ours(data, learner, "bic")
            peer = bnlearn(learner, data, "bic")
            rows.append(compare(what, seconds, "bnlearn-port", "pybnlearn", peer, limit=LIMIT))
            if learner == "tabu":
                continue
            rows.append(compare(what, seconds, "pyagrum", "pyagrum", pyagrum(data)))
            rows.append(compare(what, seconds, "pybnesian", "pybnesian", pybnesian(data, "bic")))
            if n <= PGMPY_ROWS:
                rows.append(compare(what, seconds, "pgmpy", "pgmpy", pgmpy(data), limit=LIMIT))
    return rows


def hybrid() -> list[Row]:
    """A skeleton by tests, then a search inside it."""
    alarm = Network.load("alarm").sample(10_000, seed=1)
    cases = [
        ("mmhc p=80 n=300", gaussian(80, 300), "mmhc", "bic-g"),
        ("mmhc alarm n=10,000", alarm, "mmhc", "bic"),
        ("h2pc alarm n=10,000", alarm, "h2pc", "bic"),
    ]
    rows = []
    for what, data, learner, score in cases:
        seconds = ours(data, learner, score)
        rows.append(
            compare(what, seconds, "bnlearn-port", "pybnlearn", bnlearn(learner, data), limit=LIMIT)
        )
        if learner == "mmhc":
            rows.append(compare(what, seconds, "pybnesian", "pybnesian", pybnesian_mmhc(data)))
    return rows


def pybnesian_mmhc(data: Dataset) -> Measure:
    def measure() -> tuple[float, str]:
        import pybnesian as pbn

        frame = data.to_pandas()

        def search() -> Any:
            test = pbn.LinearCorrelation(frame) if data.is_continuous else pbn.ChiSquare(frame)
            kind = pbn.GaussianNetworkType() if data.is_continuous else pbn.DiscreteBNType()
            return pbn.MMHC().estimate(test, pbn.ArcOperatorSet(), pbn.BIC(frame), bn_type=kind)

        return best_of(search, repeats=2), "its own tests and stopping rule"

    return measure


def large() -> list[Row]:
    """Sizes at which peers take minutes."""
    wide, long = gaussian(1000, 1000), Network.load("alarm").sample(1_000_000, seed=1)
    cases = [("hc bic-g p=1000 n=1000", wide, "bic-g"), ("hc bic alarm n=1,000,000", long, "bic")]
    return [
        alone(
            what,
            best_of(lambda d=data, s=score: learn(d, "hc", score=s), repeats=2),
            "goal: under 10 s",
        )
        for what, data, score in cases
    ]


def run() -> list[Row]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [*continuous(), *discrete(), *hybrid(), *large()]


if __name__ == "__main__":
    print_table(run())
