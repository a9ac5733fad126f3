"""Measuring and bounding one piece of work inside the process that does it."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from dagathlon.external.program import CLEARLY, peak_memory

_PAGE = os.sysconf("SC_PAGE_SIZE")
_LONG = 0.05
_LARGE = 2**20


class Usage(NamedTuple):
    """What a piece of work cost: seconds, CPU seconds with those of children, peak bytes."""

    wall: float
    cpu: float
    memory: int


class Meter:
    """Measures work in this process: time, and peak memory above what was there before.

    Where the kernel lets a process reset its own high-water mark, the peak is that of the work
    alone; elsewhere it is the growth of the mark since the process began.
    """

    def __init__(self) -> None:
        self._reset = _opened("/proc/self/clear_refs", os.O_WRONLY)
        self._status = _opened("/proc/self/status", os.O_RDONLY)
        self._tidy = True

    def start(self) -> None:
        """Begin: everything the work reads is loaded by now."""
        if self._tidy:
            gc.collect()
            _return_free_memory()
        if self._reset is not None:
            os.pwrite(self._reset, b"5", 0)
        self._memory = self._peak()
        peak_memory.reset()
        self._children = resource.getrusage(resource.RUSAGE_CHILDREN)
        self._cpu = time.process_time()
        self._wall = time.perf_counter()

    def stop(self) -> Usage:
        """End: what it cost since `start`."""
        wall = time.perf_counter() - self._wall
        cpu = time.process_time() - self._cpu
        before, after = self._children, resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        peak = self._peak()
        memory = max(peak - self._memory, 0)
        # A new process counts what its parent held until it has become another program.
        if after.ru_maxrss > before.ru_maxrss and after.ru_maxrss * 1024 > CLEARLY * peak:
            memory = max(memory, after.ru_maxrss * 1024)
        memory = max(memory, peak_memory.bytes)
        # What earlier work freed but the allocator still holds would hide the next peak.
        self._tidy = wall > _LONG or memory > _LARGE
        return Usage(wall, cpu, memory)

    def _peak(self) -> int:
        if self._status is None:
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        text = os.pread(self._status, 8192, 0)
        begin = text.index(b"VmHWM:") + 6
        return int(text[begin : text.index(b"kB", begin)]) * 1024


def _opened(path: str, flags: int) -> int | None:
    try:
        return os.open(path, flags | os.O_CLOEXEC)
    except OSError:
        return None


def _return_free_memory() -> None:
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


@contextmanager
def address_space(extra: int | None) -> Iterator[None]:
    """Let the process, and what it starts, grow by so many bytes and no further."""
    if extra is None:
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    most = _size() + extra
    if before[1] != resource.RLIM_INFINITY:
        most = min(most, before[1])
    resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def _size() -> int:
    """Address space of this process, in bytes."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * _PAGE


def resident(pid: int) -> int:
    """Memory of a process and all it has started, in bytes."""
    return sum(_resident(each) for each in (pid, *descendants(pid)))


def _resident(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            _, pages, shared, *_ = map(int, file.read().split())
    except (OSError, ValueError):
        return 0
    # Mapped data sets are shared by all workers: they are no one's growth.
    return (pages - shared) * _PAGE


def descendants(pid: int) -> Iterator[int]:
    """Processes that a process has started, directly or not."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return
    for thread in threads:
        try:
            with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as file:
                children = [int(child) for child in file.read().split()]
        except OSError:
            continue
        for child in children:
            yield child
            yield from descendants(child)


def oom_kills() -> int:
    """How many processes the kernel has killed for want of memory since the machine started."""
    with contextlib.suppress(OSError), open("/proc/vmstat", encoding="ascii") as file:
        for line in file:
            name, _, count = line.partition(" ")
            if name == "oom_kill":
                return int(count)
    return 0
