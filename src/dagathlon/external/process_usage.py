"""What programs outside this process cost: memory and processor time since the last `reset`."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

CLEARLY = 1.1
"""The kernel counts memory in steps: what is larger by less than this factor may be the same."""
KILLS = (signal.SIGKILL, signal.SIGTERM)
"""Signals by which others end a process: administrators, batch systems, the kernel."""
MEMORY = "DAGATHLON_MEMORY"
"""Environment variable: bytes that a run may take, where somebody enforces that."""

_TICKS = os.sysconf("SC_CLK_TCK")


class PeakMemory:
    """The most memory that any program held since the last `reset`, in bytes.

    The kernel's own account of children begins with what their parent held, and never falls; so
    the running program is looked at as well.
    """

    def __init__(self) -> None:
        self.bytes = 0

    def reset(self) -> None:
        """Begin again."""
        self.bytes = 0

    def see(self, amount: int) -> None:
        """Note an amount of memory."""
        self.bytes = max(self.bytes, amount)


class ServerTime:
    """Processor time that servers spent on runs since the last `reset`, in seconds.

    A server outlives the run, so that the kernel's account of ended children does not have it.
    """

    def __init__(self) -> None:
        self.seconds = 0.0

    def reset(self) -> None:
        """Begin again."""
        self.seconds = 0.0

    def add(self, seconds: float) -> None:
        """Note what a run has taken."""
        self.seconds += max(seconds, 0.0)


peak_memory = PeakMemory()
server_time = ServerTime()


@contextlib.contextmanager
def memory_limit(amount: int) -> Iterator[None]:
    """Tell programs, by their environment, what the run that starts them may take."""
    os.environ[MEMORY] = str(amount)
    try:
        yield
    finally:
        os.environ.pop(MEMORY, None)


def memory_given() -> int | None:
    """The bytes that the present run may take; None where nobody enforces a limit."""
    said = os.environ.get(MEMORY, "")
    return int(said) if said.isdigit() else None


def high_water(pid: int | str) -> int:
    """The most memory that a process has held since it became the program it is, in bytes."""
    return _status(pid, b"VmHWM:")


def resident_now(pid: int | str) -> int:
    """The memory that a process holds, in bytes; 0 when it is gone."""
    return _status(pid, b"VmRSS:")


def _status(pid: int | str, field: bytes) -> int:
    with contextlib.suppress(OSError, ValueError):
        status = Path(f"/proc/{pid}/status").read_bytes()
        begin = status.index(field) + len(field)
        return int(status[begin : status.index(b"kB", begin)]) * 1024
    return 0


def processor_time(pid: int) -> float:
    """Seconds that a process, and those of its children that have ended, have computed."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        text = Path(f"/proc/{pid}/stat").read_bytes()
        fields = text[text.rindex(b")") + 2 :].split()
        return sum(map(int, fields[11:15])) / _TICKS
    return 0.0


def tree_time(pid: int) -> float:
    """Seconds that a process, and all it has started that are not lost to it, have computed."""
    return sum(map(processor_time, (pid, *descendants(pid))))


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
