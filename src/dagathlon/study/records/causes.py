"""Runs that are left out of a study or skipped, and their causes."""

from __future__ import annotations

import re
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
    return causes(_skipped(omission, algorithms) for omission in omissions)


def _skipped(omission: Omission, algorithms: Mapping[str, Any]) -> Skipped:
    match = _WHO.fullmatch(omission.transform)
    name, some = (match[1], match[2] or "") if match else (omission.transform, "")
    module = algorithms[name].module.name if name in algorithms else name
    return Skipped(f"{name}{some}", module, omission.reason)


def without_copies(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Leave out the samples that evaluations draw of data that are named themselves.

    Parameters
    ----------
    pairs
        Labels of data, each with the place of its entry.
    """
    every = list(pairs)
    named = set(every)
    for data, where in every:
        words = data.split(", ")
        whole = (", ".join(words[:end]) for end in range(1, len(words)))
        if not any((part, where) in named for part in whole):
            yield data, where


# What a reason says at its end of one data set: columns, numbers of rows.
_DETAILS = re.compile(r" \([^()]*\)$")
# How the reason of a run begins that was skipped because an input of it was.
_INPUT = re.compile(r"^(?:\w+ \S+ ended in \w+: )+")
# What differs between copies: the transform with its parameters, and numbers.
_COPY = re.compile(r"^n/a: [^:]+: |\d+(?:[.,]\d+)*")
# The verb of a reason without the name that it begins with.
_SINGULAR = re.compile(r"(?:^|(?<=^with these parameters ))needs ")
_MOST_NAMED = 8
_NAME = "\0"


class Skipped(NamedTuple):
    """Skipped item with its reason.

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
    """Reason shared by several skipped items.

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
    n_runs
        How many of these are runs that it concerns, without the inputs that they would have read.
    """

    names: tuple[str, ...]
    reasons: frozenset[str]
    words: str
    n: int
    n_runs: int

    @property
    def who(self) -> str:
        """Return the names as a list in words, the first few of many."""
        more = len(self.names) - _MOST_NAMED
        shown = self.names if more < 2 else (*self.names[:_MOST_NAMED], f"{more} more")
        between = "; " if any(", " in name for name in shown) else ", "
        start = [between.join(shown[:-1])] if len(shown) > 1 else []
        return " and ".join([*start, *shown[-1:]])

    def __str__(self) -> str:
        return f"{self.who}: {self.words}"


def causes(items: Iterable[Skipped]) -> list[Cause]:
    """Group skipped items by cause.

    Reasons are the same but for the name that they begin with, what they say at their end of one
    data set, numbers, and remedies after a semicolon, which depend on the learner. Runs that were
    skipped with an input share the cause of the input.
    """
    skipped = [(item, _clauses(item)) for item in items]
    groups = grouped_by(skipped, lambda pair: _COPY.sub("#", pair[1][0]))
    return [_cause(members) for members in groups.values()]


def _clauses(item: Skipped) -> list[str]:
    """Split a skip reason at semicolons, the module's name replaced by a placeholder."""
    text = _INPUT.sub("", _DETAILS.sub("", item.reason)).removeprefix(f"{item.module} ")
    name = re.escape(item.module)
    return [re.sub(rf"\b{name}\b", _NAME, clause) for clause in text.split("; ")]


def _cause(members: Sequence[tuple[Skipped, list[str]]]) -> Cause:
    first, clauses = members[0]
    shared = [clause for clause in clauses if all(clause in other for _, other in members)]
    followed = [item for item, _ in members if _INPUT.match(item.reason)]
    concerned = followed or [item for item, _ in members]
    words = "; ".join(shared).replace(_NAME, first.module)
    kinds = len({own[0].replace(_NAME, item.module) for item, own in members})
    if not shared:
        words = f"{clauses[0].replace(_NAME, first.module)} (the first of {kinds} like it)"
    elif len({item.name for item, _ in members}) == 1:
        words = first.reason if len(members) == 1 else _DETAILS.sub("", first.reason)
    names = tuple(dict.fromkeys(item.name for item in concerned))
    if len(names) > 1:
        words = _SINGULAR.sub("need ", words)
    return Cause(
        names,
        frozenset(item.reason for item, _ in members),
        _INPUT.sub("", words),
        sum(item.n for item, _ in members),
        sum(item.n for item in concerned),
    )
