"""Searches over classes and orders against Tetrad, causal-learn, gies: the same data, one score.

Tetrad runs in a warm Java in a process of its own; a peer that takes too long is given up. The note
compares the scores of both graphs under the score that was asked for.
"""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from benchmarks.score_based import gaussian
from benchmarks.tetrad import tetrad
from benchmarks.timing import Measure, Row, alone, best_of, compare, installed, print_table, row

from dagathlon.data import Dataset, Network
from dagathlon.graphs import Graph, extension
from dagathlon.learners import learn
from dagathlon.learners.scores import score_graph

TETRAD_LIMIT = 45
LIMIT = 25
SEM_BIC = {"score": "sem-bic", "penalty_discount": 2.0}
BDEU = {"score": "bdeu", "iss": 10.0}
PCALG: dict[str, Any] = {
    "score": "l0-g",
    "phases": ["forward", "backward", "turning"],
    "iterate": True,
}


def ours(data: Dataset, learner: str, repeats: int = 3, **parameters: Any) -> tuple[float, float]:
    """Seconds and score."""
    seconds = best_of(lambda: learn(data, learner, **parameters), repeats=repeats)
    return seconds, float(learn(data, learner, **parameters).stats["score"])


def note_of(data: Dataset, ours_score: float, graph: Graph, **score: Any) -> str:
    name = score.pop("score")
    gap = ours_score - score_graph(data, extension(graph), name, **score).total
    return "the same score" if abs(gap) < 1e-6 else f"our score is {gap:+.2f}"


def against_tetrad(what: str, data: Dataset, learner: str, score: dict[str, Any]) -> Row:
    given = {"faithfulness": False} if learner == "fges" else {}
    seconds, total = ours(data, learner, **score, **given)
    if not installed("tetrad_plus"):
        return row(what, seconds, "Tetrad", note="not installed")
    repeats = 1 if learner == "grasp" and len(data.names) > 40 else 2
    found = tetrad(data, TETRAD_LIMIT, repeats, learner=learner, faithful=False, **score)
    if found is None:
        return row(
            what, seconds, "Tetrad", note=f"more than {TETRAD_LIMIT} s in all repeats: given up"
        )
    return row(what, seconds, "Tetrad", found.seconds, note_of(data, total, found.graph, **score))


def causal_learn(data: Dataset, learner: str) -> Measure:
    def measure() -> tuple[float, str]:
        if learner == "boss":
            from causallearn.search.PermutationBased.BOSS import boss as peer
        else:
            from causallearn.search.PermutationBased.GRaSP import grasp as peer
        values = np.ascontiguousarray(data.values)
        start = time.perf_counter()
        peer(values, score_func="local_score_BIC_from_cov", verbose=False)
        return time.perf_counter() - start, "its bic has another penalty"

    return measure


def gies(data: Dataset) -> Measure:
    """GES of the package gies, which is written in Python."""

    def measure() -> tuple[float, str]:
        import gies as peer

        parts = [np.ascontiguousarray(data.values)]
        start = time.perf_counter()
        found, _ = peer.fit_bic(parts, [[]], iterate=True)
        seconds = time.perf_counter() - start
        graph = Graph.from_adjacency(data.names, (found != 0).astype(int))
        same = learn(data, "ges", **PCALG).graph == graph
        return seconds, "the same class" if same else "another class"

    return measure


def continuous() -> list[Row]:
    rows = []
    small = gaussian(20, 640)
    seconds, _ = ours(small, "ges", **PCALG)
    rows.append(compare("ges l0-g p=20 n=640", seconds, "gies", "gies", gies(small), limit=LIMIT))
    for p, n in ((80, 300), (200, 1000)):
        data = gaussian(p, n)
        seconds, _ = ours(data, "ges", 2, **PCALG)
        rows.append(alone(f"ges l0-g p={p} n={n}", seconds, "pcalg (R) took 0.5 and 6.8 s of CPU"))
        for learner in ("fges", "boss", "grasp"):
            what = f"{learner} sem-bic p={p} n={n}"
            rows.append(against_tetrad(what, data, learner, SEM_BIC))
            if p == 80 and learner != "fges":
                peer = causal_learn(data, learner)
                seconds = rows[-1]["ours_s"]
                found = compare(what, seconds, "causal-learn", "causallearn", peer, limit=LIMIT)
                rows.append(found)
    data = gaussian(80, 300)
    for escape in (False, True):
        seconds, total = ours(data, "xges", 1, escape=escape, **SEM_BIC)
        gap = total - float(learn(data, "fges", **SEM_BIC).stats["score"])
        rows.append(alone(f"xges escape={escape} p=80 n=300", seconds, f"fges + {gap:.1f}"))
    return rows


def discrete() -> list[Row]:
    rows = []
    for n, learners in (
        (1_000, ("boss", "grasp")),
        (10_000, ("fges", "boss")),
        (100_000, ("fges",)),
    ):
        data = Network.load("alarm").sample(n, seed=1)
        for learner in learners:
            rows.append(against_tetrad(f"{learner} bdeu alarm n={n:,}", data, learner, BDEU))
    return rows


def run() -> list[Row]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [*continuous(), *discrete()]


if __name__ == "__main__":
    print_table(run())
