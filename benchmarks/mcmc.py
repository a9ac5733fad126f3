"""Samplers and iterative search.

BiDAG is an R package that is not installed beside this one, so its seconds are recorded ones: user
CPU seconds of version 2.1.4 under R 4.2.2 on a loaded machine, on other data of the same shape, for
the same number of iterations. sumu, where it is installed, runs here, on the same data.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.inputs import linear_data
from benchmarks.timing import Measure, Row, Timing, best_of, compare, pick, print_table, row
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
    return rows


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
