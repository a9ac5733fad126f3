"""Validation of index rows, which may be damaged or untrusted.

SQLite checks types when a row is written, and only in strict tables; a file can hold anything.
"""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import NoneType
from typing import Any

from dagathlon.errors import StudyError
from dagathlon.study.plan.task import FORMER_STATUSES, Limits, Outcome, Status
from dagathlon.study.store.results_folder import DIGEST_BYTES

OUTCOME = (
    *("status", "reason", "detail", "wall", "cpu", "memory", "time_limit", "memory_limit"),
    *("host", "cpu_limit"),
)
"""Columns of an `Outcome` in the table of results."""
_NO_LIMITS = Limits()
_STATUS = {status.value: status for status in Status} | FORMER_STATUSES
_OUTCOMES = {
    (str, str, str, float, float, int, time, memory, str, cpu)
    for time, memory, cpu in itertools.product(
        (float, NoneType), (int, NoneType), (float, NoneType)
    )
}
_STORED_AS = {"INTEGER": "integer", "REAL": "real", "TEXT": "text", "BLOB": "blob"}
_FURTHER = {
    "results": (
        f"status IN ({', '.join(map(repr, _STATUS))})",
        "length(key) > 0",
        f"(digest IS NULL OR (length(digest) = {DIGEST_BYTES} AND size IS NOT NULL))",
        "(digest IS NOT NULL OR status != 'ok')",
    ),
    "runs": ("id > 0", "pid > 0"),
    "claims": ("run > 0",),
}


class DamagedRowError(StudyError):
    """An index row whose values have wrong types."""

    def __init__(self, folder: Path, table: str) -> None:
        super().__init__(
            f"{folder}: the index has a damaged row in its table {table}; dagathlon store verify "
            f"--repair {folder} removes damaged rows, and the next run computes them again"
        )


def outcome_of(row: Sequence[Any]) -> Outcome | None:
    """Return the outcome that the columns `OUTCOME` give; None where they are damaged."""
    status, reason, detail, wall, cpu, memory, time_limit, memory_limit, host, cpu_limit = row
    if tuple(map(type, row)) not in _OUTCOMES or status not in _STATUS:
        return None
    limits = _NO_LIMITS
    if not time_limit is memory_limit is cpu_limit is None:
        limits = Limits(time_limit, memory_limit, cpu_limit)
    return Outcome(_STATUS[status], reason, detail, wall, cpu, memory, limits, host)


def status_sql(column: str) -> str:
    """Return an SQL expression for a column of statuses, former codes translated to words."""
    cases = " ".join(f"WHEN '{code}' THEN '{now.value}'" for code, now in FORMER_STATUSES.items())
    return f"(CASE {column} {cases} ELSE {column} END)"


def has_types(row: Sequence[Any], *types: type | tuple[type, ...]) -> bool:
    """Whether the values of a row are of exactly these types, None being a type too."""
    return all(
        type(value) in (kind if isinstance(kind, tuple) else (kind,))
        for value, kind in zip(row, types, strict=True)
    )


def damaged_rows(connection: sqlite3.Connection) -> dict[str, int]:
    """Return how many rows of each table are damaged, of those tables that have any."""
    counts = {}
    for table, damaged in _conditions(connection):
        (count,) = connection.execute(f"SELECT count(*) FROM {table} WHERE {damaged}").fetchone()
        if count:
            counts[table] = count
    return counts


def remove_damaged_rows(connection: sqlite3.Connection) -> None:
    """Delete the rows that `damaged_rows` counts."""
    for table, damaged in _conditions(connection):
        connection.execute(f"DELETE FROM {table} WHERE {damaged}")


def _conditions(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return, for each table, the condition that a row is damaged."""
    (encoding,) = connection.execute("PRAGMA encoding").fetchone()
    connection.create_function("is_text", 1, partial(_is_text, encoding), deterministic=True)
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    conditions = []
    for (table,) in tables:
        columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
        right = [_right(name, kind, needed or key) for _, name, kind, needed, _, key in columns]
        # A comparison with NULL is neither true nor false.
        right += (f"coalesce({column}, 0)" for column in _FURTHER.get(table, ()))
        conditions.append((table, f"NOT ({' AND '.join(right)})"))
    return conditions


def _right(name: str, kind: str, needed: int) -> str:
    types = [_STORED_AS[kind], *([] if needed else ["null"])]
    right = f"typeof({name}) IN ({', '.join(map(repr, types))})"
    return f"{right} AND is_text(CAST({name} AS BLOB))" if kind == "TEXT" else right


def _is_text(encoding: str, content: bytes | None) -> bool:
    """Whether bytes declared as text can be decoded; SQLite does not check that."""
    try:
        (content or b"").decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
