"""What a cluster costs: empty tasks, simulated workers that sleep, results of many megabytes."""

from __future__ import annotations

import contextlib
import os
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks._sleepers import NAP
from benchmarks.scheduler import Tasks, empty_tasks, large_tasks
from benchmarks.timing import Row, Timing, pick, print_table, row
from dagathlon.cluster.dask_engine import DaskEngine
from dagathlon.study.engine.local import LocalEngine
from dagathlon.study.engine.protocol import Engine, Event, Finished, Running
from dagathlon.study.store.store import Store

EMPTY = pick(100_000, 300)
SLEEPERS = pick((20, 10), (2, 2))
NAPS = pick(400, 20)
LARGE, MEGABYTES = pick((60, 10), (3, 1))


class Cost(NamedTuple):
    """Seconds from when all workers are there to the last result, and what that took.

    Parameters
    ----------
    wall
        Seconds.
    cpu
        CPU seconds of this process meanwhile.
    tasks
        Tasks that ended meanwhile.
    busy
        Seconds that they took, all together.
    """

    wall: float
    cpu: float
    tasks: int
    busy: float


class Watch:
    """Listens to a run, and notes what it costs once so many workers are there."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._there = False
        self._tasks = 0
        self._busy = 0.0
        self._first: tuple[float, float] | None = None
        self._last = (0.0, 0.0)

    def __call__(self, event: Event) -> None:
        if isinstance(event, Running):
            self._there |= sum(host.workers for host in event.hosts) >= self._workers
        elif isinstance(event, Finished) and self._there:
            self._last = (time.perf_counter(), time.process_time())
            if self._first is None:
                self._first = self._last
            else:
                self._tasks += 1
                self._busy += event.outcome.wall

    def cost(self) -> Cost:
        assert self._first is not None
        wall, cpu = (b - a for a, b in zip(self._first, self._last, strict=True))
        return Cost(wall, cpu, self._tasks, self._busy)


def measured(engine: Engine, plan: Tasks, workers: int) -> Cost:
    """What a plan costs once workers are there; the start and end of a cluster do not count."""
    watch = Watch(workers)
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as store:
        summary = engine.run(plan, store, on_event=watch)
    if {status for status, _, _ in summary.ran} != {"ok"}:
        raise RuntimeError(f"some failed: {summary.ran}")
    return watch.cost()


@contextlib.contextmanager
def scheduler() -> Iterator[tuple[str, int]]:
    """A dask scheduler in a process of its own: its address and the process."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    options = ("--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
    with started("distributed.cli.dask_scheduler", *options) as pid:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.1)
        yield f"tcp://127.0.0.1:{port}", pid


@contextlib.contextmanager
def started(module: str, *options: str) -> Iterator[int]:
    """A process that ends with the context."""
    process = subprocess.Popen(
        [sys.executable, "-m", module, *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()


class Peak:
    """The largest memory of a process, looked at ten times a second."""

    def __init__(self, pid: int) -> None:
        self._status = Path(f"/proc/{pid}/statm")
        self._over = threading.Event()
        self.before = self.bytes = self._now()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Peak:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _now(self) -> int:
        return int(self._status.read_text().split()[1]) * resource.getpagesize()

    def _look(self) -> None:
        while not self._over.wait(0.1):
            self.bytes = max(self.bytes, self._now())


def empty() -> Iterator[Row]:
    """Empty tasks by the local engine and by two dask workers."""
    local = measured(LocalEngine(2), empty_tasks(EMPTY), 2)
    dask = measured(DaskEngine(workers=2, jobs=2), empty_tasks(EMPTY), 2)
    rate = local.tasks / local.wall
    for name, cost in (("local engine, 2 processes", local), ("dask, 2 workers", dask)):
        each, cpu = cost.wall / cost.tasks * 1e6, cost.cpu / cost.tasks * 1e6
        note = f"{each:.0f} µs per task, {cpu:.0f} µs of the coordinator's CPU; "
        note += f"{cost.tasks / cost.wall / rate:.2f} of the local engine's rate"
        timing = Timing(cost.wall, cost.wall, cost.cpu)
        yield row(f"{EMPTY:,} empty tasks, {name}", timing, note=note)


def sleeping() -> Row:
    """Simulated workers: which part of their time they are busy."""
    workers, threads = SLEEPERS
    slots = workers * threads
    tasks = slots * NAPS
    with scheduler() as (address, _):
        options = (address, str(workers), str(threads), "600")
        with started("benchmarks._sleepers", *options):
            cost = measured(DaskEngine(scheduler=address), empty_tasks(tasks), slots)
    busy = cost.busy / (slots * cost.wall)
    note = f"{slots} simulated workers are busy {busy:.1%} of the time, "
    note += f"{cost.cpu / cost.wall:.0%} of a core for the coordinator"
    what = f"{tasks:,} tasks of {NAP * 1000:.0f} ms on {workers} × {threads} threads that sleep"
    return row(what, Timing(cost.wall, cost.wall, cost.cpu), note=note)


def large() -> Row:
    """Results of many megabytes: what the scheduler and the coordinator hold of them."""
    with scheduler() as (address, pid), contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        for _ in range(2):
            options = (address, "--nthreads", "1", "--no-nanny", "--no-dashboard")
            place = ("--host", "127.0.0.1", "--memory-limit", "0", "--local-directory", folder)
            stack.enter_context(started("distributed.cli.dask_worker", *options, *place))
        with Peak(pid) as theirs, Peak(os.getpid()) as ours:
            cost = measured(DaskEngine(scheduler=address), large_tasks(LARGE, MEGABYTES), 2)
    total = LARGE * MEGABYTES
    note = f"{cost.tasks * MEGABYTES / cost.wall:.0f} MB/s; the scheduler grows by "
    note += f"{(theirs.bytes - theirs.before) / 2**20:.0f} MB, "
    note += f"the coordinator by {(ours.bytes - ours.before) / 2**20:.0f} MB, of {total} MB in all"
    what = f"{LARGE} results of {MEGABYTES} MB from 2 workers"
    return row(what, Timing(cost.wall, cost.wall, cost.cpu), note=note)


def run() -> list[Row]:
    """All measurements."""
    return [*empty(), sleeping(), large()]


if __name__ == "__main__":
    print_table(run())
