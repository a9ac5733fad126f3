"""Tables of a store's index: creation, migration, validation, opening."""

from __future__ import annotations

import fcntl
import functools
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from dagathlon.errors import StudyError
from dagathlon.study.store.results_folder import INDEX, LOCK, check_store, open_file

BUSY_SECONDS = 60.0
# Since SQLite 3.37 a table refuses values of other types than it declares.
_STRICT = sqlite3.sqlite_version_info >= (3, 37)

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

_CPU_LIMIT = "ALTER TABLE results ADD COLUMN cpu_limit REAL"

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (_RESULTS, _RUNS, _CLAIMS),
    (_LEASES,),
    (_HOST, _HOSTS),
    (_CPU_LIMIT,),
    # Statuses may be words where they were codes (`FORMER_STATUSES`): earlier versions of this
    # program, which would call such rows damaged, refuse the store.
    (),
)
"""SQL of each format version; a store's version is the number of steps applied."""


def connect(folder: Path, *, readonly: bool) -> sqlite3.Connection:
    """Open the index; create or migrate it first unless `readonly`.

    Raises
    ------
    StudyError
        When there is no index, or its tables are not those of a store.
    """
    path = folder / INDEX
    if readonly and not path.is_file():
        raise StudyError(f"{folder}: there is no store here (no {INDEX})")
    if not readonly:
        folder.mkdir(parents=True, exist_ok=True)
    check_store(folder)
    try:
        if readonly:
            return _opened_to_read(path)
        with _alone(folder):
            return _opened_to_write(path)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        # What SQLite says of a damaged declaration quotes it, whatever its bytes are.
        raise explained(folder, error) from error


def connect_again(folder: Path) -> sqlite3.Connection:
    """Open another connection to an index that this process has created or migrated."""
    return _opened(f"{(folder / INDEX).resolve().as_uri()}?mode=rw")


def explained(folder: Path, error: sqlite3.Error | UnicodeDecodeError) -> StudyError:
    """Return an SQLite error as a message with the remedy."""
    name = getattr(error, "sqlite_errorname", None) or ""
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StudyError(f"{folder / INDEX}: other programs keep it locked ({error}); try again")
    if name.startswith(_OF_THE_DISK):
        return unwritable(folder, error)
    if name == "SQLITE_NOTADB":
        return _no_store(folder, str(error))
    return StudyError(
        f"{folder / INDEX}: the index is damaged ({error}); dagathlon store verify --repair takes "
        "damaged rows out. If that ends with this message, move the file away and run the study "
        "again, which computes all results again, or merge a copy of the results from elsewhere"
    )


_OF_THE_DISK = ("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")


def unwritable(folder: Path, cause: object) -> StudyError:
    """Return the error of a full or read-only disk."""
    return StudyError(
        f"{folder}: the store cannot be written ({cause}); what was finished is "
        "safe, run the same command again when the cause is gone"
    )


def _opened_to_write(path: Path) -> sqlite3.Connection:
    """Open an index for writing, created or migrated first."""
    connection = _opened(f"{path.resolve().as_uri()}?mode=rwc")
    try:
        _check(connection, path.parent, of_use=False)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA wal_autocheckpoint = 4000")
        if _migrate(connection):
            # In the file itself from now on, whatever becomes of the log beside it.
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    except BaseException:
        connection.close()
        raise
    return connection


def _opened_to_read(path: Path) -> sqlite3.Connection:
    """Open an index read-only, on a read-only disk as well."""
    address = f"{path.resolve().as_uri()}?mode=ro"
    connection = _opened(address)
    try:
        version_of(connection)
    except sqlite3.OperationalError:
        # Readers of a WAL index make files beside it; where they cannot, no process writes either.
        connection.close()
        connection = _opened(f"{address}&immutable=1")
    except sqlite3.DatabaseError:
        pass  # no index at all, which is said below
    try:
        _check(connection, path.parent, of_use=True)
    except BaseException:
        connection.close()
        raise
    return connection


def _opened(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(address, timeout=BUSY_SECONDS, isolation_level=None, uri=True)
    # Nothing in a stranger's file is run, and its pages are checked when they are read.
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    return connection


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Lock out other processes that would create or migrate the index."""
    with open(open_file(folder, LOCK, flags=os.O_WRONLY | os.O_CREAT), "wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def version_of(connection: sqlite3.Connection, schema: str = "main") -> int:
    """Return the format version of an index; one opened read-only may be older."""
    return int(connection.execute(f"PRAGMA {schema}.user_version").fetchone()[0])


def has_leases(connection: sqlite3.Connection) -> bool:
    """Whether the index has leases; without them all its runs have ended."""
    return version_of(connection) > MIGRATIONS.index((_LEASES,))


def has_hosts(connection: sqlite3.Connection, schema: str = "main") -> bool:
    """Whether the index records the machines of results."""
    return version_of(connection, schema) > MIGRATIONS.index((_HOST, _HOSTS))


def added_columns(connection: sqlite3.Connection, schema: str = "main") -> dict[str, str]:
    """Return SQL defaults of columns that an older, read-only index lacks."""
    columns = {} if has_hosts(connection, schema) else {"host": "''"}
    if version_of(connection, schema) <= MIGRATIONS.index((_CPU_LIMIT,)):
        columns["cpu_limit"] = "NULL"
    return columns


def _check(connection: sqlite3.Connection, folder: Path, *, of_use: bool) -> None:
    """Raise when an index has another format, is damaged or has unexpected tables.

    With `of_use`, one without tables is refused too.
    """
    version, tables = version_of(connection), _tables(connection)
    if version > len(MIGRATIONS):
        raise StudyError(
            f"{folder}: the store has format {version}, this version of dagathlon knows formats up "
            f"to {len(MIGRATIONS)}; use a newer dagathlon or another folder"
        )
    if tables != _expected(MIGRATIONS[:version]):
        raise _no_store(folder, "its tables are not those of a store")
    if of_use and not version:
        raise StudyError(
            f"{folder}: the store is empty, since what was to make it ended too early or its index "
            "was cut; run the study again"
        )


def _no_store(folder: Path, reason: str) -> StudyError:
    return StudyError(f"{folder / INDEX}: not a store ({reason}); move it away and run again")


def _tables(connection: sqlite3.Connection) -> set[tuple[str, str, str]]:
    """Return kind, name and statement of everything that an index declares.

    Stores of older versions have the same tables without the word that makes them strict.
    """
    rows = connection.execute("SELECT type, name, sql FROM sqlite_schema").fetchall()
    return {(str(kind), str(name), _plain(str(sql))) for kind, name, sql in rows}


def _plain(statement: str) -> str:
    words = " ".join(statement.split())
    return words.removesuffix("STRICT").rstrip(" ,")


@functools.cache
def _expected(steps: tuple[tuple[str, ...], ...]) -> set[tuple[str, str, str]]:
    """Return what an index declares after these steps of `MIGRATIONS`."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for statement in (statement_text for step in steps for statement_text in step):
            connection.execute(statement)
        return _tables(connection)


def _strict(statement: str) -> str:
    """Append STRICT to a CREATE TABLE statement where SQLite supports it."""
    if not _STRICT or not statement.lstrip().startswith("CREATE TABLE"):
        return statement
    text = statement.rstrip()
    return f"{text}{',' if text.endswith('WITHOUT ROWID') else ''} STRICT"


def _migrate(connection: sqlite3.Connection) -> bool:
    """Apply missing migrations; return whether any was."""
    before = version_of(connection)
    for version in range(before, len(MIGRATIONS)):
        connection.execute("BEGIN IMMEDIATE")
        for statement in MIGRATIONS[version]:
            connection.execute(_strict(statement))
        connection.execute(f"PRAGMA user_version = {version + 1}")
        connection.execute("COMMIT")
    return before < len(MIGRATIONS)
