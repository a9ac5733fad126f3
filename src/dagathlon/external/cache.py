"""Files that are kept between runs, and locks so that one process at a time makes them."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
from collections.abc import Iterator

from dagathlon.learners.user_cache import cache_folder


def short_hash(text: str) -> str:
    """A file name for any text."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


@contextlib.contextmanager
def locked(subject: str) -> Iterator[None]:
    """Wait until nobody else holds the lock of that subject, and hold it."""
    with open(cache_folder() / f"{short_hash(subject)}.lock", "w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
