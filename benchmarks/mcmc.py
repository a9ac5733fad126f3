"""Samplers and iterative search, in CPU seconds.

BiDAG is an R package that is not installed beside this one, so its seconds are recorded ones: user
CPU seconds of version 2.1.4 under R 4.2.2 on a loaded machine, on other data of the same shape, for
the same number of iterations. sumu, where it is installed, runs here, on the same data.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.score_based import gaussian
from benchmarks.timing import Row, compare, print_table, row
from dagathlon.data import Dataset, Network
from dagathlon.learners import learn

RECORDED = "BiDAG 2.1.4 (recorded)"
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
STEPS = 30_000


def cpu_seconds(call: Callable[[], object], repeats: int = 3) -> float:
    """The least CPU time of several repeats."""
    return min(_once(call) for _ in range(repeats))


def _once(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def run() -> list[Row]:
    small, large = gaussian(20, 640), gaussian(80, 320)
    alarm = Network.load("alarm").sample(1000, seed=1)
    rows = [recorded(f"{what}, p=20 n=640", small, *rest) for what, *rest in GAUSSIAN]
    rows += [
        recorded(f"{what}, Alarm n=1000", alarm, module, {"scoretype": "bdecat"} | more, seconds)
        for what, module, more, seconds in ALARM
    ]
    search = {"am": 0.1, "hardlimit": 14}
    seconds = cpu_seconds(lambda: learn(large, "bidag_itsearch", **search))
    rounds = learn(large, "bidag_itsearch", **search).stats["rounds"]
    rows.append(row("iterative search, p=80 n=320", seconds, note=f"{rounds} rounds of 98000"))
    partitions = cpu_seconds(lambda: learn(small, "partition_mcmc", iterations=STEPS))
    rows.append(
        compare("partition MCMC, 30000 steps, p=20 n=640", partitions, "sumu", "sumu", sumu(small))
    )
    return rows


def recorded(
    what: str, data: Dataset, module: str, parameters: dict[str, Any], seconds: float
) -> Row:
    given = {"am": 0.1} | parameters if "scoretype" not in parameters else parameters
    ours = cpu_seconds(lambda: learn(data, module, **given))
    return row(what, ours, RECORDED, seconds, "CPU seconds; BiDAG's on other data and machine")


def sumu(data: Dataset) -> Callable[[], tuple[float, str]]:
    def measure() -> tuple[float, str]:
        import sumu as peer

        def sample() -> None:
            table = peer.Data(np.ascontiguousarray(data.values), discrete=False)
            peer.Gadget(
                data=table, scoref="bge", max_id=-1, K=8, d=2, cp_algo="greedy-lite", mc3_chains=1,
                burn_in=STEPS // 5, iterations=STEPS, thinning=30, tolerance=2**-32,
            ).sample()  # fmt: skip

        return cpu_seconds(sample, 1), "CPU seconds; Gadget with 8 candidate parents of each node"

    return measure


if __name__ == "__main__":
    print_table(run())
