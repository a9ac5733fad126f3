"""What a learner may know of others that will run on the same data, so that work is done once.

Whoever runs several learners on one data set says which (`in_company`). A learner may then make
along with its own what the others will need; its result must be the same with and without
company. What this does to its time it says with `remark`: the record of the run keeps that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from dagathlon.learners.base import Learner


@dataclass(frozen=True)
class Company:
    """The other learners on the same data, and what was said of the time so far."""

    others: tuple[Learner, ...]
    remarks: list[str] = field(default_factory=list)


_present: ContextVar[Company] = ContextVar("company")


@contextmanager
def in_company(others: Sequence[Learner]) -> Iterator[Company]:
    """Let a learner know which others will run on the same data in this process.

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
    """The other learners that will run on the same data; none where nobody has said so."""
    found = _present.get(None)
    return () if found is None else found.others


def remark(text: str) -> None:
    """Say what company has done to the time of this run."""
    found = _present.get(None)
    if found is not None and text not in found.remarks:
        found.remarks.append(text)
