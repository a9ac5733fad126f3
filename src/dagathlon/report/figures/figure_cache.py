"""Which pictures a folder has, and of what: what has not changed is not painted again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from dagathlon.report.figures.vega_worker import SCALE, VEGA_LITE
from dagathlon.report.files import write_bytes

RECORD = "figures.json"


def digest_of(request: Mapping[str, Any]) -> str:
    """Return the hash of a request; equal requests give equal pictures."""
    text = json.dumps([request, VEGA_LITE, SCALE, painter_version()])
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


@lru_cache(maxsize=1)
def painter_version() -> str:
    """Return the version of the rendering library."""
    try:
        return version("vl-convert-python")
    except PackageNotFoundError:
        return ""


class Drawn:
    """Record of the pictures in a folder, with the hash of the request of each.

    Parameters
    ----------
    folder
        Where the record is kept; None keeps none.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._before = {} if folder is None else _read(folder / RECORD)
        self._now: dict[str, str] = {}

    def has(self, paths: Sequence[Path], digest: str) -> bool:
        """Return whether all these pictures exist and were made from this request."""
        names = self._names(paths)
        if not names or any(self._before.get(name) != digest for name in names):
            return False
        return all(path.is_file() for path in paths)

    def note(self, paths: Sequence[Path], digest: str) -> None:
        """Record that these pictures are made from the request."""
        self._now |= dict.fromkeys(self._names(paths), digest)

    def save(self) -> None:
        """Write the record, without pictures that are no longer requested."""
        if self._folder is not None and self._now != self._before:
            text = json.dumps(self._now, indent=0, ensure_ascii=False)
            write_bytes(self._folder / RECORD, text.encode("utf-8", "surrogatepass"))

    def _names(self, paths: Iterable[Path]) -> list[str]:
        if self._folder is None:
            return []
        return [path.relative_to(self._folder).as_posix() for path in paths]


def _read(path: Path) -> dict[str, str]:
    """Read the record; a missing or damaged one is empty, so that pictures are rendered again."""
    try:
        record = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return {str(k): str(v) for k, v in record.items()} if isinstance(record, dict) else {}
