"""Merging of stores by copying rows and content-addressed files.

It goes through the source by ranges of rows. The files of a range are copied first, then its rows
in one transaction, most of it inside SQLite. A merge that is killed leaves a store in which every
result is whole, and the next one goes on from there.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from dagathlon.errors import StudyError
from dagathlon.study.store.claims import run_records
from dagathlon.study.store.conflicts import Conflict, Side
from dagathlon.study.store.index_tables import added_columns, explained, has_hosts
from dagathlon.study.store.objects import DamagedError, Payload, UnwritableError
from dagathlon.study.store.results_folder import INDEX
from dagathlon.study.store.rows import DamagedRowError, damaged_rows, status_sql
from dagathlon.study.store.store import COLUMNS, Store

RANGE = 5_000
"""Source rows per transaction."""
_LARGEST_ID = 2**63 - 1

_JOINED = """
FROM source.results AS theirs LEFT JOIN main.results AS ours ON ours.key = theirs.key
WHERE theirs.id BETWEEN ? AND ?
"""
_STATUS = {"ours": status_sql("ours.status"), "theirs": status_sql("theirs.status")}
# As in `Outcome.settles`: a stored failure falls when there was more room, and a skip always.
_BETTER = """
(ours.key IS NULL
 OR ({theirs} = 'ok' AND {ours} IN ('timeout', 'memory', 'skipped'))
 OR ({theirs} NOT IN ('ok', 'skipped') AND (
     {ours} = 'skipped'
     OR ({ours} = 'timeout' AND ours.time_limit IS NOT NULL AND {cpu_limit} IS ours.cpu_limit
         AND (theirs.time_limit IS NULL OR theirs.time_limit > ours.time_limit))
     OR ({ours} = 'timeout' AND ours.cpu_limit IS NOT NULL
         AND theirs.time_limit IS ours.time_limit
         AND ({cpu_limit} IS NULL OR {cpu_limit} > ours.cpu_limit))
     OR ({ours} = 'memory' AND ours.memory_limit IS NOT NULL
         AND (theirs.memory_limit IS NULL OR theirs.memory_limit > ours.memory_limit)))))
"""
_AT_ODDS = """
(({theirs} = 'ok' AND {ours} = 'ok' AND theirs.digest IS NOT ours.digest)
 OR ({theirs} = 'ok' AND {ours} = 'error')
 OR ({theirs} = 'error' AND {ours} = 'ok'))
""".format(**_STATUS)
# A payload that is not there, that is in the row and has its hash, or whose file has been copied.
_WHOLE = """
(theirs.digest IS NULL
 OR (theirs.inline IS NOT NULL AND sha256(theirs.inline) = theirs.digest)
 OR (theirs.inline IS NULL AND theirs.digest IN (SELECT digest FROM temp.arrived)))
"""


@dataclass
class Merged:
    """Result of a merge.

    Parameters
    ----------
    added, replaced
        Number of results that were missing in the destination, and that replaced worse ones.
    there
        Number of results that the destination had already, or had better ones for.
    files, copied
        Number of files added, and of those copied where no hard link was possible.
    conflicts
        Results on which the two disagree; the destination's are kept.
    damaged
        Descriptions of damaged results of the source, which are left out.
    running
        Whether a run was writing to the source, so that more may come.
    """

    added: int = 0
    replaced: int = 0
    there: int = 0
    files: int = 0
    copied: int = 0
    conflicts: list[Conflict] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    running: bool = False


def merge(source: Path, store: Store, told: Callable[[int, int], None] | None = None) -> Merged:
    """Add the results of another store.

    Parameters
    ----------
    source
        The folder of the other store; nothing in it is changed.
    store
        The destination.
    told
        Called with the number of source rows examined so far and their total.

    Raises
    ------
    StudyError
        When the source is no store, is damaged or of a newer format, or is the destination.
    """
    if source.resolve() == store.folder.resolve():
        raise StudyError(f"{source}: cannot be merged into itself")
    found = Merged()
    with Store(source, readonly=True) as other:
        _check(other)
        found.running = _is_used(other)
        with _attached(other, store):
            _take_in(_Merge(other, store, found), told or (lambda done, total: None))
    return found


def _check(store: Store) -> None:
    """Raise when the index has damaged pages or rows."""
    for table in damaged_rows(store.connection):
        raise DamagedRowError(store.folder, table)
    (verdict,) = store.connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise explained(store.folder, sqlite3.DatabaseError(str(verdict).splitlines()[-1]))


def _is_used(store: Store) -> bool:
    return any(record.alive for record in run_records(store))


@contextmanager
def _attached(other: Store, store: Store) -> Iterator[None]:
    """Attach the source's index to the destination's connection."""
    connection = store.connection
    address = f"{(other.folder / INDEX).resolve().as_uri()}?mode=ro"
    try:
        _attach(connection, address)
    except sqlite3.OperationalError:
        # Where no files can be made beside the index, no process writes to it.
        _attach(connection, f"{address}&immutable=1")
    try:
        connection.create_function("sha256", 1, _sha256, deterministic=True)
        connection.execute("CREATE TEMP TABLE arrived (digest BLOB PRIMARY KEY) WITHOUT ROWID")
        connection.execute("CREATE TEMP TABLE coming (id INTEGER PRIMARY KEY, fresh, whole)")
        yield
    except sqlite3.DatabaseError as error:
        raise StudyError(f"{other.folder}: cannot be merged ({error})") from error
    finally:
        connection.execute("DROP TABLE IF EXISTS temp.arrived")
        connection.execute("DROP TABLE IF EXISTS temp.coming")
        connection.execute("DETACH DATABASE source")


def _attach(connection: sqlite3.Connection, address: str) -> None:
    connection.execute("ATTACH DATABASE ? AS source", (address,))
    try:
        connection.execute("SELECT 1 FROM source.results LIMIT 1").fetchone()
    except sqlite3.OperationalError:
        connection.execute("DETACH DATABASE source")
        raise


def _sha256(content: object) -> bytes | None:
    # SQLite evaluates the parts of a condition in the order that it likes, and stores any type.
    return hashlib.sha256(content).digest() if isinstance(content, bytes) else None


def _take_in(work: _Merge, told: Callable[[int, int], None]) -> None:
    connection = work.store.connection
    (total,) = connection.execute("SELECT count(*) FROM source.results").fetchone()
    done, last = 0, None
    # Ids of a stranger's rows may be any, so ranges begin where there is a row.
    while (begin := _next_id(connection, last)) is not None:
        last = min(begin + RANGE - 1, _LARGEST_ID)
        done += work.take(begin, last)
        told(done, total)
    work.take_hosts()


def _next_id(connection: sqlite3.Connection, last: int | None) -> int | None:
    """Return the smallest id of the source, of those above `last`; None when there is none."""
    beyond, bound = ("", ()) if last is None else (" WHERE id > ?", (last,))
    statement = f"SELECT min(id) FROM source.results{beyond}"
    found: int | None = connection.execute(statement, bound).fetchone()[0]
    return found


class _Merge:
    """A merge in progress, with both stores open."""

    def __init__(self, other: Store, store: Store, found: Merged) -> None:
        self.other, self.store, self._found = other, store, found
        added = added_columns(store.connection, "source")
        self._theirs = {name: added.get(name, f"theirs.{name}") for name in COLUMNS}
        self._theirs["status"] = _STATUS["theirs"]
        self._better = _BETTER.format(cpu_limit=self._theirs["cpu_limit"], **_STATUS)

    def take(self, first: int, last: int) -> int:
        """Merge the rows of a range; return how many it has."""
        self._take_files(first, last)
        with self.store.transaction():
            return self._take_rows(first, last)

    def take_hosts(self) -> None:
        """Merge the facts of machines."""
        if has_hosts(self.store.connection, "source"):
            with self.store.transaction():
                self.store.connection.execute(
                    "INSERT OR IGNORE INTO main.hosts SELECT name, facts FROM source.hosts"
                )

    def _take_files(self, first: int, last: int) -> None:
        """Copy the files of a range, before any row that names them."""
        connection = self.store.connection
        wanted = connection.execute(
            f"SELECT DISTINCT theirs.digest, theirs.size {_JOINED} AND {self._better}"
            " AND theirs.digest IS NOT NULL AND theirs.inline IS NULL",
            (first, last),
        ).fetchall()
        connection.execute("DELETE FROM temp.arrived")
        for digest, size in wanted:
            payload = Payload(digest, size, None)
            try:
                linked = self.store.objects.receive(self.other.objects, payload)
            except DamagedError as error:
                self._found.damaged.append(str(error))
                continue
            except UnwritableError as error:
                raise self.store.unwritable(error) from error
            connection.execute("INSERT INTO temp.arrived VALUES (?)", (digest,))
            self._found.files += linked is not None
            self._found.copied += linked is False

    def _take_rows(self, first: int, last: int) -> int:
        connection, merged = self.store.connection, self._found
        connection.execute("DELETE FROM temp.coming")
        connection.execute(
            "INSERT INTO temp.coming"
            f" SELECT theirs.id, ours.key IS NULL, {_WHOLE} {_JOINED} AND {self._better}",
            (first, last),
        )
        rows, at_odds = connection.execute(
            f"SELECT count(*), total({_AT_ODDS}) {_JOINED}", (first, last)
        ).fetchone()
        if at_odds:
            merged.conflicts += self._conflicts(first, last)
        merged.damaged += self._broken()
        better, added, whole = connection.execute(
            "SELECT count(*), total(fresh AND whole), total(whole) FROM temp.coming"
        ).fetchone()
        if whole:
            theirs = (self._theirs[name] for name in COLUMNS)
            connection.execute(
                f"INSERT OR REPLACE INTO main.results ({', '.join(COLUMNS)})"
                f" SELECT {', '.join(theirs)} FROM temp.coming"
                " JOIN source.results AS theirs USING (id) WHERE whole"
            )
        merged.added += int(added)
        merged.replaced += int(whole - added)
        merged.there += rows - better - int(at_odds)
        return int(rows)

    def _broken(self) -> Iterator[str]:
        """Yield results in the index whose content does not have its hash."""
        rows = self.store.connection.execute(
            "SELECT kind, module, hex(key) FROM temp.coming JOIN source.results USING (id)"
            " WHERE NOT whole AND inline IS NOT NULL"
        ).fetchall()
        for kind, module, key in rows:
            yield f"{kind} {module} {key[:12].lower()} does not match its hash"

    def _conflicts(self, first: int, last: int) -> Iterator[Conflict]:
        sides = ", ".join(
            f"{_STATUS[side]}, {side}.reason, {host}, {side}.digest, {side}.created"
            for side, host in (("ours", "ours.host"), ("theirs", self._theirs["host"]))
        )
        rows = self.store.connection.execute(
            f"SELECT theirs.key, theirs.kind, theirs.module, {sides} {_JOINED} AND {_AT_ODDS}",
            (first, last),
        ).fetchall()
        for key, kind, module, *both in rows:
            yield Conflict(key, kind, module, Side(*both[:5]), Side(*both[5:]))
