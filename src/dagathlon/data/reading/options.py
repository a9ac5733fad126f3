"""`Reading`: options for reading a data file, as given in studies and commands."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from dagathlon.data.dataset import Dataset
from dagathlon.data.preparing.gaps import spellings
from dagathlon.data.reading.files import read_data
from dagathlon.data.reading.request import MISSING, ColumnRequest, TextLayout, request_of
from dagathlon.errors import DataError, unknown


@dataclass(frozen=True)
class Reading:
    """Options of `read_data` for a file; comparable and serialisable as JSON.

    Parameters
    ----------
    kinds
        Kinds by column; ``*`` is any column that is not named.
    levels
        Levels by column, in their order.
    drop, keep
        Columns to leave out; the only columns to take, or None for all.
    na
        Fields that mean a missing value besides the usual ones, such as ``-999``.
    cardinality_row
        Whether the first row below the header holds the numbers of levels; None to detect it.
    header
        Whether the first line of a text file holds the names.
    delimiter, decimal
        Separator of fields, and the decimal sign; None to detect them.
    encoding
        The encoding of a text file; None to detect it.
    skip
        Number of lines above the header.
    sheet
        The sheet of a workbook; None for the first one.
    recode
        New labels by old ones, by column.
    """

    kinds: Mapping[str, str] = field(default_factory=dict)
    levels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    drop: Sequence[str] = ()
    keep: Sequence[str] | None = None
    na: Sequence[str] = ()
    cardinality_row: bool | None = None
    header: bool = True
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    skip: int = 0
    sheet: str | None = None
    recode: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash(repr(self.to_json()))

    def __post_init__(self) -> None:
        self.request()
        self.layout()

    def request(self) -> ColumnRequest:
        """Return the options about columns."""
        request = request_of(self.kinds, self.levels, self.drop, self.keep)  # type: ignore[arg-type]
        beyond = frozenset(spellings(self.na)) - frozenset(MISSING)
        return replace(request, missing=beyond, recode=self.recode)

    def layout(self) -> TextLayout:
        """Return the options about the layout of a text file."""
        about = (self.delimiter, self.decimal, self.header, self.cardinality_row)
        return TextLayout(*about, self.encoding, self.skip, self.sheet)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Reading:
        """Make it from the keys of a study's data entry; a wrong type is a `DataError`."""
        for key, value in values.items():
            if key not in _CHECKS:
                raise DataError(unknown("key", key, _CHECKS))
            expected, fits = _CHECKS[key]
            if not fits(value):
                raise DataError(f"{key}: expected {expected}, found {value!r}")
        return cls(**values)

    def to_json(self) -> dict[str, Any]:
        """Return the options as JSON, without those that are not set."""
        settings = {
            "kinds": dict(sorted(self.kinds.items())),
            "levels": {name: list(self.levels[name]) for name in sorted(self.levels)},
            "drop": sorted(self.drop),
            "na": sorted(self.na),
            "recode": {
                name: dict(sorted(self.recode[name].items())) for name in sorted(self.recode)
            },
        }
        content: dict[str, Any] = {key: value for key, value in settings.items() if value}
        if self.keep is not None:
            content["keep"] = sorted(self.keep)
        if not self.header:
            content["header"] = False
        if self.skip:
            content["skip"] = self.skip
        for key in ("cardinality_row", "delimiter", "decimal", "encoding", "sheet"):
            if getattr(self, key) is not None:
                content[key] = getattr(self, key)
        return content

    def read(self, path: str | os.PathLike[str]) -> Dataset:
        """Read a file with these options."""
        options = {each.name: getattr(self, each.name) for each in fields(self)}
        missing = (*MISSING, *options.pop("na"))
        return read_data(path, missing=missing, **options)


def _is_names(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(name, str) for name in value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_kinds(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(kind, str) for kind in value.values())


def _is_levels(value: Any) -> bool:
    return isinstance(value, Mapping) and all(map(_is_names, value.values()))


def _is_recoding(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(changes, Mapping) and all(map(_is_text, changes.values()))
        for changes in value.values()
    )


_CHECKS = {
    "kinds": ("an object of column names and kinds", _is_kinds),
    "levels": ("an object of column names and lists of levels", _is_levels),
    "drop": ("a list of column names", _is_names),
    "keep": ("a list of column names", _is_names),
    "na": ("a list of texts", _is_names),
    "cardinality_row": ("true or false", _is_flag),
    "header": ("true or false", _is_flag),
    "delimiter": ("a text", _is_text),
    "decimal": ("a text", _is_text),
    "encoding": ("a text", _is_text),
    "skip": ("a number of lines", _is_count),
    "sheet": ("a text", _is_text),
    "recode": ("an object of column names and objects of old and new labels", _is_recoding),
}
READING_KEYS = tuple(_CHECKS)
