"""Runs that are left out of a study or skipped, and their causes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from dagathlon.frame import grouped_by
from dagathlon.study.plan.plan import ALGORITHM, Omission

_WHO = re.compile(rf"{ALGORITHM} (.*?)( \(\d+ of \d+ settings\))?$")


def omitted(omissions: Iterable[Omission], algorithms: Mapping[str, Any]) -> list[Cause]:
    """Group omissions of algorithms by their cause.

    Parameters
    ----------
    omissions
        Those of algorithms alone.
    algorithms
        The algorithms by id, each with its `module`.
    """
    return causes(_skipped(one, algorithms) for one in omissions)


def _skipped(one: Omission, algorithms: Mapping[str, Any]) -> Skipped:
    match = _WHO.fullmatch(one.transform)
    name, some = (match[1], match[2] or "") if match else (one.transform, "")
    module = algorithms[name].module.name if name in algorithms else name
    return Skipped(f"{name}{some}", module, one.reason)


def without_copies(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Leave out the samples that evaluations draw of data that are named themselves.

    Parameters
    ----------
    pairs
        Labels of data, each with the place of its entry.
    """
    found = list(pairs)
    named = set(found)
    for data, where in found:
        words = data.split(", ")
        whole = (", ".join(words[:end]) for end in range(1, len(words)))
        if not any((part, where) in named for part in whole):
            yield data, where


# What a reason says at its end of one data set: columns, numbers of rows.
_DETAILS = re.compile(r" \([^()]*\)$")
_MOST_NAMED = 8
_NAME = "\0"


class Skipped(NamedTuple):
    """Something skipped, and why.

    Parameters
    ----------
    name
        What a reader knows it by: an id, or a module.
    module
        The name that the reason begins with, if it begins with one.
    reason
        What was said against it.
    n
        How often.
    """

    name: str
    module: str
    reason: str
    n: int = 1


class Cause(NamedTuple):
    """A reason that several share.

    Parameters
    ----------
    names
        Whom it concerns.
    reasons
        All the reasons, as they were given.
    words
        The reason; of several without their names, with the remedies that all of them have.
    n
        How often it occurred.
    """

    names: tuple[str, ...]
    reasons: frozenset[str]
    words: str
    n: int

    @property
    def who(self) -> str:
        """The names in a row, of many the first."""
        more = len(self.names) - _MOST_NAMED
        shown = self.names if more < 2 else (*self.names[:_MOST_NAMED], f"{more} more")
        between = "; " if any(", " in name for name in shown) else ", "
        start = [between.join(shown[:-1])] if len(shown) > 1 else []
        return " and ".join([*start, *shown[-1:]])

    def __str__(self) -> str:
        return f"{self.who}: {self.words}"


def causes(found: Iterable[Skipped]) -> list[Cause]:
    """Group what was skipped by its cause.

    Reasons are the same but for the name that they begin with, what they say at their end of one
    data set, and remedies after a semicolon, which depend on the learner.
    """
    skipped = [(one, _clauses(one)) for one in found]
    return [_cause(members) for members in grouped_by(skipped, lambda pair: pair[1][0]).values()]


def _clauses(one: Skipped) -> list[str]:
    """Split a skip reason at semicolons, the module's name replaced by a placeholder."""
    text = _DETAILS.sub("", one.reason).removeprefix(f"{one.module} ")
    name = re.escape(one.module)
    return [re.sub(rf"\b{name}\b", _NAME, clause) for clause in text.split("; ")]


def _cause(members: Sequence[tuple[Skipped, list[str]]]) -> Cause:
    first, clauses = members[0]
    shared = [clause for clause in clauses if all(clause in other for _, other in members)]
    counts: Counter[str] = Counter()
    for one, _ in members:
        counts[one.name] += one.n
    words = "; ".join(shared).replace(_NAME, first.module)
    if len(counts) == 1:
        words = first.reason if len(members) == 1 else _DETAILS.sub("", first.reason)
    reasons = frozenset(one.reason for one, _ in members)
    return Cause(tuple(counts), reasons, words, counts.total())
