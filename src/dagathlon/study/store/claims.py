"""Runs that share a store: registration, leases and claims of tasks."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Collection, Mapping, Sequence
from types import NoneType
from typing import Any, NamedTuple

from dagathlon.study.plan.task import Outcome
from dagathlon.study.store.index_tables import connect_again
from dagathlon.study.store.leases import (
    Heartbeat,
    Lease,
    Watcher,
    beat,
    end_lease,
    leases,
    process_start,
    take_lease,
)
from dagathlon.study.store.machine import read_facts
from dagathlon.study.store.results_folder import SCRATCH, is_number, make_folder, remove_folder
from dagathlon.study.store.rows import DamagedRowError, has_types
from dagathlon.study.store.store import Result, Store


class Granted(NamedTuple):
    """Answer to a claim: which tasks this run got, and which others hold or have done.

    Parameters
    ----------
    busy
        Keys that another live run is working on.
    known
        Outcomes that another run has recorded since this one began.
    """

    busy: Collection[bytes]
    known: Mapping[bytes, Outcome]


class RunRecord(NamedTuple):
    """One `run` of a study on a store, as `status` shows it."""

    id: int
    pid: int
    began: float
    ended: float | None
    progress: Mapping[str, Any]
    alive: bool
    host: str = ""


_ALL_MINE = Granted((), {})


def run_records(store: Store) -> list[RunRecord]:
    """Return all runs of a store, the latest first."""
    alive = {lease.run: lease for lease in leases(store.connection) if _lives(store, lease)}
    rows = store.connection.execute(
        "SELECT id, pid, began, ended, progress FROM runs ORDER BY id DESC"
    ).fetchall()
    if not all(has_types(row, int, int, float, (float, NoneType), str) for row in rows):
        raise DamagedRowError(store.folder, "runs")
    return [
        RunRecord(id_, pid, began, ended, read_facts(progress), id_ in alive, _host(alive.get(id_)))
        for id_, pid, began, ended, progress in rows
    ]


def _host(lease: Lease | None) -> str:
    return "" if lease is None else lease.host


def _lives(store: Store, lease: Lease) -> bool:
    return _WATCHER.lives(lease, str(store.folder))


class Registration:
    """The run of this process on a store, with its claims of tasks.

    Claims cost nothing to repair: those of a run whose lease has lapsed are void.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._began = time.time()
        pid = os.getpid()
        with store.transaction():
            self._expire_dead_runs()
            cursor = store.connection.execute(
                "INSERT INTO runs (pid, started, began) VALUES (?, ?, ?)",
                (pid, process_start(pid), self._began),
            )
            self.id = int(cursor.lastrowid or 0)
            take_lease(store.connection, self.id)
            others = store.connection.execute("SELECT count(*) FROM claims").fetchone()[0]
            self._alone = not others
            self._version = self._data_version()
        self.scratch = make_folder(store.folder, SCRATCH, str(self.id))
        self._heart = Heartbeat(lambda: connect_again(store.folder), self.id)

    def exchange(
        self,
        results: Sequence[Result],
        wanted: Sequence[bytes] = (),
        progress: Mapping[str, Any] | None = None,
    ) -> Granted:
        """Record results and claim tasks in one transaction; with `progress`, renew the lease."""
        connection = self._store.connection
        with self._store.transaction():
            if results:
                self._store.insert(results)
                done = ((result.task.key,) for result in results)
                connection.executemany("DELETE FROM claims WHERE key = ?", done)
            if progress is not None:
                connection.execute(
                    "UPDATE runs SET progress = ? WHERE id = ?", (json.dumps(progress), self.id)
                )
                beat(connection, self.id)
                self._heart.beaten()
            return self._claim(wanted) if wanted else _ALL_MINE

    def end(self, progress: Mapping[str, Any]) -> None:
        """End the registration and save the final progress."""
        self._heart.stop()
        with self._store.transaction():
            self._store.connection.execute(
                "UPDATE runs SET ended = ?, progress = ? WHERE id = ?",
                (time.time(), json.dumps(progress), self.id),
            )
            self._store.connection.execute("DELETE FROM claims WHERE run = ?", (self.id,))
            end_lease(self._store.connection, self.id)
        remove_folder(self._store.folder, SCRATCH, str(self.id))
        with contextlib.suppress(OSError):
            self.scratch.parent.rmdir()

    def _claim(self, wanted: Sequence[bytes]) -> Granted:
        connection = self._store.connection
        version = self._data_version()
        if version != self._version:
            # Another process has written: from here on every claim is checked.
            self._alone, self._version = False, version
        known: dict[bytes, Outcome] = {}
        busy: set[bytes] = set()
        if not self._alone:
            known = self._store.outcomes(wanted, since=self._began)
            others = self._living() - {self.id}
            for key in wanted:
                row = connection.execute("SELECT run FROM claims WHERE key = ?", (key,)).fetchone()
                if row is not None and row[0] in others:
                    busy.add(key)
        mine = ((key, self.id) for key in wanted if key not in busy and key not in known)
        connection.executemany("INSERT OR REPLACE INTO claims VALUES (?, ?)", mine)
        return Granted(busy, known)

    def _data_version(self) -> int:
        row = self._store.connection.execute("PRAGMA data_version").fetchone()
        return int(row[0])

    def _living(self) -> set[int]:
        known = leases(self._store.connection)
        return {lease.run for lease in known if _lives(self._store, lease)}

    def _expire_dead_runs(self) -> None:
        """Release the claims of dead runs and remove their scratch folders.

        The files of a run on another machine stay until `gc`: it may only be asleep.
        """
        connection = self._store.connection
        known = {lease.run: lease for lease in leases(connection)}
        living = self._living()
        unended = [run for (run,) in connection.execute("SELECT id FROM runs WHERE ended IS NULL")]
        for run in unended:
            if not is_number(run):
                raise DamagedRowError(self._store.folder, "runs")
            if run in living:
                continue
            connection.execute("DELETE FROM claims WHERE run = ?", (run,))
            connection.execute("UPDATE runs SET ended = began WHERE id = ?", (run,))
            end_lease(connection, run)
            if run not in known or known[run].is_orphan:
                remove_folder(self._store.folder, SCRATCH, str(run))
        if not living:
            for path in self._store.objects.leftovers():
                path.unlink(missing_ok=True)


_WATCHER = Watcher()
