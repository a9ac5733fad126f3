"""Leases: how runs on one store determine which of them are alive, across machines.

A run writes a beat into the store every few seconds. One that has not been heard for the term of
its lease is taken for dead, wherever it ran. Whoever watches measures by a clock of its own how
long the number of beats has stood still, so that clocks of different machines need not agree.
Being wrong costs little: some tasks are done twice, with the same results, and a run that was
only asleep takes up its lease again.
"""

from __future__ import annotations

import contextlib
import functools
import os
import secrets
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from dagathlon.study.store.index_tables import has_leases
from dagathlon.study.store.results_folder import is_number
from dagathlon.study.store.rows import has_types

TERM = 20.0
"""Seconds without a heartbeat after which a run counts as dead."""

_BEAT = 2.0
# Clocks of two machines differ by less than this; a last beat before that needs no watching.
_SKEW = 600.0
_MANY = 2**40


class Lease(NamedTuple):
    """Stored lease of a run that has not ended.

    Parameters
    ----------
    run
        Number of the run, unique in the store.
    pid, started
        Its process, and when the process began (`process_start`).
    host
        Name of the machine, for messages.
    place
        Id of the PID namespace (`place`).
    beats
        Number of heartbeats.
    beat
        Time of the last heartbeat, by the run's own clock.
    term
        Seconds without a heartbeat after which the lease expires.
    """

    run: int
    pid: int
    started: str
    host: str
    place: str
    beats: int
    beat: float
    term: float

    @property
    def is_orphan(self) -> bool:
        """Whether its process ran on this machine and has ended."""
        return self.place == place() and process_start(self.pid) != self.started


_TYPES = (int, int, str, str, str, int, float, float)
_LIVING = """
SELECT runs.id, pid, started, host, place, beats, beat, term
FROM runs JOIN leases ON leases.run = runs.id WHERE ended IS NULL
"""


def leases(connection: sqlite3.Connection) -> list[Lease]:
    """Return the leases of all runs that have not ended; damaged rows are left out."""
    if not has_leases(connection):
        return []
    return [Lease(*row) for row in connection.execute(_LIVING) if _is_lease(row)]


def _is_lease(row: Sequence[Any]) -> bool:
    return has_types(row, *_TYPES) and is_number(row[0]) and is_number(row[1])


def take_lease(connection: sqlite3.Connection, run: int, term: float = TERM) -> None:
    """Create or renew the lease of a run of this process."""
    beats = secrets.randbelow(_MANY)  # none that a watcher may have seen stand still
    connection.execute(
        "INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?, ?, ?)",
        (run, socket.gethostname(), place(), beats, time.time(), term),
    )
    connection.execute("UPDATE runs SET ended = NULL WHERE id = ?", (run,))


def beat(connection: sqlite3.Connection, run: int) -> None:
    """Record a heartbeat; recreate a lease that others took for dead."""
    updated = connection.execute(
        "UPDATE leases SET beats = beats + 1, beat = ? WHERE run = ?", (time.time(), run)
    )
    if not updated.rowcount:
        take_lease(connection, run)


def end_lease(connection: sqlite3.Connection, run: int) -> None:
    """Delete the lease of a run."""
    connection.execute("DELETE FROM leases WHERE run = ?", (run,))


def process_start(pid: int) -> str:
    """Return a process's start time in kernel ticks; empty when it does not live.

    Together with the number it names a process for good, as numbers are used again.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    fields = stat.rpartition(")")[2].split()
    return "" if fields[0] == "Z" else fields[19]


@functools.cache
def place() -> str:
    """Return an id of the PID namespace: machine boot and container."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return f"{socket.gethostname()} {os.getpid()}"


class Watcher:
    """Decides by heartbeats and this process's clock which runs are alive.

    Parameters
    ----------
    monotonic, wall
        The clocks.
    """

    def __init__(
        self,
        monotonic: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._monotonic = monotonic
        self._wall = wall
        self._heard: dict[Hashable, tuple[int, float]] = {}

    def lives(self, lease: Lease, store: Hashable = None) -> bool:
        """Whether a run counts as alive; on first sight a run of another machine does."""
        if lease.is_orphan or self._wall() - lease.beat > lease.term + _SKEW:
            return False
        now = self._monotonic()
        beats, since = self._heard.get((store, lease.run), (-1, now))
        if beats != lease.beats:
            self._heard[store, lease.run] = lease.beats, now
            return True
        return now - since <= lease.term


class Heartbeat:
    """Thread that beats for a run whose own loop has not done so for a while.

    The loop of an engine beats with what it writes anyway. Inside a long task, a slow disk or a
    debugger it does not come round, and this thread does it, on a connection of its own.

    Parameters
    ----------
    connect
        Opens a connection to the index.
    run
        Number of the run.
    """

    def __init__(self, connect: Callable[[], sqlite3.Connection], run: int) -> None:
        self._connect = connect
        self._run = run
        self._last = time.monotonic()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, name="dagathlon-lease", daemon=True)
        self._thread.start()

    def beaten(self) -> None:
        """Note that the loop has just beaten."""
        self._last = time.monotonic()

    def stop(self) -> None:
        """Stop the thread."""
        self._over.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._over.wait(_BEAT):
            if time.monotonic() - self._last > 2 * _BEAT:
                # A beat that the disk does not take is a beat missed; the next one may succeed.
                with contextlib.suppress(sqlite3.Error):
                    self._beat()

    def _beat(self) -> None:
        with contextlib.closing(self._connect()) as connection:
            connection.execute("BEGIN IMMEDIATE")
            beat(connection, self._run)
            connection.execute("COMMIT")
        self.beaten()
