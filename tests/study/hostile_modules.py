"""Learners that harm the process they run in: they kill it, fork it, write to its descriptors."""

from __future__ import annotations

import os
import resource
import signal
import stat
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dagathlon.data import Dataset
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate, Learner
from dagathlon.simulate.base import GraphGenerator

MARK = "DAGATHLON_TEST_MARK"
"""Environment variable: a file that is there once something was done."""
ODD = "donn\udce9es.csv"
"""What Python makes of the name of a file that is not UTF-8."""


@dataclass(frozen=True, kw_only=True)
class Hostile(Learner):
    """Harm this process, then return a graph without edges."""

    name = "hostile"
    deed: str = "none"
    number: int = 0

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Do the deed."""
        if self.deed == "note":
            return Estimate(Graph(data.names), notes=(ODD,))
        if self.deed == "stat":
            return Estimate(Graph(data.names), {"name": ODD})
        if self.deed == "descriptors":
            return Estimate(Graph(data.names), {"names": names_of_descriptors()})
        if self.deed == "state":
            files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
            return Estimate(
                Graph(data.names), {"files": files, "threads": threading.active_count()}
            )
        DEEDS[self.deed]()
        return Estimate(Graph(data.names), {"number": self.number})


@dataclass(frozen=True, kw_only=True)
class DeadlyGraph(GraphGenerator):
    """Kill this process until the mark is there."""

    name = "deadly_graph"

    def sample(self, rng: np.random.Generator) -> Graph:
        """Return a graph without edges."""
        if not Path(os.environ[MARK]).exists():
            die()
        return Graph(["A", "B"])


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_once() -> None:
    mark = Path(os.environ[MARK])
    if not mark.exists():
        mark.touch()
        die()


def fork() -> None:
    """Come back twice."""
    os.fork()


def write_everywhere() -> None:
    for fd in open_descriptors():
        try:
            os.write(fd, b"\x01" * 900)
        except OSError:
            continue


def open_descriptors(first: int = 3) -> list[int]:
    """The open descriptors: their numbers are high where the engine's process has many."""
    return sorted(fd for fd in map(int, os.listdir("/proc/self/fd")) if fd >= first)


def close_everything() -> None:
    """Close the pipes of this process, and go on."""
    os.closerange(3, 1 + max(open_descriptors()))
    time.sleep(1000)


def replace_everything() -> None:
    """Let all descriptors lead nowhere: the result is lost, and there are no more orders."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for fd in open_descriptors():
        try:
            os.dup2(nowhere, fd)
        except OSError:
            continue


def forget_what_it_used() -> None:
    resource.getrusage = None  # type: ignore[assignment]


def write_in_shared_memory() -> None:
    """Write over the slot, which is the only file in memory that is open."""
    for fd in open_descriptors():
        try:
            if "memfd:dagathlon" in os.readlink(f"/proc/self/fd/{fd}"):
                os.pwrite(fd, b"\x7f" * 40, 0)
        except OSError:
            continue


def cut_everything() -> None:
    """Take the content of the files that are open, the slot's memory among them."""
    for fd in open_descriptors():
        try:
            os.ftruncate(fd, 0)
        except OSError:
            continue


def leave_child() -> None:
    """End the process beside a child that holds its pipes open."""
    if os.fork() == 0:
        time.sleep(1000)
    os._exit(5)


def swallow_orders() -> None:
    """A thread that goes on, and reads the orders to come before their reader does."""
    pipes = [fd for fd in open_descriptors() if _is_readable_pipe(fd)]

    def read() -> None:
        for fd in pipes:
            os.read(fd, 1 << 20)

    for _ in range(3):
        threading.Thread(target=read, daemon=True).start()


def _is_readable_pipe(fd: int) -> bool:
    try:
        reads = os.open(f"/proc/self/fdinfo/{fd}", os.O_RDONLY)
        text = os.read(reads, 4096).decode()
        os.close(reads)
        flags = int(
            next(line for line in text.splitlines() if line.startswith("flags")).split()[1], 8
        )
        return stat.S_ISFIFO(os.fstat(fd).st_mode) and flags & os.O_ACCMODE == os.O_RDONLY
    except OSError:
        return False


def names_of_descriptors() -> str:
    found = []
    for fd in open_descriptors(first=0):
        try:
            found.append(os.readlink(f"/proc/self/fd/{fd}"))
        except OSError:
            continue
    return " ".join(found)


def stop_clocks(value: float) -> None:
    for name in ("time", "monotonic", "perf_counter", "process_time"):
        setattr(time, name, lambda: value)


def speak() -> None:
    raise ValueError(f"{ODD}\0\x1b[2J")


def leave_thread() -> None:
    threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()


def open_no_more_files() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))


DEEDS: dict[str, Callable[[], None]] = {
    "none": lambda: None,
    "die": die,
    "die once": die_once,
    "fork": fork,
    "write": write_everywhere,
    "close": close_everything,
    "replace": replace_everything,
    "usage": forget_what_it_used,
    "shared": write_in_shared_memory,
    "cut": cut_everything,
    "leave child": leave_child,
    "swallow": swallow_orders,
    "nan": lambda: stop_clocks(float("nan")),
    "past": lambda: stop_clocks(-1e18),
    "speak": speak,
    "thread": leave_thread,
    "limit": open_no_more_files,
}
