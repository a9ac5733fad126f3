"""Score-based searches against bnlearn (through its Python port), pybnesian, pyAgrum and pgmpy."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

from benchmarks.inputs import linear_data
from benchmarks.timing import Measure, Row, alone, best_of, compare, pick, print_table, timed
from dagathlon.data import Dataset, Network
from dagathlon.graphs import Graph
from dagathlon.learners import learn
from dagathlon.learners.score.scores import score_graph

GAUSSIAN = pick([(80, 300), (200, 1000)], [(20, 100)])
ALARM = pick([1_000, 10_000, 100_000], [100])
# Beyond this many rows pgmpy takes minutes.
PGMPY_ROWS = 1_000


def bnlearn(learner: str, data: Dataset, score: str | None = None) -> Measure:
    def measure() -> tuple[float, str]:
        import pybnlearn

        frame = data.to_pandas()
        search = getattr(pybnlearn, learner)
        given = {} if score is None else {"score": score}
        seconds, found = timed(partial(search, frame, **given), 3)
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
    name = "BIC" if score.startswith("bic") else score
    return f"{name} {gap:+.2f} for ours"


def pybnesian(data: Dataset, score: str) -> Measure:
    def measure() -> tuple[float, str]:
        import pybnesian as pbn

        frame = data.to_pandas()
        names = list(data.names)
        start = pbn.GaussianNetwork(names) if data.is_continuous else pbn.DiscreteBN(names)

        def search() -> Any:
            made = pbn.BIC(frame) if score.startswith("bic") else pbn.BGe(frame)
            return pbn.GreedyHillClimbing().estimate(pbn.ArcOperatorSet(), made, start)

        seconds, found = timed(search, 3)
        return seconds, difference(data, found.arcs(), "hc", score)

    return measure


def pyagrum(data: Dataset) -> Measure:
    def measure() -> tuple[float, str]:
        import pyagrum as gum

        frame = data.to_pandas()

        def search() -> Any:
            learner = gum.BNLearner(frame)
            learner.setNumberOfThreads(1)
            learner.useScoreBIC()
            learner.useGreedyHillClimbing()
            learner.useNoPrior()
            return learner.learnDAG()

        seconds, found = timed(search, 3)
        arcs = [(data.names[a], data.names[b]) for a, b in found.arcs()]
        return seconds, difference(data, arcs, "hc", "bic"), "reading of the frame included"

    return measure


def pgmpy(data: Dataset) -> Measure:
    def measure() -> tuple[float, str]:
        from pgmpy.estimators import BIC, HillClimbSearch

        frame = data.to_pandas().astype(str)

        def search() -> Any:
            return HillClimbSearch(frame).estimate(BIC(frame), show_progress=False)

        seconds, found = timed(search, 3)
        return seconds, difference(data, found.edges(), "hc", "bic")

    return measure


def ours(data: Dataset, learner: str, score: str) -> float:
    return best_of(lambda: learn(data, learner, score=score), repeats=5)


def continuous() -> list[Row]:
    rows = []
    for p, n in GAUSSIAN:
        data = linear_data(p, n)
        for learner, score in (("hc", "bic-g"), ("hc", "bge"), ("tabu", "bic-g")):
            what, seconds = f"{learner} {score} p={p} n={n}", ours(data, learner, score)
            peer = bnlearn(learner, data, score)
            rows.append(compare(what, seconds, "bnlearn-port", "pybnlearn", peer))
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
            rows.append(compare(what, seconds, "bnlearn-port", "pybnlearn", peer))
            if learner == "tabu":
                continue
            rows.append(compare(what, seconds, "pyagrum", "pyagrum", pyagrum(data)))
            rows.append(compare(what, seconds, "pybnesian", "pybnesian", pybnesian(data, "bic")))
            if n <= PGMPY_ROWS:
                rows.append(compare(what, seconds, "pgmpy", "pgmpy", pgmpy(data)))
    return rows


def hybrid() -> list[Row]:
    """A skeleton by tests, then a search inside it."""
    n = pick(10_000, 100)
    alarm = Network.load("alarm").sample(n, seed=1)
    p, rows_p = GAUSSIAN[0]
    cases = [
        (f"mmhc p={p} n={rows_p}", linear_data(p, rows_p), "mmhc", "bic-g"),
        (f"mmhc alarm n={n:,}", alarm, "mmhc", "bic"),
        (f"h2pc alarm n={n:,}", alarm, "h2pc", "bic"),
    ]
    rows = []
    for what, data, learner, score in cases:
        seconds = ours(data, learner, score)
        rows.append(compare(what, seconds, "bnlearn-port", "pybnlearn", bnlearn(learner, data)))
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

        judge = "bic-g" if data.is_continuous else "bic"
        seconds, found = timed(search, 2)
        return seconds, difference(data, found.arcs(), "mmhc", judge), "its own tests"

    return measure


def large() -> list[Row]:
    """Sizes at which peers take minutes."""
    p, n = pick(1000, 50), pick(1_000_000, 1000)
    wide, long = linear_data(p, 1000), Network.load("alarm").sample(n, seed=1)
    cases = [(f"hc bic-g p={p} n=1000", wide, "bic-g"), (f"hc bic alarm n={n:,}", long, "bic")]
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
