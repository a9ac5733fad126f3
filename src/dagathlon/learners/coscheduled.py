"""Learners coscheduled on the same data, so that tables needed by several are computed once.

A caller that runs several learners on one data set names them (`coscheduled_learners`). A learner
may then compute, along with its own tables, those that the others will need; its result must be the
same with and without them. With `add_note` it records how this changed its time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from dagathlon.learners.base import Learner


@dataclass(frozen=True)
class Coscheduled:
    """The other learners that run on the same data, and notes about the time of this run."""

    others: tuple[Learner, ...]
    notes: list[str] = field(default_factory=list)


_current: ContextVar[Coscheduled] = ContextVar("coscheduled")


@contextmanager
def coscheduled_learners(others: Sequence[Learner]) -> Iterator[Coscheduled]:
    """Declare, within a context, which other learners will run on the same data in this process.

    Parameters
    ----------
    others
        The other learners with their parameters.
    """
    scheduled = Coscheduled(tuple(others))
    token = _current.set(scheduled)
    try:
        yield scheduled
    finally:
        _current.reset(token)


def other_learners() -> tuple[Learner, ...]:
    """Return the other learners that will run on the same data; empty outside such a context."""
    current = _current.get(None)
    return () if current is None else current.others


def add_note(text: str) -> None:
    """Record a note on how the other learners changed the time of this run."""
    current = _current.get(None)
    if current is not None and text not in current.notes:
        current.notes.append(text)
