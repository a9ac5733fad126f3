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
    """A name for what a request asks for: equal requests give equal pictures."""
    text = json.dumps([request, VEGA_LITE, SCALE, painter_version()])
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


@lru_cache(maxsize=1)
def painter_version() -> str:
    """The version of the library that paints."""
    try:
        return version("vl-convert-python")
    except PackageNotFoundError:
        return ""


class Drawn:
    """The pictures in a folder by what they were asked for.

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
        """Whether all these pictures are there as the request asks for them."""
        names = self._names(paths)
        if not names or any(self._before.get(name) != digest for name in names):
            return False
        return all(path.is_file() for path in paths)

    def note(self, paths: Sequence[Path], digest: str) -> None:
        """These pictures are, or will be, what the request asks for."""
        self._now |= dict.fromkeys(self._names(paths), digest)

    def save(self) -> None:
        """Keep what was noted; what was not asked for any more is forgotten."""
        if self._folder is not None and self._now != self._before:
            text = json.dumps(self._now, indent=0, ensure_ascii=False)
            write_bytes(self._folder / RECORD, text.encode("utf-8", "surrogatepass"))

    def _names(self, paths: Iterable[Path]) -> list[str]:
        if self._folder is None:
            return []
        return [path.relative_to(self._folder).as_posix() for path in paths]


def _read(path: Path) -> dict[str, str]:
    """The record, empty where it is missing or damaged: pictures are then painted again."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return {str(k): str(v) for k, v in found.items()} if isinstance(found, dict) else {}
