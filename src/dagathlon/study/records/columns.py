"""Records as columns of small whole numbers, and back: how a plan is written.

A column holds whole numbers from 0 on, with -1 for nothing, or the numbers of its levels, which
are listed once. Each is written in the smallest of four types, so that the plan of a million tasks
is mostly the keys of its tasks.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Whole: TypeAlias = npt.NDArray[np.signedinteger[Any]]
TYPES = ("|i1", "<i2", "<i4", "<i8")
_NOTHING = -1


@contextmanager
def uncollected() -> Iterator[None]:
    """While a million objects are made that all stay, nobody looks again and again for rubbish."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


class Packed(NamedTuple):
    """A column: whole numbers, and what they stand for where they do not stand for themselves."""

    numbers: Whole
    levels: Sequence[Any] | None = None

    def unpacked(self) -> list[Any]:
        """The values again; a number that stands for nothing known is a `ValueError`."""
        found: list[Any] = self.numbers.tolist()
        least, most = (min(found), max(found)) if found else (0, 0)
        if least < _NOTHING or (self.levels is not None and most >= len(self.levels)):
            raise ValueError("a column has a number that stands for nothing")
        if self.levels is not None:
            levels = [*self.levels, None]  # the last one is that of the number -1
            return [levels[number] for number in found]
        return [None if n == _NOTHING else n for n in found] if least < 0 else found


def packed(values: Sequence[Any]) -> Packed:
    """A column of whole numbers from 0 on and of nothing, or of anything that JSON can hold."""
    if all(value is None or (type(value) is int and value >= 0) for value in values):
        return Packed(_smallest([_NOTHING if value is None else value for value in values]))
    numbers: dict[str, int] = {}
    levels: list[Any] = []
    codes = []
    for value in values:
        if value is None:
            codes.append(_NOTHING)
            continue
        text = value if isinstance(value, str) else f"\0{json.dumps(value)}"
        code = numbers.setdefault(text, len(levels))
        if code == len(levels):
            levels.append(value)
        codes.append(code)
    return Packed(_smallest(codes), levels)


def _smallest(values: Sequence[int]) -> Whole:
    most = max(values, default=0)
    fitting = next(name for name in TYPES if most <= np.iinfo(name).max)
    return np.array(values, fitting)


def by_column(records: Sequence[tuple[Any, ...]], fields: Sequence[str]) -> dict[str, Packed]:
    """Records of equal fields as columns."""
    return {name: packed([record[i] for record in records]) for i, name in enumerate(fields)}


def by_record(columns: Mapping[str, Packed], fields: Sequence[str]) -> list[tuple[Any, ...]]:
    """The records again; columns of unequal length are a `ValueError`."""
    return list(zip(*(columns[name].unpacked() for name in fields), strict=True))
