"""Cache files kept between runs, with locks between processes."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
from collections.abc import Iterator

from dagathlon.learners.user_cache import cache_folder


def short_hash(text: str) -> str:
    """Return a short file name for any text, by its hash."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


@contextlib.contextmanager
def locked(subject: str) -> Iterator[None]:
    """Hold the inter-process lock of a subject, waiting until it is free."""
    with open(cache_folder() / f"{short_hash(subject)}.lock", "w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
