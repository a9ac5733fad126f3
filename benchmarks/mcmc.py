"""Samplers and iterative search.

BiDAG is an R package that is not installed beside this one, so its seconds are recorded ones: user
CPU seconds of version 2.1.4 under R 4.2.2 on a loaded machine, on other data of the same shape, for
the same number of iterations. sumu, where it is installed, runs here, on the same data.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.inputs import linear_data
from benchmarks.timing import (
    Measure,
    Row,
    Timing,
    best_of,
    compare,
    pick,
    print_table,
    row,
    timed,
)
from dagathlon.data import Dataset, Network
from dagathlon.learners import learn

RECORDED = "BiDAG 2.1.4"
# What, module, parameters, BiDAG's seconds.
GAUSSIAN: list[tuple[str, str, dict[str, Any], float]] = [
    ("order MCMC, sampling, 30000 steps", "bidag_order_mcmc", {"MAP": False}, 6.132),
    ("order MCMC, search, 30000 steps", "bidag_order_mcmc", {"MAP": True}, 3.363),
    ("iterative search, 25000 steps a round", "bidag_itsearch", {"alpha": 0.01}, 6.66),
    ("partition MCMC, 23000 steps", "bidag_partition_mcmc", {}, 18.339),
]
ALARM: list[tuple[str, str, dict[str, Any], float]] = [
    ("order MCMC, sampling, 29000 steps", "bidag_order_mcmc", {"MAP": False}, 8.284),
    ("order MCMC, search, 29000 steps", "bidag_order_mcmc", {"MAP": True}, 6.185),
    ("iterative search, 17000 steps a round", "bidag_itsearch", {}, 11.681),
]
STEPS = pick(30_000, 300)
# Largest error of a probability of an edge, and lengths of chains that are tried for it.
NEAR = pick(0.03, 0.2)
PEER_LIMIT = pick(60.0, 5.0)
SHORTEST, LONGEST = pick((5_000, 320_000), (2_000, 4_000))


def run() -> list[Row]:
    p = pick(80, 20)
    small, large = linear_data(20, 640), linear_data(p, 320)
    gaussian, discrete = pick((GAUSSIAN, ALARM), (GAUSSIAN[:1], ALARM[:1]))
    alarm = Network.load("alarm").sample(1000, seed=1)
    rows = [recorded(f"{what}, p=20 n=640", small, *rest) for what, *rest in gaussian]
    rows += [
        recorded(f"{what}, Alarm n=1000", alarm, module, {"scoretype": "bdecat"} | more, seconds)
        for what, module, more, seconds in discrete
    ]
    search = {"am": 0.1, "hardlimit": 14}
    seconds = best_of(lambda: learn(large, "bidag_itsearch", **search), 2)
    rounds = learn(large, "bidag_itsearch", **search).stats["rounds"]
    rows.append(row(f"iterative search, p={p} n=320", seconds, note=f"{rounds} rounds of 98000"))
    partitions = best_of(lambda: learn(small, "partition_mcmc", iterations=STEPS), 2)
    what = f"partition MCMC, {STEPS} steps, p=20 n=640"
    rows.append(compare(what, partitions, "sumu", "sumu", sumu(small)))
    return [*rows, *to_the_same_accuracy()]


def to_the_same_accuracy() -> list[Row]:
    """The time of the shortest chain, of lengths that double, that is near the exact posterior."""
    p = pick(14, 6)
    data = linear_data(p, 300)
    exact = learn(data, "exact_posterior").posterior
    assert exact is not None
    truth = exact.edge_probabilities

    def partitions(steps: int) -> np.ndarray:
        found = learn(data, "partition_mcmc", iterations=steps).posterior
        assert found is not None
        return found.edge_probabilities

    seconds, length, error = until_near(partitions, truth)

    def peer() -> tuple[Timing, str, str]:
        theirs, steps, far = until_near(lambda steps: sumu_edges(data, steps), truth)
        return theirs, "", f"Gadget, all parents candidates, {steps} steps: error {far:.3f}"

    near = f"{length} steps of partition MCMC: error {error:.3f}"
    what = f"edge probabilities within {NEAR} of the exact ones, p={p} n=300 ({near})"
    return [compare(what, seconds, "sumu", "sumu", peer, limit=PEER_LIMIT)]


def until_near(edges: Callable[[int], np.ndarray], truth: np.ndarray) -> tuple[Timing, int, float]:
    steps = SHORTEST
    while True:
        seconds, found = timed(lambda: edges(steps), 1)  # noqa: B023 - called at once
        error = float(np.abs(found - truth).max())
        if error <= NEAR or steps >= LONGEST:
            return seconds, steps, error
        steps *= 2


def sumu_edges(data: Dataset, steps: int) -> np.ndarray:
    import sumu as peer

    p = len(data.names)
    table = peer.Data(np.ascontiguousarray(data.values), discrete=False)
    dags, _ = peer.Gadget(
        data=table, scoref="bge", max_id=-1, K=p - 1, d=2, cp_algo="greedy-lite", mc3_chains=1,
        burn_in=steps // 10, iterations=steps, thinning=max(steps // 1000, 1), tolerance=2**-32,
    ).sample()  # fmt: skip
    counts = np.zeros((p, p))
    for dag in dags:
        for child, *parents in dag:  # a node alone has no parents
            for parent in parents[0] if parents else ():
                counts[parent, child] += 1
    return counts / len(dags)


def recorded(
    what: str, data: Dataset, module: str, parameters: dict[str, Any], seconds: float
) -> Row:
    given = {"am": 0.1} | parameters if "scoretype" not in parameters else parameters
    ours = best_of(lambda: learn(data, module, **given), 2)
    return row(what, ours, note=f"{RECORDED} took {seconds:g} s of CPU elsewhere: no ratio")


def sumu(data: Dataset) -> Measure:
    def measure() -> tuple[Timing, str, str]:
        import sumu as peer

        def sample() -> None:
            table = peer.Data(np.ascontiguousarray(data.values), discrete=False)
            peer.Gadget(
                data=table, scoref="bge", max_id=-1, K=8, d=2, cp_algo="greedy-lite", mc3_chains=1,
                burn_in=STEPS // 5, iterations=STEPS, thinning=30, tolerance=2**-32,
            ).sample()  # fmt: skip

        return best_of(sample, 1), "", "Gadget with 8 candidate parents of each node"

    return measure


if __name__ == "__main__":
    print_table(run())
