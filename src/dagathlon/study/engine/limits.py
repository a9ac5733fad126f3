"""Resource use of tasks: measured inside the process, and watched from outside."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
from collections.abc import Iterable
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from typing import NamedTuple

from dagathlon.processes.usage import (
    CLEARLY,
    descendants,
    helper_processes,
    peak_memory,
    server_time,
)
from dagathlon.study.engine.clocks import perf_counter, process_time

_PAGE = os.sysconf("SC_PAGE_SIZE")
_LONG = 0.05
_LARGE = 2**20


class Usage(NamedTuple):
    """Resource use: wall seconds, CPU seconds with descendants, peak bytes."""

    wall: float
    cpu: float
    memory: int


class Meter:
    """Measures time and peak memory of work in this process.

    Where the kernel lets a process reset its own high-water mark, the peak is that of the work
    alone; elsewhere it is the growth of the mark since the process began.
    """

    def __init__(self) -> None:
        self._reset = _opened("/proc/self/clear_refs", os.O_WRONLY)
        self._status = _opened("/proc/self/status", os.O_RDONLY)
        self._tidy = True

    def start(self) -> int:
        """Start measuring, after all inputs are loaded; return the memory held.

        Returns
        -------
        int
            What the process and its idle servers hold already, in bytes, as `occupied` counts it.
        """
        if self._tidy:
            gc.collect()
            _return_free_memory()
        if self._reset is not None:
            os.pwrite(self._reset, b"5", 0)
        text = self._read()
        self._memory = self._peak(text)
        held = _field(text, b"RssAnon:") + _field(text, b"RssShmem:")
        held += occupied(helper_processes())
        peak_memory.reset()
        server_time.reset()
        self._children = getrusage(RUSAGE_CHILDREN)
        self._cpu = process_time()
        self._wall = perf_counter()
        return held

    def stop(self) -> Usage:
        """Return the usage since `start`."""
        wall = perf_counter() - self._wall
        cpu = process_time() - self._cpu
        before, after = self._children, getrusage(RUSAGE_CHILDREN)
        cpu += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        cpu += server_time.seconds
        peak = self._peak(self._read())
        memory = max(peak - self._memory, 0)
        # A new process counts what its parent held until it has become another program.
        if after.ru_maxrss > before.ru_maxrss and after.ru_maxrss * 1024 > CLEARLY * peak:
            memory = max(memory, after.ru_maxrss * 1024)
        memory = max(memory, peak_memory.bytes)
        # What earlier work freed but the allocator still holds would hide the next peak.
        self._tidy = wall > _LONG or memory > _LARGE
        return Usage(wall, cpu, memory)

    def _read(self) -> bytes:
        """Return the process status of the kernel; empty where unsupported."""
        return b"" if self._status is None else os.pread(self._status, 8192, 0)

    def _peak(self, text: bytes) -> int:
        """Return the high-water mark of memory, in bytes."""
        if not text:
            return getrusage(RUSAGE_SELF).ru_maxrss * 1024
        return _field(text, b"VmHWM:")


def _field(text: bytes, name: bytes) -> int:
    """Return a field of a /proc status in bytes; 0 where it is missing."""
    begin = text.find(name)
    if begin < 0:
        return 0
    begin += len(name)
    return int(text[begin : text.index(b"kB", begin)]) * 1024


def _opened(path: str, flags: int) -> int | None:
    try:
        return os.open(path, flags | os.O_CLOEXEC)
    except OSError:
        return None


def _return_free_memory() -> None:
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


class Limited(NamedTuple):
    """Memory used by a task, exact or as an upper bound."""

    taken: int
    is_over: bool


def taken_by(pid: int, held: int, limit: int) -> Limited:
    """Return memory of a process and its descendants beyond `held`.

    All resident pages are counted first, which costs little and is never too few. When that is
    beyond the limit, pages that several processes share are divided among them, and files that
    are mapped do not count: data sets are read that way, and the system can take them back.
    """
    family = (pid, *descendants(pid))
    taken = sum(_pages(each)[0] for each in family) * _PAGE - held
    if taken <= limit:
        return Limited(max(taken, 0), False)
    taken = occupied(family) - held
    return Limited(max(taken, 0), taken > limit)


def occupied(family: Iterable[int]) -> int:
    """Return memory of processes in bytes, without mapped files, shared pages counted once."""
    return sum(_proportional(pid) for pid in family)


def _proportional(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            text = file.read()
    except OSError:
        text = b""
    if b"Pss_Anon:" in text:
        return _field(text, b"Pss_Anon:") + _field(text, b"Pss_Shmem:")
    return _private(pid)


def resident(pid: int) -> int:
    """Return an estimate of the resident memory of a process and its descendants, in bytes."""
    return sum(_private(each) for each in (pid, *descendants(pid)))


def _private(pid: int) -> int:
    pages, shared = _pages(pid)
    return (pages - shared) * _PAGE


def _pages(pid: int) -> tuple[int, int]:
    """Return resident pages of a process, and those of them that are file-backed or shared."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            _, pages, shared, *_ = map(int, file.read().split())
    except (OSError, ValueError):
        return 0, 0
    return pages, shared


def oom_kills() -> int:
    """Return how many processes the kernel's OOM killer has ended since boot."""
    with contextlib.suppress(OSError), open("/proc/vmstat", encoding="ascii") as file:
        for line in file:
            name, _, count = line.partition(" ")
            if name == "oom_kill":
                return int(count)
    return 0
