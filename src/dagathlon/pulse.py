"""Deadlines and progress of long loops: who waits says how long, who works says how far it is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeAlias

from dagathlon.errors import OutOfTimeError

Progress: TypeAlias = Callable[[int, int], None]


@dataclass
class Watch:
    """One watched run: its deadline, whom to tell, and whether it returned its best so far."""

    deadline: float | None
    progress: Progress | None
    stopped_early: bool = False

    def is_over(self) -> bool:
        """Whether the deadline has come."""
        return self.deadline is not None and time.monotonic() >= self.deadline


_present: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watch(*, deadline: float | None = None, progress: Progress | None = None) -> Iterator[Watch]:
    """Watch what runs inside.

    Parameters
    ----------
    deadline
        When `time.monotonic` says this, it is over; None is never.
    progress
        Told how much is done, and of how much (0 where nobody knows).
    """
    watched = Watch(deadline, progress)
    token = _present.set(watched)
    try:
        yield watched
    finally:
        _present.reset(token)


def beat(done: int = 0, total: int = 0) -> None:
    """Say how far a loop is; raises `OutOfTimeError` when the deadline has come."""
    watched = _present.get()
    if watched is None:
        return
    if watched.progress is not None and done:
        watched.progress(done, total)
    if watched.is_over():
        raise OutOfTimeError("the time limit has come")


def best_so_far() -> bool:
    """Whether an anytime search should return what it has, because the deadline has come."""
    watched = _present.get()
    if watched is None or not watched.is_over():
        return False
    watched.stopped_early = True
    return True
