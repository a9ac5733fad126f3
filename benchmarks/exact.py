"""Exact posteriors, optimal DAGs and searches over orders with cached parent sets.

``sumu`` (its function aps) is the peer for posteriors. No peer for optimal DAGs could be run:
pygobnilp 1.0 calls an interface that Gurobi 13 no longer has, and the licence in the last Gurobi
that has it is expired; GOBNILP itself and r.blip are not on PyPI.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.inputs import linear_data
from benchmarks.timing import Row, Timing, best_of, compare, pick, print_table, row, timed
from dagathlon import _core
from dagathlon.data import Dataset, Network
from dagathlon.learners import learn
from dagathlon.learners.bayesian.exact_posterior import ExactPosterior
from dagathlon.learners.exact.exact_map import ExactMap, optimal_dag

# Beyond these sumu takes minutes.
PEER_VARIABLES = pick((10, 14), (6,))
# Seconds that a search for an optimum may take; what is then not proven has a gap.
TIME_LIMIT = 20.0
NO_PEER = "no peer runs: pygobnilp needs an older Gurobi"


def weights(d: int) -> np.ndarray:
    return 3 * np.random.default_rng(0).normal(size=(d, 2 ** (d - 1)))


def posterior(d: int) -> _core.DagPosterior:
    found = _core.DagPosterior.of_weights(weights(d), _core.Modularity.structure)
    found.edges()
    return found


def posteriors() -> list[Row]:
    rows = []
    for d in PEER_VARIABLES:

        def families(d: int = d) -> np.ndarray:
            found = _core.DagPosterior.of_weights(weights(d), _core.Modularity.structure)
            return np.array([found.families(j) for j in range(d)])

        def peer(d: int = d) -> tuple[Timing, str]:
            import sumu

            seconds, logs = timed(lambda: sumu.aps(weights(d), as_dict=False, normalize=True), 1)
            error = np.abs(np.exp(logs) - families(d)).max()
            return seconds, f"largest difference {error:.0e}"

        what = f"all family marginals d={d}"
        rows.append(compare(what, best_of(families, 2), "sumu aps", "sumu", peer))
    for d in pick((18, 20), (8,)):
        what = f"partition function, edge marginals d={d}"
        rows.append(row(what, best_of(partial(posterior, d), 1)))
    d = pick(16, 8)
    found = posterior(d)
    rows.append(row(f"one exact draw d={d}", best_of(lambda: found.sample(20, 1), 2) / 20))
    rows.append(row(f"all path probabilities d={d}", best_of(found.paths, 1)))
    return rows


def gold_standards() -> list[Row]:
    """From rows of data to answers, scoring included; then what takes an enumeration."""
    rows = []
    for d in pick((10, 18, 20), (5,)):
        data = linear_data(d, 200, degree=2)
        for score in ("bge", "nig"):
            whole = best_of(partial(evidence, data, score), 1)
            rows.append(row(f"log evidence, edge marginals d={d} {score}", whole))
    d = pick(6, 4)
    data = linear_data(d, 200, degree=2)
    pooled = ExactPosterior(variances="equal")
    what = "evidence, edges, paths, entropy, MAP"
    rows.append(row(f"equal variances d={d}: {what}", best_of(lambda: answers(pooled, data), 2)))
    listed = ExactPosterior(score="nig").posterior(data)._enumeration()
    note = f"{len(listed.classes()[0]):,} classes of {len(listed.dags()[0]):,} DAGs"
    rows.append(row(f"all CPDAG probabilities d={d}", best_of(listed.classes, 2), note=note))
    return rows


def evidence(data: Dataset, score: str) -> float:
    found = ExactPosterior(score=score).posterior(data)
    return float(found.log_evidence + found.edge_probabilities.sum())


def answers(learner: ExactPosterior, data: Dataset) -> float:
    found = learner.posterior(data)
    sums = found.edge_probabilities.sum() + found.path_probabilities.sum()
    return float(found.log_evidence + found.entropy + sums + found.map().n_edges)


def optima() -> list[Row]:
    cases = [
        ("alarm n=1,000 bdeu", Network.load("alarm").sample(1000, seed=1), "bdeu"),
        ("insurance n=2,000 bdeu", Network.load("insurance").sample(2000, seed=1), "bdeu"),
        ("child n=1,000 bic", Network.load("child").sample(1000, seed=1), "bic"),
        ("gaussian p=25 n=500 bge", linear_data(25, 500, degree=3), "bge"),
    ]
    rows = []
    for what, data, score in pick(cases, []):
        given = {"score": score, "max_parents": 3, "time_limit": TIME_LIMIT}
        seconds, found = timed(partial(learn, data, "exact_map", **given), 0)
        gap = "proven" if found.stats["proven"] else f"gap {found.stats['gap']:.1e}"
        note = f"{gap}, {found.stats['cuts']} cuts; {NO_PEER}"
        rows.append(row(f"exact_map {what} palim 3", seconds, note=note))
    return rows


def proofs() -> list[Row]:
    """From lists of at most four parents to the proven optimum, the lists not counted."""
    cases: list[tuple[str, int, str, float]] = [
        ("sachs", 1600, "bdeu", 1.0),
        ("insurance", 100, "bdeu", 1.0),
        ("insurance", 400, "bic", 1.0),
        ("insurance", 1600, "bdeu", 10.0),
        ("alarm", 100, "bdeu", 1.0),
        ("alarm", 400, "fnml", 1.0),
        ("alarm", 1600, "bdeu", 1.0),
    ]
    rows = []
    for name, n, score, iss in pick(cases, [("sachs", 100, "bic", 1.0)]):
        data = Network.load(name).sample(n, seed=1)
        learner = ExactMap(max_parents=4, score=score, iss=iss)
        sets = _core.enumerate_parent_sets(learner.native_score(data), learner.limits(data), True)
        seconds, found = timed(partial(optimal_dag, sets, time_limit=60.0), 0)
        gap = "proven" if found.proven else f"gap {found.gap:.1e}"
        note = f"{sets.count():,} parent sets; {gap}, {found.cuts} cuts, {found.branches} branches"
        what = f"{score} {iss:g}" if score == "bdeu" else score
        rows.append(row(f"proof {name} n={n:,} {what} palim 4", seconds, note=note))
    return rows


def orders() -> list[Row]:
    name = pick("alarm", "asia")
    data = Network.load(name).sample(1000, seed=1)
    best = float(learn(data, "exact_map", score="bdeu", max_parents=3).stats["score"])
    rows = []
    for search in ("asobs", "winasobs"):
        seconds, found = timed(partial(learn, data, search, score="bdeu", max_parents=3), 1)
        lost = best - float(found.stats["score"])
        note = (
            f"{found.stats['starts']} starts, {lost:.1f} below the optimum; r.blip needs R and Java"
        )
        rows.append(row(f"{search} {name} n=1,000 bdeu palim 3", seconds, note=note))
    return rows


def run() -> list[Row]:
    return [*posteriors(), *gold_standards(), *optima(), *proofs(), *orders()]


if __name__ == "__main__":
    print_table(run())
