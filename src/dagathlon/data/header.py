"""The head of a text file: names, intervention indicators, and a first look at the rows."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from dagathlon.data.text_file import TextFile
from dagathlon.errors import DataError

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_SAMPLED_ROWS = 100
_SAMPLED_FIELDS = 20_000


@dataclass(frozen=True)
class Header:
    """What stands in the first rows of a text file.

    Attributes
    ----------
    names
        The variables.
    indicators
        Variables named again on the right of the others: 0/1 columns of interventions.
    width
        Number of fields of each row; one more than names and indicators when every row ends in a
        delimiter.
    line
        Line of the header.
    sample
        The first rows below it.
    """

    names: tuple[str, ...]
    indicators: tuple[str, ...]
    width: int
    line: int
    sample: tuple[tuple[str, ...], ...]

    @property
    def ends_in_delimiter(self) -> bool:
        """Whether each row ends in a delimiter, behind which nothing stands."""
        return self.width > len(self.names) + len(self.indicators)


def read_header(text: TextFile, delimiter: str) -> Header:
    """Read names and first rows; a missing or double name or a lack of rows is a `DataError`."""
    records = text.records(delimiter)
    line, fields = next(records, (1, []))
    words = [field.strip() for field in fields]
    if not any(words):
        raise DataError(f"{text.label}: no columns; the first line holds the names")
    wanted = min(_SAMPLED_ROWS, 2 + _SAMPLED_FIELDS // len(words))
    sample = list(itertools.islice(records, wanted))
    if not sample:
        raise DataError(f"{text.label}: no rows follow the header")
    _refuse_row_names(text, *sample[0], len(words))
    for at, row in sample:
        check_width(text, at, len(row), len(words))
    trailing = len(words) > 1 and not words[-1]
    names, indicators = _split_names(text.label, line, words[: len(words) - trailing])
    return Header(names, indicators, len(words), line, tuple(tuple(row) for _, row in sample))


def without_header(text: TextFile, delimiter: str) -> Header:
    """First rows of a file without names, for which ``V1``, ``V2``, … stand."""
    sample = list(itertools.islice(text.records(delimiter), _SAMPLED_ROWS))
    width = len(sample[0][1]) if sample else 0
    if not width:
        raise DataError(f"{text.label}: no rows")
    for at, row in sample:
        check_width(text, at, len(row), width)
    trailing = width > 1 and not any(row[-1].strip() for _, row in sample)
    names = tuple(f"V{number + 1}" for number in range(width - trailing))
    return Header(names, (), width, 0, tuple(tuple(row) for _, row in sample))


def _refuse_row_names(text: TextFile, line: int, row: Sequence[str], width: int) -> None:
    """Rows that begin with a name of their own, as R writes them, have one field too many."""
    if len(row) == width + 1 and row[-1].strip():  # an empty last field is a delimiter too many
        raise DataError(
            f"{text.label}, line {line}: found {len(row)} fields where the header has {width}; is "
            "the first one the name of the row? save the file without row names"
        )


def check_width(text: TextFile, line: int, found: int, width: int) -> None:
    """Refuse a row with fewer or more fields than the header."""
    if found != width:
        fields = "field" if found == 1 else "fields"
        raise DataError(
            f"{text.label}, line {line}: found {found} {fields} where the header has {width}"
        )


def _split_names(
    label: str, line: int, words: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Variables, and the names that are repeated on their right to mark interventions."""
    if "" in words:
        number = words.index("") + 1
        hint = "; is it a column of row numbers? save the file without it" if number == 1 else ""
        raise DataError(f"{label}, line {line}: column {number} has no name{hint}")
    first: dict[str, int] = {}
    for number, word in enumerate(words):
        if word in first:
            break
        first[word] = number
    names, indicators = tuple(first), tuple(words[len(first) :])
    for number, word in enumerate(indicators, start=len(names) + 1):
        if word not in first:
            raise DataError(
                f"{label}, line {line}: {_no_names(words)}the name {indicators[0]!r} stands twice, "
                f"in columns {first[indicators[0]] + 1} and {len(names) + 1}; give each column its "
                "own name (only columns that mark interventions repeat names, and then column "
                f"{number} is an intervention indicator, but {word!r} is no variable)"
            )
        if word in words[len(names) : number - 1]:
            raise DataError(f"{label}, line {line}: the name {word!r} stands more than twice")
    return names, indicators


def _no_names(words: Sequence[str]) -> str:
    """A remark on a first line that looks like data."""
    if not all(map(_NUMBER.fullmatch, words)):
        return ""
    return "if this line holds data, say that there is no header; "
