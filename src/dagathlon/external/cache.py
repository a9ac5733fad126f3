"""Files that are kept between runs, and locks so that one process at a time makes them."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from dagathlon.errors import UnavailableError


def cache_folder() -> Path:
    """Our folder in the user's cache, made if it is not there."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base) / "dagathlon"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnavailableError(f"{folder}: cannot be made ({error.strerror})") from None
    return folder


def short_hash(text: str) -> str:
    """A file name for any text."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


@contextlib.contextmanager
def locked(subject: str) -> Iterator[None]:
    """Wait until nobody else holds the lock of that subject, and hold it."""
    with open(cache_folder() / f"{short_hash(subject)}.lock", "w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
