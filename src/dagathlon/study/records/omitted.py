"""Algorithms that take no part in some data, as the plan knows it before anything runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from dagathlon.study.plan.plan import ALGORITHM, Omission
from dagathlon.study.records.causes import Cause, Skipped, causes

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
