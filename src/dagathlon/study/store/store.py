"""The store: every outcome by its task's key, in one folder that nothing can leave half-written."""

from __future__ import annotations

import json
import sqlite3
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Self

from dagathlon.errors import StudyError
from dagathlon.study.plan.task import Limits, Outcome, Status, Task
from dagathlon.study.store.codec import Bytes, CodecError, decode
from dagathlon.study.store.index_tables import connect, has_hosts
from dagathlon.study.store.machine import read_facts
from dagathlon.study.store.objects import DamagedError, Objects, Payload

_CHUNK = 500
_OUTCOME = "status, reason, detail, wall, cpu, memory, time_limit, memory_limit"
COLUMNS = (
    *("key", "kind", "module", "status", "reason", "detail", "wall", "cpu", "memory"),
    *("time_limit", "memory_limit", "created", "host", "digest", "size", "inline"),
)
"""What the index has of a result, beside the number of its row."""

_INSERT = (
    f"INSERT OR REPLACE INTO results ({', '.join(COLUMNS)})"
    f" VALUES ({', '.join('?' * len(COLUMNS))})"
)


_NOWHERE = "''"  # what a store says of hosts that was made before they were recorded


class StoreWarning(UserWarning):
    """Something in the store was damaged; it is computed again."""


class Result(NamedTuple):
    """A finished task as it goes into the store."""

    task: Task
    outcome: Outcome
    payload: Payload | None = None


class StoredResult(NamedTuple):
    """A finished task as it comes out of the store."""

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
        Made when it is not there, unless `readonly`.
    readonly
        Open an existing store without changing anything.
    """

    def __init__(self, folder: Path | str, *, readonly: bool = False) -> None:
        self.folder = Path(folder)
        self.readonly = readonly
        self.connection = connect(self.folder, readonly=readonly)
        self._outcome = f"{_OUTCOME}, {'host' if has_hosts(self.connection) else _NOWHERE}"
        self.objects = Objects(self.folder / "objects")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the index; results are safe without it."""
        self.connection.close()

    def get(self, key: bytes) -> StoredResult | None:
        """What is known of one task."""
        row = self.connection.execute(
            f"SELECT {self._outcome}, kind, module, digest, size, inline FROM results"
            " WHERE key = ?",
            (key,),
        ).fetchone()
        if row is None:
            return None
        *outcome, kind, module, digest, size, inline = row
        payload = None if digest is None else Payload(digest, size, inline)
        return StoredResult(kind, module, _outcome(outcome), payload)

    def outcomes(self, keys: Iterable[bytes], since: float = 0.0) -> dict[bytes, Outcome]:
        """Outcomes of many tasks at once, of those that have one recorded after `since`."""
        found: dict[bytes, Outcome] = {}
        columns = f"key, created, {self._outcome}"
        for key, created, *outcome in self._rows(columns, keys):
            if created >= since:
                found[key] = _outcome(outcome)
        return found

    def load(self, key: bytes) -> Any:
        """The result of one task; None when there is none, or when it turns out to be damaged.

        A damaged result is taken out of the store with a `StoreWarning`, so that the next run
        computes it again.
        """
        try:
            return self.read(key)
        except KeyError:
            return None
        except DamagedError as error:
            warnings.warn(f"{error}; it will be computed again", StoreWarning, stacklevel=2)
            self.drop([key])
            return None

    def read(self, key: bytes) -> Any:
        """The result of one task.

        Raises
        ------
        KeyError
            When there is none.
        DamagedError
            When it does not have the content it had.
        """
        return self._put_together(self.stored(key))

    def stored(self, key: bytes) -> Bytes:
        """The result of one task as bytes, which any machine can decode; raises as `read` does."""
        row = self.connection.execute(
            "SELECT digest, size, inline FROM results WHERE key = ?", (key,)
        ).fetchone()
        if row is None or row[0] is None:
            raise KeyError(key)
        return self.objects.read(Payload(*row))

    def load_many(self, keys: Iterable[bytes]) -> Iterator[tuple[bytes, Any]]:
        """Results of many tasks, of those that have one, in no particular order."""
        for key, digest, size, inline in self._rows("key, digest, size, inline", keys):
            if digest is None:
                continue
            try:
                yield key, self._put_together(self.objects.read(Payload(digest, size, inline)))
            except DamagedError:
                self.load(key)

    def digests(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Hashes of the stored results, by key: equal hashes are equal results."""
        rows = self._rows("key, digest", keys)
        return {key: digest for key, digest in rows if digest is not None}

    def payloads(self, keys: Iterable[bytes]) -> dict[bytes, Payload]:
        """Results of many tasks in their stored form, of those that have one, by key."""
        rows = self._rows("key, digest, size, inline", keys)
        return {key: Payload(*rest) for key, *rest in rows if rest[0] is not None}

    def put(self, task: Task, outcome: Outcome, payload: Payload | None = None) -> None:
        """Record one outcome; it is safe when this returns."""
        with self.transaction():
            self.insert([Result(task, outcome, payload)])

    def insert(self, results: Iterable[Result]) -> None:
        """Record outcomes inside a transaction that the caller has begun."""
        now = time.time()
        self.connection.executemany(_INSERT, (_row(result, now) for result in results))

    def note_host(self, name: str, facts: Mapping[str, Any]) -> None:
        """Record what there is to know of a machine (`machine_facts`), under its name."""
        said = json.dumps(facts, sort_keys=True)
        with self.transaction():
            self.connection.execute("INSERT OR IGNORE INTO hosts VALUES (?, ?)", (name, said))

    def hosts(self) -> list[tuple[str, dict[str, Any]]]:
        """The machines that results were made on; a name has several facts where they changed."""
        if not has_hosts(self.connection):
            return []
        rows = self.connection.execute("SELECT name, facts FROM hosts ORDER BY name, facts")
        return [(name, read_facts(facts)) for name, facts in rows]

    def drop(self, keys: Sequence[bytes]) -> None:
        """Forget results and, where no other task shares them, their files."""
        if self.readonly:
            return
        with self.transaction():
            for key in keys:
                row = self.connection.execute(
                    "DELETE FROM results WHERE key = ? RETURNING digest, inline IS NULL", (key,)
                ).fetchone()
                if row is not None and row[0] is not None and row[1]:
                    self.objects.path(row[0]).unlink(missing_ok=True)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing; waits for other processes that are writing."""
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self.connection.execute("ROLLBACK")
                raise
            self.connection.execute("COMMIT")
        except sqlite3.OperationalError as error:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise self.unwritable(error) from error

    def unwritable(self, cause: object) -> StudyError:
        """What to say when the disk is full or read-only."""
        return StudyError(
            f"{self.folder}: the store cannot be written ({cause}); what was finished is "
            "safe, run the same command again when the cause is gone"
        )

    def _put_together(self, stored: Bytes) -> Any:
        try:
            return decode(stored)
        except CodecError as error:
            raise DamagedError(f"{self.folder}: a result cannot be read: {error}") from error

    def _rows(self, columns: str, keys: Iterable[bytes]) -> Iterator[Any]:
        """Rows of the given keys, in chunks that one prepared statement serves."""
        marks = ",".join("?" * _CHUNK)
        statement = f"SELECT {columns} FROM results WHERE key IN ({marks})"
        remaining = iter(keys)
        while chunk := list(islice(remaining, _CHUNK)):
            chunk.extend(chunk[-1:] * (_CHUNK - len(chunk)))
            yield from self.connection.execute(statement, chunk).fetchall()


def _outcome(row: Sequence[Any]) -> Outcome:
    status, reason, detail, wall, cpu, memory, time_limit, memory_limit, host = row
    limits = _NO_LIMITS if time_limit is memory_limit is None else Limits(time_limit, memory_limit)
    return Outcome(_STATUS[status], reason, detail, wall, cpu, memory, limits, host)


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
    )


_NO_LIMITS = Limits()
_STATUS = {status.value: status for status in Status}
