"""How the benchmarks measure: one way for ours and for every peer.

A call is repeated in a process of its own. Its time is that of the fastest repeat, kept together
with the slowest, the CPU time (of all threads and ended children) and the growth of memory.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.metadata
import importlib.util
import itertools
import os
import resource
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self, TypeVar

from benchmarks._apart import announce, apart, is_apart, time_left_for_repeats

Row = dict[str, Any]
T = TypeVar("T")
QUICK = bool(os.environ.get("DAGATHLON_BENCHMARKS_QUICK"))
# Seconds of one measured call after which a peer is stopped.
LIMIT = 2.0 if QUICK else 10.0
# No further repeat is begun when those before took so many seconds together.
PATIENCE = 0.4 if QUICK else 3.0


class Timing(float):
    """Wall seconds of the fastest repeat, and what else was measured.

    `slowest` is the slowest repeat, `cpu` the least CPU seconds, `memory` the bytes by which the
    peak grew; `stopped` says that the work did not end within these seconds.
    """

    slowest: float
    cpu: float | None
    memory: int | None
    stopped: bool

    def __new__(
        cls,
        wall: float,
        slowest: float | None = None,
        cpu: float | None = None,
        memory: int | None = None,
        stopped: bool = False,
    ) -> Self:
        found = super().__new__(cls, wall)
        found.slowest = float(wall) if slowest is None else slowest
        found.cpu, found.memory, found.stopped = cpu, memory, stopped
        return found

    def __getnewargs__(self) -> tuple[Any, ...]:  # type: ignore[override]
        return float(self), self.slowest, self.cpu, self.memory, self.stopped

    def __mul__(self, factor: float) -> Timing:
        cpu = None if self.cpu is None else self.cpu * factor
        return Timing(float(self) * factor, self.slowest * factor, cpu, self.memory, self.stopped)

    def __truediv__(self, divisor: float) -> Timing:
        return self * (1 / divisor)


# What a peer's measurement gives: its time, how its result compares with ours, and a remark.
Measure = Callable[[], tuple[Any, ...]]


def pick(full: T, quick: T) -> T:
    """The sizes of a full run, or those of a smoke run."""
    return quick if QUICK else full


def best_of(call: Callable[[], object], repeats: int = 7, number: int = 1) -> Timing:
    """The time of one call, from several repeats of `number` calls in a process of its own."""
    if QUICK:
        number = max(1, number // 100)
    if is_apart():
        return repeat_here(call, repeats, number)
    found = apart(lambda: repeat_here(call, repeats, number))
    if found.failure:
        raise RuntimeError(found.failure)
    return found.value  # type: ignore[no-any-return]


def timed(call: Callable[[], T], repeats: int) -> tuple[Timing, T]:
    """The time of one call and what it gave."""
    if not is_apart():
        outcome = apart(lambda: timed(call, repeats))
        if outcome.failure:
            raise RuntimeError(outcome.failure)
        return outcome.value  # type: ignore[no-any-return]
    found: list[T] = []

    def keep() -> None:
        found[:] = [call()]

    return repeat_here(keep, repeats), found[0]


def repeat_here(call: Callable[[], object], repeats: int, number: int = 1) -> Timing:
    """The time of one call, measured in this process.

    The first repeat, in which modules are loaded and Java compiles, is not counted if there are
    others.
    """
    walls: list[float] = []
    cpus: list[float] = []
    before = _memory_before()
    announce("began")
    while len(walls) <= repeats:
        cpu, start = cpu_seconds(), time.perf_counter()
        for _ in itertools.repeat(None, number):
            call()
        walls.append(time.perf_counter() - start)
        cpus.append(cpu_seconds() - cpu)
        spent = sum(walls)
        if spent > PATIENCE or not time_left_for_repeats(spent, walls[-1]):
            break
    announce("ended")
    warm = slice(1 if len(walls) > 1 else 0, None)
    walls, cpus = walls[warm], cpus[warm]
    return Timing(min(walls), max(walls), min(cpus), _memory_since(before)) / number


def cpu_seconds() -> float:
    """CPU seconds of this process with all threads, and of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _memory_before() -> dict[str, int]:
    """Memory now, after giving back what is free and setting the peak to what is left."""
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    return _status()


def _memory_since(before: dict[str, int]) -> int:
    """Growth of the peak; pages of libraries that were merely first touched are not counted."""
    now = _status()
    return max(0, now["VmHWM"] - before["VmRSS"] - max(0, now["RssFile"] - before["RssFile"]))


def _status() -> dict[str, int]:
    lines = (line.split() for line in Path("/proc/self/status").read_text().splitlines())
    return {name[:-1]: 1024 * int(rest[0]) for name, *rest in lines if rest and rest[-1] == "kB"}


def installed(module: str) -> bool:
    return importlib.util.find_spec(module.partition(".")[0]) is not None


@functools.cache
def version(module: str) -> str:
    """Version of the distribution that a module comes from."""
    top = module.partition(".")[0]
    return importlib.metadata.version(_distributions().get(top, [top])[0])


@functools.cache
def _distributions() -> Mapping[str, list[str]]:
    return importlib.metadata.packages_distributions()


def row(
    what: str,
    ours_s: float,
    peer: str = "",
    peer_s: float | None = None,
    note: str = "",
    *,
    result: str = "",
    version: str = "",
) -> Row:
    """A row of a table; without `peer_s` there is nothing to compare with.

    `result` says how the two results compare under one score or metric.
    """
    return {
        "what": what,
        "ours_s": _timing(ours_s),
        "peer": peer,
        "peer_s": None if peer_s is None else _timing(peer_s),
        "ratio": None if peer_s is None else float(peer_s) / float(ours_s),
        "result": result,
        "note": note,
        "version": version,
    }


def _timing(seconds: float) -> Timing:
    return seconds if isinstance(seconds, Timing) else Timing(seconds)


def compare(
    what: str,
    ours_s: float,
    peer: str,
    module: str,
    measure: Measure,
    *,
    limit: float = LIMIT,
) -> Row:
    """A row against one peer, which runs in a process of its own and is stopped at the limit."""
    if not installed(module):
        return row(what, ours_s, peer, note="not installed")
    found = apart(measure, limit)
    if found.stopped:
        return stopped(what, ours_s, peer, module, limit)
    if found.failure:
        return row(what, ours_s, peer, note=f"failed: {found.failure}", version=version(module))
    seconds, result, *note = found.value
    return row(what, ours_s, peer, seconds, *note, result=result, version=version(module))


def stopped(what: str, ours_s: float, peer: str, module: str, limit: float) -> Row:
    """A row with a peer that did not end in time: the ratio is a lower bound."""
    seconds = Timing(limit, stopped=True)
    note = f"stopped after {limit:g} s"
    return row(what, ours_s, peer, seconds, note, version=version(module))


def alone(what: str, ours_s: float, note: str = "") -> Row:
    """A row without a peer."""
    return row(what, ours_s, note=note)
