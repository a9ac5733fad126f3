"""Speed of the PC family: ``python -m benchmarks.constraint``.

Each row is one data set and one peer in its fastest comparable setting, with the data already in
memory in the peer's own format. Set OMP_NUM_THREADS=1 so that all use one core.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from benchmarks.timing import Row, best_of, compare, print_table

from dagathlon.data import Dataset, Variable
from dagathlon.data.network import Network
from dagathlon.learners.base import Learner
from dagathlon.learners.dual_pc import DualPc
from dagathlon.learners.pc import Pc

Measure = Callable[[], tuple[float, str]]


def linear_data(p: int, n: int, degree: float, seed: int) -> Dataset:
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.random((p, p)) < degree / (p - 1), 1) * rng.uniform(0.25, 1, (p, p))
    weights *= rng.choice([-1, 1], (p, p))
    values = np.zeros((n, p))
    for j in range(p):
        values[:, j] = values @ weights[:, j] + rng.normal(size=n)
    return Dataset([Variable(f"V{j}") for j in range(p)], values=values[:, rng.permutation(p)])


def ours(learner: Learner, data: Dataset, repeats: int) -> tuple[float, str]:
    rng = np.random.default_rng(1)
    estimate = learner.learn(data, rng)
    note = f"ours: {estimate.stats['ntests']} tests, {estimate.graph.n_edges} edges"
    return best_of(partial(learner.learn, data, rng), repeats), note


def bnlearn(data: Dataset, alpha: float, test: str) -> tuple[float, str]:
    import pybnlearn

    frame = data.to_pandas()
    seconds = best_of(lambda: pybnlearn.pc_stable(frame, test=test, alpha=alpha), 2)
    return seconds, "pc_stable"


def pybnesian(data: Dataset, alpha: float, test: str) -> tuple[float, str]:
    import pybnesian as peer

    frame = data.to_pandas()
    if data.is_discrete:
        # It takes levels that are texts only.
        frame = frame.apply(lambda column: column.astype(str).astype("category"))
    kind = peer.ChiSquare if data.is_discrete else peer.LinearCorrelation
    seconds = best_of(lambda: peer.PC().estimate(kind(frame), alpha=alpha), 2)
    return seconds, f"PC with {kind.__name__}"


def causal_learn(data: Dataset, alpha: float, test: str) -> tuple[float, str]:
    from causallearn.search.ConstraintBased.PC import pc

    matrix = data.to_matrix()
    kind = "gsq" if data.is_discrete else "fisherz"
    seconds = best_of(lambda: pc(matrix, alpha, kind, show_progress=False), 1)
    return seconds, f"pc with {kind}, stable"


def gcastle(data: Dataset, alpha: float, test: str) -> tuple[float, str]:
    from castle.algorithms import PC

    matrix = data.to_matrix()
    kind = "g2" if data.is_discrete else "fisherz"
    seconds = best_of(lambda: PC(variant="stable", alpha=alpha, ci_test=kind).learn(matrix), 1)
    return seconds, f"PC stable with {kind}"


def pyagrum(data: Dataset, alpha: float, test: str) -> tuple[float, str]:
    import pyagrum as peer

    frame = data.to_pandas()

    def learn() -> object:
        learner = peer.BNLearner(frame)
        learner.setNumberOfThreads(1)
        learner.usePC()
        learner.setPCAlpha(alpha)
        return learner.learnPDAG()

    return best_of(learn, 2), "PC, reading of the frame included"


# Peer, module, how to time it, and the most values it is given: continuous, then discrete.
PEERS: tuple[tuple[str, str, Callable[..., tuple[float, str]], int, int], ...] = (
    ("bnlearn", "pybnlearn", bnlearn, 50_000, 4_000_000),
    ("pybnesian", "pybnesian", pybnesian, 4_000_000, 4_000_000),
    ("causal-learn", "causallearn", causal_learn, 50_000, 400_000),
    ("gcastle", "castle.algorithms", gcastle, 50_000, 50_000),
    ("pyagrum", "pyagrum", pyagrum, 0, 4_000_000),
)


def rows_for(what: str, learner: Learner, data: Dataset, test: str, alpha: float) -> list[Row]:
    size = len(data) * len(data.names)
    seconds, note = ours(learner, data, 5 if size < 1_000_000 else 3)
    rows: list[Row] = []
    for peer, module, measure, continuous_limit, discrete_limit in PEERS:
        limit = discrete_limit if data.is_discrete else continuous_limit
        if limit == 0:
            continue
        if size > limit:
            rows.append(_skipped(what, seconds, peer))
            continue
        try:
            row = compare(what, seconds, peer, module, partial(measure, data, alpha, test))
        except (ValueError, RuntimeError) as error:
            row = {**_skipped(what, seconds, peer), "note": f"fails: {str(error)[:60]}"}
        rows.append({**row, "note": f"{row['note']}; {note}"})
    return rows


def _skipped(what: str, seconds: float, peer: str) -> dict[str, Any]:
    return {
        "what": what,
        "ours_s": seconds,
        "peer": peer,
        "peer_s": None,
        "ratio": None,
        "note": "too slow for this size",
    }


def gaussian_rows() -> list[Row]:
    rows = []
    for p, n in ((80, 300), (200, 1000)):
        data = linear_data(p, n, 4, 1)
        what = f"PC Gaussian p={p} n={n} alpha=.01"
        rows += rows_for(what, Pc(alpha=0.01, test="zf"), data, "zf", 0.01)
        seconds, note = ours(DualPc(alpha=0.01), data, 5)
        rows.append({**_skipped(f"dual PC p={p} n={n}", seconds, "-"), "note": note})
    large = linear_data(1000, 1000, 4, 1)
    seconds, note = ours(Pc(alpha=0.01, test="zf"), large, 2)
    rows.append({**_skipped("PC Gaussian p=1000 n=1000 alpha=.01", seconds, "-"), "note": note})
    return rows


def discrete_rows() -> list[Row]:
    network = Network.load("alarm")
    rows = []
    for n in (1000, 10_000, 100_000):
        data = network.sample(n, seed=1)
        what = f"PC Alarm n={n} alpha=.01"
        rows += rows_for(what, Pc(alpha=0.01, test="mi"), data, "mi", 0.01)
    return rows


def run() -> list[Row]:
    return gaussian_rows() + discrete_rows()


if __name__ == "__main__":
    print_table(run())
