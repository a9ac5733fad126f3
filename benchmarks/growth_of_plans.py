"""How the cost of a study grows with its tasks, up to a million, learning itself left out.

Planning, scheduling, claims, inserts and look-ups, each per task; the exponent is fitted through
all sizes, and 1 is a cost that is the same for every task. CPU time counts, not the clock's.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks._apart import apart
from benchmarks._measure import _memory_before, _memory_since, cpu_seconds
from benchmarks.planning import large_study
from benchmarks.timing import Row, Timing, pick, print_table, row
from dagathlon.study.engine.coordinator import Coordinator
from dagathlon.study.engine.protocol import Options, silent
from dagathlon.study.engine.schedule import Schedule
from dagathlon.study.plan.plan import Plan
from dagathlon.study.plan.task import Outcome, Status
from dagathlon.study.store.objects import Payload
from dagathlon.study.store.store import Store
from dagathlon.workflow import Study

# Data sets: each has three tasks of its own, 100 learning runs and as many scores.
DATA_SETS = pick((50, 500, 5_000), (1, 4))
# So many tasks an engine asks for and reports at a time.
BATCH = 500
LOOKS = pick(10_000, 10)
_DONE = Outcome(Status.OK, wall=0.01, cpu=0.01, memory=2**20)
_RESULT = Payload(b"d" * 32, 100, b"r" * 100)


class Cost(NamedTuple):
    """What one stage took: CPU seconds, and bytes by which memory grew."""

    cpu: float
    memory: int


def measured(stage: Callable[[], Any]) -> tuple[Any, Cost]:
    before, start = _memory_before(), cpu_seconds()
    value = stage()
    cpu = cpu_seconds() - start
    return value, Cost(cpu, _memory_since(before))


def plan_of(data_sets: int) -> Plan:
    study = large_study()
    study["benchmark_setup"][0]["data"][0]["seed_range"] = [1, data_sets]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.json"
        path.write_text(json.dumps(study))
        return Study.load(path).plan


def carried_out(plan: Plan, store: Store) -> None:
    """Hand out all tasks and take their results in, as an engine does, without doing them."""
    with Coordinator(plan, store, silent, Options()) as work:
        while work.is_going_on:
            wanted: list[int] = []
            while work.schedule.n_ready(0) and len(wanted) < BATCH:
                wanted.append(work.schedule.pop(0))
            for position in work.claim(wanted):
                work.record(position, _DONE, _RESULT)
            work.look((), 0)


def looks(plan: Plan, store: Store) -> Cost:
    """What an engine's loop asks several times a second, with everything still to be done."""
    with Coordinator(plan, store, silent, Options()) as work:
        return measured(lambda: [work.look((), 0) for _ in range(LOOKS)])[1]


def stages(data_sets: int) -> tuple[int, dict[str, Cost]]:
    """All stages for one size; they run in a process of their own."""
    costs: dict[str, Cost] = {}
    plan_of(1)  # what is imported and compiled once is no cost of a task
    plan, costs["plan"] = measured(lambda: plan_of(data_sets))
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as store:
        _, costs["schedule, nothing stored"] = measured(lambda: Schedule(plan, store, Options()))
        costs[f"{LOOKS:,} turns of the loop"] = looks(plan, store)
        _, costs["begin, hand out, claim, insert"] = measured(lambda: carried_out(plan, store))
        _, costs["schedule, all stored"] = measured(lambda: Schedule(plan, store, Options()))
        keys = [task.key for task in plan.tasks]
        _, costs["look up"] = measured(lambda: store.outcomes(keys))
    return len(plan.tasks), costs


def exponent(sizes: list[int], values: list[float]) -> float:
    """Slope of the straight line through the points on logarithmic axes."""
    x, y = [math.log(n) for n in sizes], [math.log(max(v, 1e-9)) for v in values]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / sum(
        (a - mean_x) ** 2 for a in x
    )


def run() -> list[Row]:
    found = []
    for data_sets in DATA_SETS:
        outcome = apart(lambda n=data_sets: stages(n))  # type: ignore[misc]
        if outcome.failure:
            raise RuntimeError(outcome.failure)
        found.append(outcome.value)
    sizes = [tasks for tasks, _ in found]
    rows = []
    for stage in found[0][1]:
        costs = [by_stage[stage] for _, by_stage in found]
        slope = exponent(sizes, [cost.cpu for cost in costs])
        for tasks, cost in zip(sizes, costs, strict=True):
            note = f"{1e6 * cost.cpu / tasks:.1f} µs and {cost.memory / tasks:.0f} bytes per task"
            if tasks == sizes[-1]:
                note += f"; exponent {slope:.2f}"
            timing = Timing(cost.cpu, cpu=cost.cpu, memory=cost.memory)
            rows.append(row(f"{stage}: {tasks:,} tasks", timing, note=note))
    return rows


if __name__ == "__main__":
    print_table(run())
