"""Searches over classes and orders against Tetrad, causal-learn, ges and gies: one score.

Tetrad runs in a warm Java in a process of its own; a peer that takes too long is given up. The note
compares the scores of both graphs under the score that was asked for.
"""

from __future__ import annotations

import importlib
import warnings
from functools import partial
from typing import Any

import numpy as np

from benchmarks._tetrad import against_tetrad
from benchmarks.inputs import linear_data
from benchmarks.timing import (
    Measure,
    Row,
    Timing,
    alone,
    best_of,
    compare,
    pick,
    print_table,
    timed,
)
from dagathlon.data import Dataset, Network
from dagathlon.graphs import Graph, extension
from dagathlon.learners import learn
from dagathlon.learners.score.scores import score_graph

# Java needs a while to compile what it runs.
TETRAD_LIMIT = pick(20, 2)
SEM_BIC = {"score": "sem-bic", "penalty_discount": 2.0}
BDEU = {"score": "bdeu", "iss": 10.0}
PCALG: dict[str, Any] = {
    "score": "l0-g",
    "phases": ["forward", "backward", "turning"],
    "iterate": True,
}


def ours(data: Dataset, learner: str, repeats: int = 3, **parameters: Any) -> tuple[Timing, float]:
    """Time and score."""
    seconds = best_of(lambda: learn(data, learner, **parameters), repeats=repeats)
    return seconds, float(learn(data, learner, **parameters).stats["score"])


def judge(data: Dataset, ours_score: float, score: dict[str, Any], graph: Graph) -> str:
    """Our score less that of a peer's graph."""
    gap = ours_score - score_graph(data, extension(graph), **score).total
    return "the same score" if abs(gap) < 1e-6 else f"{score['score']} {gap:+.2f} for ours"


def tetrad_row(
    what: str, data: Dataset, learner: str, score: dict[str, Any], limit: float = TETRAD_LIMIT
) -> Row:
    given = {"faithfulness": False} if learner == "fges" else {}
    seconds, total = ours(data, learner, **score, **given)
    how = {"learner": learner, "faithful": False} | score
    return against_tetrad(what, seconds, data, partial(judge, data, total, score), limit, **how)


def causal_learn(data: Dataset, learner: str) -> Measure:
    def measure() -> tuple[float, str]:
        if learner == "boss":
            from causallearn.search.PermutationBased.BOSS import boss as peer
        else:
            from causallearn.search.PermutationBased.GRaSP import grasp as peer
        values = np.ascontiguousarray(data.values)
        search = partial(peer, values, score_func="local_score_BIC_from_cov", verbose=False)
        seconds, found = timed(search, 2)
        # Its cell (i, j) is the mark at i: -1 a tail.
        graph = Graph.from_adjacency(data.names, (found.graph == -1).astype(int))
        total = float(learn(data, learner, **SEM_BIC).stats["score"])
        return seconds, judge(data, total, SEM_BIC, graph), "its BIC has another penalty"

    return measure


def in_python(data: Dataset, package: str) -> Measure:
    """GES of the packages ges and gies, which are written in Python."""

    def measure() -> tuple[Timing, str]:
        values = np.ascontiguousarray(data.values)
        peer = importlib.import_module(package)
        given = ([values], [[]]) if package == "gies" else (values,)
        seconds, (found, _) = timed(lambda: peer.fit_bic(*given, iterate=True), 2)
        graph = Graph.from_adjacency(data.names, (found != 0).astype(int))
        same = learn(data, "ges", **PCALG).graph == graph
        return seconds, "the same class" if same else "another class"

    return measure


def continuous() -> list[Row]:
    rows = []
    small = linear_data(20, 640)
    seconds, _ = ours(small, "ges", **PCALG)
    for peer in ("ges", "gies"):
        found = compare("ges l0-g p=20 n=640", seconds, peer, peer, in_python(small, peer))
        rows.append(found)
    for p, n in pick([(80, 300), (200, 1000)], [(20, 100)]):
        data = linear_data(p, n)
        seconds, _ = ours(data, "ges", 2, **PCALG)
        rows.append(alone(f"ges l0-g p={p} n={n}", seconds, "pcalg (R) took 0.5 and 6.8 s of CPU"))
        for learner in ("fges", "boss", "grasp"):
            what = f"{learner} sem-bic p={p} n={n}"
            rows.append(tetrad_row(what, data, learner, SEM_BIC))
            if p == 80 and learner != "fges":
                peer = causal_learn(data, learner)
                seconds = rows[-1]["ours_s"]
                found = compare(what, seconds, "causal-learn", "causallearn", peer)
                rows.append(found)
    data = linear_data(80, 300)
    for escape in (False, True):
        seconds, total = ours(data, "xges", 1, escape=escape, **SEM_BIC)
        gap = total - float(learn(data, "fges", faithfulness=False, **SEM_BIC).stats["score"])
        rows.append(alone(f"xges escape={escape} p=80 n=300", seconds, f"fges + {gap:.1f}"))
    return rows


def discrete() -> list[Row]:
    rows = []
    sizes = {1_000: ("boss", "grasp"), 10_000: ("fges", "boss"), 100_000: ("fges",)}
    for n, learners in pick(sizes, {100: ("fges", "boss")}).items():
        data = Network.load("alarm").sample(n, seed=1)
        for learner in learners:
            rows.append(tetrad_row(f"{learner} bdeu alarm n={n:,}", data, learner, BDEU))
    return rows


def run() -> list[Row]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [*continuous(), *discrete()]


if __name__ == "__main__":
    print_table(run())
