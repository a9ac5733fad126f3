"""Resource usage of a process and its helpers: memory and processor time since a `reset`."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

CLEARLY = 1.1
"""Factor by which one peak must exceed another to differ: the kernel counts in steps."""
KILLS = (signal.SIGKILL, signal.SIGTERM)
"""Signals sent from outside to end a process: by administrators, batch systems, the kernel."""
MEMORY = "DAGATHLON_MEMORY"
"""Environment variable: memory limit of a run in bytes, where one is enforced."""

HELPERS: list[Callable[[], list[int]]] = []
"""Functions that return the ids of processes which this one keeps running for later work."""

_TICKS = os.sysconf("SC_CLK_TCK")


class PeakMemory:
    """Peak memory of the external programs run since the last `reset`, in bytes.

    The kernel's peak of child processes includes the parent's memory before ``exec`` and never
    falls; so the running program is sampled as well.
    """

    def __init__(self) -> None:
        self.bytes = 0

    def reset(self) -> None:
        """Reset the peak."""
        self.bytes = 0

    def see(self, amount: int) -> None:
        """Raise the peak to an observed amount."""
        self.bytes = max(self.bytes, amount)


class ServerTime:
    """Processor time that servers spent on runs since the last `reset`, in seconds.

    A server outlives the run, so that the kernel's account of ended children does not include
    it.
    """

    def __init__(self) -> None:
        self.seconds = 0.0

    def reset(self) -> None:
        """Reset the sum."""
        self.seconds = 0.0

    def add(self, seconds: float) -> None:
        """Add the time of a run."""
        self.seconds += max(seconds, 0.0)


peak_memory = PeakMemory()
server_time = ServerTime()


def helper_processes() -> list[int]:
    """Return the ids of the processes that this one keeps running for later work."""
    return [pid for listed in HELPERS for pid in listed()]


@contextlib.contextmanager
def memory_limit(amount: int) -> Iterator[None]:
    """Pass the run's memory limit to programs by an environment variable."""
    os.environ[MEMORY] = str(amount)
    try:
        yield
    finally:
        os.environ.pop(MEMORY, None)


def memory_limit_given() -> int | None:
    """Return the memory limit of this run in bytes; None if none is enforced."""
    limit = os.environ.get(MEMORY, "")
    return int(limit) if limit.isdigit() else None


def high_water(pid: int | str) -> int:
    """Return the peak memory of a process since its last ``exec``, in bytes."""
    return _status(pid, b"VmHWM:")


def resident_now(pid: int | str) -> int:
    """Return the resident memory of a process in bytes; 0 when it has ended."""
    return _status(pid, b"VmRSS:")


def _status(pid: int | str, field: bytes) -> int:
    with contextlib.suppress(OSError, ValueError):
        status = Path(f"/proc/{pid}/status").read_bytes()
        begin = status.index(field) + len(field)
        return int(status[begin : status.index(b"kB", begin)]) * 1024
    return 0


def processor_time(pid: int) -> float:
    """Return the processor time of a process and its ended children, in seconds."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        text = Path(f"/proc/{pid}/stat").read_bytes()
        fields = text[text.rindex(b")") + 2 :].split()
        return sum(map(int, fields[11:15])) / _TICKS
    return 0.0


def tree_time(pid: int) -> float:
    """Return the processor time of a process and all its reachable descendants, in seconds."""
    return sum(map(processor_time, (pid, *descendants(pid))))


def descendants(pid: int) -> Iterator[int]:
    """Yield the ids of all descendants of a process."""
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
