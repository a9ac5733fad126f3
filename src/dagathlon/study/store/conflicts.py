"""Conflicts of two stores: different results under one task key."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from dagathlon.errors import StudyError
from dagathlon.study.store.results_folder import read_file, write_file

CONFLICTS = "conflicts.json"


class Side(NamedTuple):
    """One store's result of the task.

    Parameters
    ----------
    status, reason
        How it ended.
    host
        Name of the machine; empty when not recorded.
    digest
        Hash of the result; None when there is none.
    created
        Time of the result, in seconds since 1970.
    """

    status: str
    reason: str
    host: str
    digest: bytes | None
    created: float

    def words(self) -> str:
        """Describe the side in one line."""
        content = "" if self.digest is None else f" {self.digest.hex()[:12]}"
        why = f" ({self.reason})" if self.reason else ""
        return (
            f"{self.status}{content}{why} on {self.host or 'a machine not recorded'}, {self.when}"
        )

    @property
    def when(self) -> str:
        """Time of the result, as text."""
        return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(self.created))

    def to_json(self) -> dict[str, Any]:
        """Return JSON for the file of conflicts."""
        digest = None if self.digest is None else self.digest.hex()
        fields = {"status": self.status, "reason": self.reason, "host": self.host}
        return fields | {"digest": digest, "when": self.when}


class Conflict(NamedTuple):
    """A task with the result that is kept and the one that is rejected."""

    key: bytes
    kind: str
    module: str
    kept: Side
    other: Side

    def words(self) -> str:
        """Describe both sides for a terminal."""
        return (
            f"{self.kind} {self.module} {self.key.hex()[:12]}\n"
            f"  kept:  {self.kept.words()}\n  other: {self.other.words()}"
        )

    def to_json(self) -> dict[str, Any]:
        """Return JSON for the file of conflicts."""
        named = {"key": self.key.hex(), "kind": self.kind, "module": self.module}
        return named | {"kept": self.kept.to_json(), "other": self.other.to_json()}


def note_conflicts(folder: Path, conflicts: Sequence[Conflict]) -> Path:
    """Add conflicts to the file in a folder of results, without repetition."""
    path = folder / CONFLICTS
    entries = [*_noted(path), *(conflict.to_json() for conflict in conflicts)]
    text = json.dumps({"format": 1, "conflicts": _once(entries)}, indent=1, ensure_ascii=False)
    write_file(path, f"{text}\n".encode("utf-8", "surrogatepass"))
    return path


def _once(entries: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return list({json.dumps(entry, sort_keys=True): entry for entry in entries}.values())


def _noted(path: Path) -> list[dict[str, Any]]:
    try:
        entries = json.loads(read_file(path.parent, path.name))["conflicts"]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        entries = None
    if not isinstance(entries, list):
        raise StudyError(f"{path}: is no list of conflicts; move it away and merge again")
    return entries
