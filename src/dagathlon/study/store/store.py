"""The store: every outcome by its task's key, crash-safe in one folder."""

from __future__ import annotations

import json
import sqlite3
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Self

from dagathlon.errors import StudyError
from dagathlon.study.plan.task import Outcome, Status, Task
from dagathlon.study.store.codec import Bytes, CodecError, decode
from dagathlon.study.store.index_tables import (
    added_columns,
    connect,
    explained,
    has_hosts,
    unwritable,
)
from dagathlon.study.store.machine import read_facts
from dagathlon.study.store.objects import DamagedError, Objects, Payload
from dagathlon.study.store.results_folder import OBJECTS, is_digest
from dagathlon.study.store.rows import OUTCOME, DamagedRowError, has_types, outcome_of

_CHUNK = 500
COLUMNS = (
    *("key", "kind", "module", "status", "reason", "detail", "wall", "cpu", "memory"),
    *("time_limit", "memory_limit", "created", "host", "digest", "size", "inline"),
    "cpu_limit",
)
"""Columns of the table of results, without the row id."""

_INSERT = (
    f"INSERT OR REPLACE INTO results ({', '.join(COLUMNS)})"
    f" VALUES ({', '.join('?' * len(COLUMNS))})"
)


class StoreWarning(UserWarning):
    """A damaged part of the store, which is computed again."""


class Result(NamedTuple):
    """A finished task to be stored."""

    task: Task
    outcome: Outcome
    payload: Payload | None = None


class StoredResult(NamedTuple):
    """A finished task as stored."""

    kind: str
    module: str
    outcome: Outcome
    payload: Payload | None


class Store:
    """All results of a study (or of many): an SQLite index and content-addressed files.

    Any number of processes may have the same store open. A process killed at any moment leaves a
    store in which every committed result is whole.

    Parameters
    ----------
    folder
        Created when missing, unless `readonly`.
    readonly
        Open an existing store without changing anything.

    Attributes
    ----------
    n_damaged
        Number of results that turned out to be damaged since the store was opened.

    Raises
    ------
    StudyError
        When there is none to read, when it is no store or one of a newer format, and, at the end of
        a ``with`` statement, in the place of an error of SQLite.
    """

    def __init__(self, folder: Path | str, *, readonly: bool = False) -> None:
        self.folder = Path(folder)
        self.readonly = readonly
        self.connection = connect(self.folder, readonly=readonly)
        added = added_columns(self.connection)
        self._outcome = ", ".join(added.get(name, name) for name in OUTCOME)
        self.objects = Objects(self.folder / OBJECTS)
        self.n_damaged = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        self.close()
        if isinstance(error, sqlite3.Error) and not isinstance(error, sqlite3.ProgrammingError):
            raise explained(self.folder, error) from error

    def close(self) -> None:
        """Close the index."""
        self.connection.close()

    def get(self, key: bytes) -> StoredResult | None:
        """Return the stored outcome and payload of a task; None without one."""
        row = self.connection.execute(
            f"SELECT {self._outcome}, kind, module, digest, size, inline FROM results"
            " WHERE key = ?",
            (key,),
        ).fetchone()
        if row is None:
            return None
        *outcome, kind, module, digest, size, inline = row
        payload = None if digest is None else Payload(digest, size, inline)
        return StoredResult(kind, module, self._checked(outcome), payload)

    def outcomes(self, keys: Iterable[bytes], since: float = 0.0) -> dict[bytes, Outcome]:
        """Return outcomes by key, of those recorded after `since`."""
        outcomes: dict[bytes, Outcome] = {}
        columns = f"key, created, {self._outcome}"
        for key, created, *outcome in self._rows(columns, keys):
            if type(created) is not float:
                raise DamagedRowError(self.folder, "results")
            if created >= since:
                outcomes[key] = self._checked(outcome)
        return outcomes

    def load(self, key: bytes) -> Any:
        """Return the result of a task; None when there is none or it is damaged.

        A damaged result is taken out of the store with a `StoreWarning`, so that the next run
        computes it again.
        """
        try:
            return self.read(key)
        except KeyError:
            return None
        except DamagedError as error:
            self._give_up(key, error)
            return None

    def read(self, key: bytes) -> Any:
        """Return the result of a task; raise when it is missing or damaged.

        Raises
        ------
        KeyError
            When there is none.
        DamagedError
            When it does not match its hash.
        """
        return self._put_together(self.stored(key))

    def stored(self, key: bytes) -> Bytes:
        """Return the encoded result of a task; raise as `read` does."""
        row = self.connection.execute(
            "SELECT digest, size, inline FROM results WHERE key = ?", (key,)
        ).fetchone()
        if row is None or row[0] is None:
            raise KeyError(key)
        return self.objects.read(Payload(*row))

    def load_many(
        self, keys: Iterable[bytes], is_right: Callable[[Any], bool] | None = None
    ) -> Iterator[tuple[bytes, Any]]:
        """Yield keys and results of those tasks that have one, in no particular order.

        Parameters
        ----------
        keys
            The tasks.
        is_right
            Whether a result is of the kind that these tasks give; others are treated as damaged.
        """
        for key, status, *payload in self._rows("key, status, digest, size, inline", keys):
            if payload[0] is None and status != Status.OK.value:
                continue
            try:
                found = self._put_together(self.objects.read(Payload(*payload)))
                if is_right is not None and not is_right(found):
                    raise DamagedError(f"{self.folder}: a result is not of the kind of its task")
            except DamagedError as error:
                self._give_up(key, error)
            else:
                yield key, found

    def digests(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Return hashes of stored results by key: equal hashes are equal results."""
        rows = self._rows("key, digest", keys)
        return {key: digest for key, digest in rows if digest is not None}

    def payloads(self, keys: Iterable[bytes]) -> dict[bytes, Payload]:
        """Return encoded results by key, of those tasks that have one."""
        rows = self._rows("key, digest, size, inline", keys)
        return {key: Payload(*rest) for key, *rest in rows if rest[0] is not None}

    def put(self, task: Task, outcome: Outcome, payload: Payload | None = None) -> None:
        """Record one outcome durably."""
        with self.transaction():
            self.insert([Result(task, outcome, payload)])

    def insert(self, results: Iterable[Result]) -> None:
        """Record outcomes inside the caller's transaction."""
        now = time.time()
        self.connection.executemany(_INSERT, (_row(result, now) for result in results))

    def note_host(self, name: str, facts: Mapping[str, Any]) -> None:
        """Record the facts of a machine (`machine_facts`) under its name."""
        text = json.dumps(facts, sort_keys=True)
        with self.transaction():
            self.connection.execute("INSERT OR IGNORE INTO hosts VALUES (?, ?)", (name, text))

    def hosts(self) -> list[tuple[str, dict[str, Any]]]:
        """Return names and facts of the machines; a name repeats where its facts changed."""
        if not has_hosts(self.connection):
            return []
        rows = self.connection.execute(
            "SELECT name, facts FROM hosts ORDER BY name, facts"
        ).fetchall()
        if not all(has_types(row, str, str) for row in rows):
            raise DamagedRowError(self.folder, "hosts")
        return [(name, read_facts(facts)) for name, facts in rows]

    def drop(self, keys: Sequence[bytes]) -> None:
        """Delete results, and their files where no other task shares them."""
        if self.readonly:
            return
        with self.transaction():
            for key in keys:
                row = self.connection.execute(
                    "DELETE FROM results WHERE key = ? RETURNING digest, inline IS NULL", (key,)
                ).fetchone()
                if row is not None and is_digest(row[0]) and row[1]:
                    self.objects.remove(row[0])

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Context manager of a write transaction; waits for other writers."""
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            yield
            self.connection.execute("COMMIT")
        except BaseException as error:
            # SQLite has ended the transaction itself where the disk was full.
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.OperationalError):
                raise explained(self.folder, error) from error
            raise

    def unwritable(self, cause: object) -> StudyError:
        """Return the error of a full or read-only disk."""
        return unwritable(self.folder, cause)

    def _checked(self, row: Sequence[Any]) -> Outcome:
        outcome = outcome_of(row)
        if outcome is None:
            raise DamagedRowError(self.folder, "results")
        return outcome

    def _give_up(self, key: bytes, error: DamagedError) -> None:
        """Warn of a damaged result and delete it, so that it is computed again."""
        self.n_damaged += 1
        warnings.warn(f"{error}; it will be computed again", StoreWarning, stacklevel=3)
        self.drop([key])

    def _put_together(self, stored: Bytes) -> Any:
        try:
            return decode(stored)
        except CodecError as error:
            raise DamagedError(f"{self.folder}: a result cannot be read: {error}") from error

    def _rows(self, columns: str, keys: Iterable[bytes]) -> Iterator[Any]:
        """Yield rows of the given keys, in chunks that share one prepared statement."""
        marks = ",".join("?" * _CHUNK)
        statement = f"SELECT {columns} FROM results WHERE key IN ({marks})"
        remaining = iter(keys)
        while chunk := list(islice(remaining, _CHUNK)):
            chunk.extend(chunk[-1:] * (_CHUNK - len(chunk)))
            yield from self.connection.execute(statement, chunk).fetchall()


def _row(result: Result, created: float) -> tuple[Any, ...]:
    task, outcome, payload = result
    return (
        task.key,
        task.call.kind.value,
        task.call.module,
        outcome.status.value,
        outcome.reason,
        outcome.detail,
        outcome.wall,
        outcome.cpu,
        outcome.memory,
        outcome.limits.time,
        outcome.limits.memory,
        created,
        outcome.host,
        *(payload or (None, None, None)),
        outcome.limits.cpu,
    )
