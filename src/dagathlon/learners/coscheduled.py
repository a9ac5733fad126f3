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
class Company:
    """The other learners that run on the same data, and notes about the time of this run."""

    others: tuple[Learner, ...]
    remarks: list[str] = field(default_factory=list)


_present: ContextVar[Company] = ContextVar("company")


@contextmanager
def in_company(others: Sequence[Learner]) -> Iterator[Company]:
    """Declare, within a context, which other learners will run on the same data in this process.

    Parameters
    ----------
    others
        The others with their parameters.
    """
    company = Company(tuple(others))
    token = _present.set(company)
    try:
        yield company
    finally:
        _present.reset(token)


def companions() -> tuple[Learner, ...]:
    """Return the other learners that will run on the same data; empty outside such a context."""
    found = _present.get(None)
    return () if found is None else found.others


def remark(text: str) -> None:
    """Record a note on how the other learners changed the time of this run."""
    found = _present.get(None)
    if found is not None and text not in found.remarks:
        found.remarks.append(text)
