"""What a reader was asked: kinds and levels of columns, and how to name a place in the source."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from dagathlon.data.variable import Variable
from dagathlon.errors import DataError, unknown

Kind: TypeAlias = Literal["discrete", "continuous"]
Place: TypeAlias = Callable[[int], str]
"""Turns the number of a row, counted from 0 below the header, into words for an error."""

MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "?")
"""Fields of a text file that mean a missing value, unless others are given."""


@dataclass(frozen=True)
class ColumnRequest:
    """Kinds and levels that the user has set."""

    kinds: Mapping[str, str] = field(default_factory=dict)
    default: str | None = None
    levels: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def kind(self, name: str) -> str | None:
        """The kind that was asked for, or ``None`` to go by the content."""
        return "discrete" if name in self.levels else self.kinds.get(name, self.default)

    def check(self, names: Sequence[str], where: str) -> None:
        """Check that all columns that were spoken of are there."""
        for name in (*self.kinds, *self.levels):
            if name not in names:
                raise DataError(unknown("column", name, names, where))
        for name, levels in self.levels.items():
            if self.kinds.get(name) == "continuous":
                raise DataError(f"column {name!r} is given levels, so it cannot be continuous")
            Variable(name, tuple(levels))


def request_of(
    kinds: Kind | Mapping[str, Kind] | None, levels: Mapping[str, Sequence[str]] | None
) -> ColumnRequest:
    """The request in the words of `read_data`."""
    named = {} if kinds is None or isinstance(kinds, str) else dict(kinds)
    default = kinds if isinstance(kinds, str) else None
    for kind in (*named.values(), *([default] if default is not None else [])):
        if kind not in get_args(Kind):
            raise DataError(unknown("kind", kind, get_args(Kind)))
    return ColumnRequest(named, default, dict(levels or {}))
