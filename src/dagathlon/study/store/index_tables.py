"""The tables of a store's index and how older ones are brought up to date."""

from __future__ import annotations

import fcntl
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dagathlon.errors import StudyError

INDEX = "index.sqlite"
BUSY_SECONDS = 60.0

_RESULTS = """
CREATE TABLE results (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    module TEXT NOT NULL,
    status TEXT NOT NULL,
    reason TEXT NOT NULL,
    detail TEXT NOT NULL,
    wall REAL NOT NULL,
    cpu REAL NOT NULL,
    memory INTEGER NOT NULL,
    time_limit REAL,
    memory_limit INTEGER,
    created REAL NOT NULL,
    digest BLOB,
    size INTEGER,
    inline BLOB
)
"""

_RUNS = """
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    pid INTEGER NOT NULL,
    started TEXT NOT NULL,
    began REAL NOT NULL,
    ended REAL,
    progress TEXT NOT NULL DEFAULT '{}'
)
"""

_CLAIMS = """
CREATE TABLE claims (
    key BLOB PRIMARY KEY,
    run INTEGER NOT NULL
) WITHOUT ROWID
"""

_LEASES = """
CREATE TABLE leases (
    run INTEGER PRIMARY KEY,
    host TEXT NOT NULL,
    place TEXT NOT NULL,
    beats INTEGER NOT NULL,
    beat REAL NOT NULL,
    term REAL NOT NULL
)
"""

_HOST = "ALTER TABLE results ADD COLUMN host TEXT NOT NULL DEFAULT ''"

# Two machines may have one name, and one machine other versions than last year.
_HOSTS = """
CREATE TABLE hosts (
    name TEXT NOT NULL,
    facts TEXT NOT NULL,
    PRIMARY KEY (name, facts)
) WITHOUT ROWID
"""

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (_RESULTS, _RUNS, _CLAIMS),
    (_LEASES,),
    (_HOST, _HOSTS),
)
"""What each version adds to the one before; a store's version is the number of steps it has had."""


def connect(folder: Path, *, readonly: bool) -> sqlite3.Connection:
    """Open the index, made or migrated first unless it is only read."""
    path = folder / INDEX
    if readonly:
        if not path.is_file():
            raise StudyError(f"{folder}: there is no store here (no {INDEX})")
        return _opened_to_read(path)
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder):
        connection = _opened(f"{path.resolve().as_uri()}?mode=rwc")
        _check_version(connection, folder)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA wal_autocheckpoint = 4000")
        _migrate(connection)
    return connection


def connect_again(folder: Path) -> sqlite3.Connection:
    """One more connection to an index that this process has made or migrated before."""
    return _opened(f"{(folder / INDEX).resolve().as_uri()}?mode=rw")


def _opened_to_read(path: Path) -> sqlite3.Connection:
    """Open an index that others may be writing to, or that lies where nothing can be written."""
    address = f"{path.resolve().as_uri()}?mode=ro"
    connection = _opened(address)
    try:
        version_of(connection)
    except sqlite3.OperationalError:
        # Readers of a WAL index make files beside it; where they cannot, nobody writes either.
        connection.close()
        connection = _opened(f"{address}&immutable=1")
    except sqlite3.DatabaseError:
        pass  # no index at all, which is said below
    _check_version(connection, path.parent)
    return connection


def _opened(address: str) -> sqlite3.Connection:
    return sqlite3.connect(address, timeout=BUSY_SECONDS, isolation_level=None, uri=True)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other processes from making or migrating the index at the same moment."""
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def version_of(connection: sqlite3.Connection, schema: str = "main") -> int:
    """The format of an index; one that is only read may be older than those that are made now."""
    return int(connection.execute(f"PRAGMA {schema}.user_version").fetchone()[0])


def has_hosts(connection: sqlite3.Connection, schema: str = "main") -> bool:
    """Whether the index says on which machines results were made."""
    return version_of(connection, schema) > MIGRATIONS.index((_HOST, _HOSTS))


def _check_version(connection: sqlite3.Connection, folder: Path) -> None:
    try:
        found = version_of(connection)
    except sqlite3.DatabaseError as error:
        raise StudyError(
            f"{folder / INDEX}: not a store ({error}); move it away and run again"
        ) from None
    if found > len(MIGRATIONS):
        raise StudyError(
            f"{folder}: the store has format {found}, this version of dagathlon knows formats up "
            f"to {len(MIGRATIONS)}; use a newer dagathlon or another folder"
        )


def _migrate(connection: sqlite3.Connection) -> None:
    for version in range(version_of(connection), len(MIGRATIONS)):
        connection.execute("BEGIN IMMEDIATE")
        for statement in MIGRATIONS[version]:
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {version + 1}")
        connection.execute("COMMIT")
