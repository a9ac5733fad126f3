"""The user's request to a reader: kinds and levels of columns, and the layout of a text file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from dagathlon.data.variable import Variable
from dagathlon.errors import DataError, unknown

Kind: TypeAlias = Literal["continuous", "discrete", "categorical", "ordinal", "id", "ignore"]
Place: TypeAlias = Callable[[int], str]
"""Function that turns a row number, from 0 below the header, into the place in an error."""


@dataclass(frozen=True)
class TextLayout:
    """Layout of a text file, as given by the user.

    Parameters
    ----------
    delimiter
        Separator of fields; None to detect it.
    decimal
        The decimal sign, a point or a comma; None to detect it.
    header
        Whether the first line holds the names.
    cardinality_row
        Whether the first row below holds the numbers of levels; None to detect it.
    encoding
        The encoding of the text; None to detect it.
    skip
        Number of lines above the header, such as titles.
    sheet
        The sheet of a workbook; None for the first one.
    """

    delimiter: str | None = None
    decimal: str | None = None
    header: bool = True
    cardinality_row: bool | None = None
    encoding: str | None = None
    skip: int = 0
    sheet: str | None = None

    def __post_init__(self) -> None:
        sign = self.delimiter
        if self.encoding is not None and not _is_encoding(self.encoding):
            raise DataError(
                f"{unknown('encoding', self.encoding, ENCODINGS)}; others that Python knows, too"
            )
        if self.skip < 0:
            raise DataError(f"lines to skip are a whole number from 0 on, found {self.skip}")
        if sign is not None and (len(sign) != 1 or sign in '"\r\n' or sign > "~"):
            raise DataError(f"a delimiter is one character, found {sign!r}")
        if self.decimal not in (None, ".", ","):
            raise DataError(f"a decimal sign is a point or a comma, found {self.decimal!r}")


ENCODINGS = ("utf-8", "utf-16", "cp1252", "latin-1", "cp1250", "cp1251", "mac-roman", "shift_jis")
"""Common encodings, for error messages."""


def _is_encoding(name: str) -> bool:
    """Whether Python knows an encoding by this name."""
    try:
        b"a".decode(name)
    except UnicodeDecodeError:
        return True  # such as UTF-16, in which one byte is no text
    except (LookupError, ValueError):
        return False
    return True


MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "?")
"""Fields of a text file that mean a missing value by default."""

ANY = "*"
"""Key for all columns that are not named."""
_LEFT_OUT = ("id", "ignore")
_MEANS = {"categorical": "discrete", "ordinal": "discrete"}


@dataclass(frozen=True)
class ColumnRequest:
    """Kinds and levels set by the user, and the columns to read.

    Parameters
    ----------
    kinds, default
        Kinds by column, and of all others.
    levels
        Levels by column.
    drop, keep
        Columns to leave out; columns to take, ``None`` for all.
    missing
        Words and numbers that mean a missing value, beyond those that always do.
    recode
        New labels by old ones, by column.
    """

    kinds: Mapping[str, str] = field(default_factory=dict)
    default: str | None = None
    levels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    drop: frozenset[str] = frozenset()
    keep: frozenset[str] | None = None
    missing: frozenset[str] = frozenset()
    recode: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def kind(self, name: str) -> str | None:
        """Return ``discrete``, ``continuous``, or ``None`` to infer the kind from the content."""
        if name in self.levels:
            return "discrete"
        asked = self.kinds.get(name, self.default)
        return None if asked is None else _MEANS.get(asked, asked)

    @property
    def is_about_kinds(self) -> bool:
        """Whether the user specified anything about kinds of columns."""
        specified = self.kinds or self.levels or self.recode
        return bool(specified) or self.default is not None

    def is_ordered(self, name: str) -> bool:
        """Whether the user declared the column as ordinal."""
        return self.kinds.get(name, self.default) == "ordinal"

    def wants(self, name: str) -> bool:
        """Whether the column is to be read."""
        if name in self.drop or (self.keep is not None and name not in self.keep):
            return False
        return self.kinds.get(name, self.default) not in _LEFT_OUT

    def check(self, names: Sequence[str], where: str) -> None:
        """Check that all columns that the user named exist, and that some columns remain."""
        known = set(names)
        mentioned = (*self.kinds, *self.levels, *self.recode)
        for name in (*mentioned, *sorted(self.drop), *sorted(self.keep or ())):
            if name not in known:
                raise DataError(unknown("column", name, names, where))
        for name, levels in self.levels.items():
            if self.kinds.get(name) == "continuous":
                raise DataError(f"column {name!r} is given levels, so it cannot be continuous")
            Variable(name, tuple(levels))
        both = sorted(self.drop & (self.keep or frozenset()))
        if both:
            raise DataError(f"column {both[0]!r} is to be kept and to be dropped; say one of them")
        if not any(map(self.wants, names)):
            raise DataError(f"{where}: no column is left; keep at least one")


def request_of(
    kinds: Kind | Mapping[str, Kind] | None,
    levels: Mapping[str, Sequence[str]] | None,
    drop: Sequence[str] = (),
    keep: Sequence[str] | None = None,
) -> ColumnRequest:
    """Make the request from the arguments of `read_data`."""
    named: dict[str, Kind] = {} if kinds is None or isinstance(kinds, str) else dict(kinds)
    default = kinds if isinstance(kinds, str) else named.pop(ANY, None)
    for kind in (*named.values(), *([default] if default is not None else [])):
        if kind not in get_args(Kind):
            raise DataError(unknown("kind", kind, get_args(Kind)))
    if isinstance(drop, str) or isinstance(keep, str):
        raise DataError("columns to drop or to keep are a list of names")
    kept = None if keep is None else frozenset(keep)
    return ColumnRequest(named, default, dict(levels or {}), frozenset(drop), kept)
