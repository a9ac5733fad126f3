"""Score-based searches against bnlearn (through its Python port), pybnesian, pyAgrum and pgmpy."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from benchmarks.timing import Row, best_of, compare, print_table

from dagathlon.data import Dataset, Network, Variable
from dagathlon.graphs import Graph
from dagathlon.learners import learn
from dagathlon.learners.scores import score_graph

GAUSSIAN = [(80, 300, 3), (200, 1000, 1)]
ALARM = [1_000, 10_000, 100_000]
# Beyond this many rows pgmpy takes minutes.
PGMPY_ROWS = 1_000


def gaussian(p: int, n: int, seed: int = 1) -> Dataset:
    """A random linear model with two parents on average."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, p))
    for j in range(1, p):
        parents = rng.choice(j, size=min(j, int(rng.integers(0, 5))), replace=False)
        values[:, j] += values[:, parents] @ rng.uniform(0.25, 1.0, size=len(parents))
    names = [f"V{i}" for i in rng.permutation(p)]
    return Dataset([Variable(name) for name in names], values=values / values.std(axis=0))


def bnlearn(
    learner: str, data: Dataset, score: str, repeats: int
) -> Callable[[], tuple[float, str]]:
    def measure() -> tuple[float, str]:
        import pybnlearn

        frame = data.to_pandas()
        search = getattr(pybnlearn, learner)
        seconds = best_of(lambda: search(frame, score=score), repeats=repeats)
        return seconds, difference(data, pybnlearn.arcs(search(frame, score=score)), learner, score)

    return measure


def difference(data: Dataset, arcs: Any, learner: str, score: str) -> str:
    """Our score less the peer's."""
    peer = Graph.from_edges([tuple(arc) for arc in arcs], names=data.names)
    ours = learn(data, learner, score=score).graph
    if ours == peer:
        return "the same DAG"
    gap = score_graph(data, ours, score).total - score_graph(data, peer, score).total
    return f"our score is {gap:+.2f}"


def pybnesian(data: Dataset, score: str) -> Callable[[], tuple[float, str]]:
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


def pyagrum(data: Dataset) -> Callable[[], tuple[float, str]]:
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


def pgmpy(data: Dataset) -> Callable[[], tuple[float, str]]:
    def measure() -> tuple[float, str]:
        from pgmpy.estimators import BIC, HillClimbSearch

        frame = data.to_pandas().astype(str)

        def search() -> Any:
            return HillClimbSearch(frame).estimate(BIC(frame), show_progress=False)

        return best_of(search, repeats=1), difference(data, search().edges(), "hc", "bic")

    return measure


def ours(data: Dataset, learner: str, score: str) -> float:
    return best_of(lambda: learn(data, learner, score=score), repeats=5)


def continuous() -> list[Row]:
    rows = []
    for p, n, repeats in GAUSSIAN:
        data = gaussian(p, n)
        for learner, score in (("hc", "bic-g"), ("hc", "bge"), ("tabu", "bic-g")):
            what, seconds = f"{learner} {score} p={p} n={n}", ours(data, learner, score)
            peer = bnlearn(learner, data, score, repeats)
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
            peer = bnlearn(learner, data, "bic", 1)
            rows.append(compare(what, seconds, "bnlearn-port", "pybnlearn", peer))
            if learner == "tabu":
                continue
            rows.append(compare(what, seconds, "pyagrum", "pyagrum", pyagrum(data)))
            rows.append(compare(what, seconds, "pybnesian", "pybnesian", pybnesian(data, "bic")))
            if n <= PGMPY_ROWS:
                rows.append(compare(what, seconds, "pgmpy", "pgmpy", pgmpy(data)))
    return rows


def gies(data: Dataset) -> Callable[[], tuple[float, str]]:
    """GES of the package gies, which is written in Python."""

    def measure() -> tuple[float, str]:
        import gies as peer

        parts, targets = [np.ascontiguousarray(data.values)], [[]]
        found = lambda: peer.fit_bic(parts, targets, iterate=True)  # noqa: E731
        graph = Graph.from_adjacency(data.names, (found()[0] != 0).astype(int))
        same = learn(data, "ges", **PCALG).graph == graph
        return best_of(found, repeats=2), "the same class" if same else "another class"

    return measure


def causal_learn(data: Dataset, learner: str) -> Callable[[], tuple[float, str]]:
    def measure() -> tuple[float, str]:
        if learner == "boss":
            from causallearn.search.PermutationBased.BOSS import boss as peer
        else:
            from causallearn.search.PermutationBased.GRaSP import grasp as peer
        values = np.ascontiguousarray(data.values)
        search = lambda: peer(values, score_func="local_score_BIC_from_cov", verbose=False)  # noqa: E731
        return best_of(search, repeats=1), "its bic has another penalty"

    return measure


PCALG: dict[str, Any] = {
    "score": "l0-g",
    "phases": ["forward", "backward", "turning"],
    "iterate": True,
}


def classes_and_orders() -> list[Row]:
    small = gaussian(20, 640)
    seconds = best_of(lambda: learn(small, "ges", **PCALG), repeats=5)
    rows = [compare("ges l0-g p=20 n=640", seconds, "gies", "gies", gies(small))]
    for p, n, _ in GAUSSIAN:
        data = gaussian(p, n)
        seconds = best_of(lambda d=data: learn(d, "ges", **PCALG), repeats=3)
        rows.append(alone(f"ges l0-g p={p} n={n}", seconds, "gies takes minutes"))
        for learner in ("fges", "boss", "grasp"):
            what, seconds = f"{learner} sem-bic p={p} n={n}", ours(data, learner, "sem-bic")
            if learner == "fges" or p > 80:
                rows.append(alone(what, seconds, "peers take minutes or need Java"))
                continue
            peer = causal_learn(data, learner)
            rows.append(compare(what, seconds, "causal-learn", "causallearn", peer))
    for n in ALARM:
        data = Network.load("alarm").sample(n, seed=1)
        for learner in ("fges", "boss"):
            seconds = best_of(
                lambda d=data, name=learner: learn(d, name, score="bdeu", iss=10), repeats=2
            )
            rows.append(alone(f"{learner} bdeu alarm n={n:,}", seconds, ""))
    return rows


def alone(what: str, seconds: float, note: str) -> Row:
    return {
        "what": what,
        "ours_s": seconds,
        "peer": "",
        "peer_s": None,
        "ratio": None,
        "note": note,
    }


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
        return [*continuous(), *discrete(), *classes_and_orders(), *large()]


if __name__ == "__main__":
    print_table(run())
