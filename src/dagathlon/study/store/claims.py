"""Runs that share a store: who lives, and who is working on what."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from dagathlon.study.plan.task import Outcome
from dagathlon.study.store.store import Result, Store


class Granted(NamedTuple):
    """The answer to a wish to work on some tasks.

    Parameters
    ----------
    busy
        Keys another living run is working on.
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


_ALL_MINE = Granted((), {})


def process_start(pid: int) -> str:
    """When a process began, in the kernel's ticks; empty when it does not live.

    Together with the number it names a process for good, as numbers are used again.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    fields = stat.rpartition(")")[2].split()
    return "" if fields[0] == "Z" else fields[19]


def run_records(store: Store) -> list[RunRecord]:
    """All runs that the store has seen, the latest first."""
    rows = store.connection.execute(
        "SELECT id, pid, started, began, ended, progress FROM runs ORDER BY id DESC"
    )
    return [
        RunRecord(id_, pid, began, ended, json.loads(progress), _alive(pid, started, ended))
        for id_, pid, started, began, ended, progress in rows
    ]


def _alive(pid: int, started: str, ended: float | None) -> bool:
    return ended is None and process_start(pid) == started


class Registration:
    """The run of this process on a store: it claims tasks so that no other run does them too.

    Claims cost nothing to repair: those of a process that no longer lives are void.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._began = time.time()
        pid = os.getpid()
        with store.transaction():
            self._bury_the_dead()
            cursor = store.connection.execute(
                "INSERT INTO runs (pid, started, began) VALUES (?, ?, ?)",
                (pid, process_start(pid), self._began),
            )
            self.id = int(cursor.lastrowid or 0)
            others = store.connection.execute("SELECT count(*) FROM claims").fetchone()[0]
            self._alone = not others
            self._version = self._data_version()
        self.scratch = store.folder / "scratch" / str(self.id)
        self.scratch.mkdir(parents=True, exist_ok=True)

    def exchange(
        self,
        results: Sequence[Result],
        wanted: Sequence[bytes] = (),
        progress: Mapping[str, Any] | None = None,
    ) -> Granted:
        """Record finished tasks and claim new ones, in one transaction."""
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
            return self._claim(wanted) if wanted else _ALL_MINE

    def end(self, progress: Mapping[str, Any]) -> None:
        """Sign off."""
        with self._store.transaction():
            self._store.connection.execute(
                "UPDATE runs SET ended = ?, progress = ? WHERE id = ?",
                (time.time(), json.dumps(progress), self.id),
            )
            self._store.connection.execute("DELETE FROM claims WHERE run = ?", (self.id,))
        shutil.rmtree(self.scratch, ignore_errors=True)
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
            alive = {run: self._lives(run) for run in self._claimants()}
            for key in wanted:
                row = connection.execute("SELECT run FROM claims WHERE key = ?", (key,)).fetchone()
                if row is not None and row[0] != self.id and alive.get(row[0]):
                    busy.add(key)
        mine = ((key, self.id) for key in wanted if key not in busy and key not in known)
        connection.executemany("INSERT OR REPLACE INTO claims VALUES (?, ?)", mine)
        return Granted(busy, known)

    def _data_version(self) -> int:
        row = self._store.connection.execute("PRAGMA data_version").fetchone()
        return int(row[0])

    def _claimants(self) -> list[int]:
        rows = self._store.connection.execute("SELECT id FROM runs WHERE ended IS NULL")
        return [run for (run,) in rows]

    def _lives(self, run: int) -> bool:
        row = self._store.connection.execute(
            "SELECT pid, started, ended FROM runs WHERE id = ?", (run,)
        ).fetchone()
        return row is not None and _alive(*row)

    def _bury_the_dead(self) -> None:
        """Void the claims of runs that were killed, and remove what they left lying about."""
        connection = self._store.connection
        for run in self._claimants():
            if not self._lives(run):
                connection.execute("DELETE FROM claims WHERE run = ?", (run,))
                connection.execute("UPDATE runs SET ended = began WHERE id = ?", (run,))
                shutil.rmtree(self._store.folder / "scratch" / str(run), ignore_errors=True)
        for path in self._store.objects.leftovers():
            path.unlink(missing_ok=True)
