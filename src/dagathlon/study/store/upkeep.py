"""Upkeep of a store: statistics, verification, garbage collection."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Collection, Iterator
from typing import NamedTuple

from dagathlon.errors import StudyError
from dagathlon.study.plan.task import Status
from dagathlon.study.store.claims import run_records
from dagathlon.study.store.codec import CodecError, decode
from dagathlon.study.store.index_tables import explained
from dagathlon.study.store.objects import DamagedError, Payload
from dagathlon.study.store.results_folder import INDEX, SCRATCH, remove_folder
from dagathlon.study.store.rows import (
    DamagedRowError,
    damaged_rows,
    has_types,
    remove_damaged_rows,
    status_sql,
)
from dagathlon.study.store.store import Store


class Size(NamedTuple):
    """Number of results, and bytes of index and files."""

    results: int
    index_bytes: int
    files: int
    file_bytes: int


class Freed(NamedTuple):
    """Amount that garbage collection removed."""

    results: int
    files: int
    file_bytes: int


class Damage(NamedTuple):
    """A damaged result or part of the index.

    Parameters
    ----------
    place
        The result's task, or the part of the index.
    problem
        What is wrong.
    key
        Key of the result's task; empty for a part of the index.
    """

    place: str
    problem: str
    key: bytes = b""


class Count(NamedTuple):
    """Number of tasks with one kind, module and status, and their mean wall-clock time."""

    kind: str
    module: str
    status: str
    number: int
    mean_wall: float


def size(store: Store) -> Size:
    """Return numbers of results, files and bytes."""
    (results,) = store.connection.execute("SELECT count(*) FROM results").fetchone()
    index = sum(path.lstat().st_size for path in store.folder.glob(f"{INDEX}*"))
    sizes = [path.lstat().st_size for _, path in store.objects.files()]
    return Size(results, index, len(sizes), sum(sizes))


def counts(store: Store) -> list[Count]:
    """Count stored outcomes by kind, module and status."""
    rows = store.connection.execute(
        f"SELECT kind, module, {status_sql('status')} AS ended, count(*), avg(wall) FROM results"
        " GROUP BY kind, module, ended ORDER BY kind, module, ended"
    ).fetchall()
    for row in rows:
        if not has_types(row, str, str, str, int, float) or row[2] not in _STATUSES:
            raise DamagedRowError(store.folder, "results")
    return [Count(*row) for row in rows]


def verify(store: Store, *, repair: bool = False) -> list[Damage]:
    """Check the index, then compare every result with its hash.

    Parameters
    ----------
    store
        The store.
    repair
        Remove damaged rows and results, so that the next run computes them again.

    Raises
    ------
    StudyError
        When the index file is so damaged that nothing can be removed.
    """
    damages = _damaged_index(store, repair=repair)
    if damages and not repair:
        return damages
    damaged = list(_damaged(store))
    if repair:
        store.drop([damage.key for damage in damaged])
    return damages + damaged


def _damaged_index(store: Store, *, repair: bool) -> list[Damage]:
    """Find damaged rows and inconsistent pages of the index; remove or rebuild with `repair`."""
    connection = store.connection
    rows = damaged_rows(connection)
    damages = [Damage(f"table {name}", f"damaged rows: {count:,}") for name, count in rows.items()]
    if damages and repair:
        with store.transaction():
            remove_damaged_rows(connection)
    if (problem := _contradiction(store)) and not (damages and not repair):
        if repair:
            connection.execute("REINDEX")
            if again := _contradiction(store):
                raise explained(store.folder, sqlite3.DatabaseError(again))
        damages.append(Damage(INDEX, problem))
    return damages


def _contradiction(store: Store) -> str:
    """Return the first error of SQLite's integrity check; empty when there is none."""
    (verdict,) = store.connection.execute("PRAGMA integrity_check(1)").fetchone()
    return "" if verdict == "ok" else str(verdict).splitlines()[-1]


def _damaged(store: Store) -> Iterator[Damage]:
    rows = store.connection.execute(
        "SELECT key, kind, module, digest, size, inline FROM results WHERE digest IS NOT NULL"
    )
    for key, kind, module, *payload in rows:
        try:
            decode(store.objects.read(Payload(*payload)))
        except (DamagedError, CodecError) as error:
            yield Damage(f"{kind} {module} {key.hex()[:12]}", str(error), key)


def gc(store: Store, keep: Collection[bytes] | None = None) -> Freed:
    """Garbage-collect results and files that are not needed.

    Parameters
    ----------
    store
        A store that no run is using.
    keep
        Keys of the tasks to keep; None keeps all, and removes only unreferenced files.
    """
    working = next((record for record in run_records(store) if record.alive), None)
    if working is not None:
        raise StudyError(
            f"{store.folder}: process {working.pid} on {working.host} is using the store; "
            "wait until it has ended"
        )
    dropped = 0
    with store.transaction():
        if keep is not None:
            needed = set(keep)
            keys = [key for (key,) in store.connection.execute("SELECT key FROM results")]
            gone = [(key,) for key in keys if key not in needed]
            store.connection.executemany("DELETE FROM results WHERE key = ?", gone)
            dropped = len(gone)
        store.connection.execute("DELETE FROM claims")
        rows = store.connection.execute("SELECT digest FROM results WHERE inline IS NULL")
        used = {digest for (digest,) in rows}
    unused = [path for digest, path in store.objects.files() if digest not in used]
    freed = 0
    for path in [*unused, *store.objects.leftovers()]:
        with contextlib.suppress(FileNotFoundError):
            freed += path.stat().st_size
            path.unlink()
    remove_folder(store.folder, SCRATCH)
    store.connection.execute("VACUUM")
    store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return Freed(dropped, len(unused), freed)


_STATUSES = {status.value for status in Status}
