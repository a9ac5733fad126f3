"""What the scheduler costs per task: empty tasks through the local engine, 20,000 of them."""

from __future__ import annotations

import resource
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.timing import Row, Timing, pick, print_table, row
from dagathlon.modules import add_files, find
from dagathlon.study.engine.local import LocalEngine
from dagathlon.study.plan.task import Call, Limits, Resources, Task, TaskKind, task_key
from dagathlon.study.store.store import Store

TASKS = pick(20_000, 100)


@dataclass
class Tasks:
    tasks: list[Task] = field(default_factory=list)
    limits: dict[int, Limits] = field(default_factory=dict)
    resources: dict[int, Resources] = field(default_factory=dict)


def empty_tasks(n: int) -> Tasks:
    add_files([str(Path(__file__).with_name("_empty_graph.py"))])
    call = Call.of(TaskKind.GRAPH, "benchmark_empty", find("graph", "benchmark_empty").version, {})
    return Tasks([Task(task_key(call, seed, ()), call, seed) for seed in range(n)])


def large_tasks(n: int, megabytes: int) -> Tasks:
    """Tasks whose results are large: what does it cost to bring them into the store?"""
    add_files([str(Path(__file__).with_name("_empty_graph.py"))])
    version = find("data", "benchmark_large").version
    call = Call.of(TaskKind.DATA, "benchmark_large", version, {"megabytes": megabytes})
    return Tasks([Task(task_key(call, seed, ()), call, seed) for seed in range(n)])


def measure_large(n: int, megabytes: int) -> float:
    """Seconds for n large results by two workers."""
    plan = large_tasks(n, megabytes)
    started: list[float] = []

    def note(event: Any) -> None:
        if not started and type(event).__name__ == "Finished":
            started.append(time.perf_counter())

    with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as store:
        summary = LocalEngine(2).run(plan, store, on_event=note)
        seconds = time.perf_counter() - started[0]
    if set(summary.ran) != {("ok", "data", "benchmark_large")}:
        raise RuntimeError(f"some failed: {summary.ran}")
    return seconds


def measure(n: int, jobs: int) -> tuple[float, int]:
    """Seconds for n tasks with workers already up, and growth of the engine's memory in bytes."""
    plan = empty_tasks(n)
    started: list[float] = []

    def note(event: Any) -> None:
        if not started and type(event).__name__ == "Finished":
            started.append(time.perf_counter())

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as store:
        LocalEngine(jobs).run(plan, store, on_event=note)
        seconds = time.perf_counter() - started[0]
    return seconds, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024


def lookup(n: int) -> float:
    """Seconds to find out that n tasks are in the store already."""
    plan = empty_tasks(n)
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as store:
        LocalEngine(1).run(plan, store)
        begin = time.perf_counter()
        found = store.outcomes(task.key for task in plan.tasks)
        seconds = time.perf_counter() - begin
        if len(found) != n:
            raise RuntimeError(f"{len(found)} of {n} tasks were found")
    return seconds


def run(tasks: int = TASKS, repeats: int = pick(3, 1)) -> list[Row]:
    rows = []
    for jobs in (1, 2):
        found = [measure(tasks, jobs) for _ in range(repeats)]
        walls, grown = zip(*found, strict=True)
        timing = Timing(min(walls), max(walls), memory=max(grown))
        note = f"{1e6 * min(walls) / tasks:.0f} µs per task"
        rows.append(row(f"{tasks:,} empty tasks, jobs={jobs}", timing, note=note))
    for megabytes in (10, 50):
        results = pick(40, 2)
        seconds = min(measure_large(results, megabytes) for _ in range(repeats))
        note = f"{1e3 * seconds / results:.1f} ms per result"
        rows.append(row(f"{results} results of {megabytes} MB, jobs=2", seconds, note=note))
    seconds = lookup(tasks)
    note = f"{1e6 * seconds / tasks:.1f} µs per key"
    return [*rows, row(f"look up {tasks:,} keys", seconds, note=note)]


if __name__ == "__main__":
    print_table(run())
