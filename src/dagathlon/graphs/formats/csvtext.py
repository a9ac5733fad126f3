"""CSV parser with positions: quoted fields are kept verbatim, others are stripped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from dagathlon.graphs.formats.source import TextSource, shown, split_lines

_LONGEST_START = 100_000

# Possessive quantifiers keep the scan linear however the quotes stand.
_FIELD = re.compile(r'[ \t]*+(?:"((?:[^"]|"")*+)"[ \t]*+|([^,\r\n]*+))')
_LINE_END = re.compile(r"\r\n?|\n|\Z")
_NEEDS_QUOTES = re.compile(r'[,"\r\n#\ufeff]|^\s|\s$')


class Record(NamedTuple):
    """Fields of one record, its line, and the position of the next record."""

    fields: list[str]
    line: int
    next_position: int
    next_line: int


def quoted(field: str) -> str:
    """Quote a field if necessary."""
    return '"' + field.replace('"', '""') + '"' if _NEEDS_QUOTES.search(field) else field


def read_record(source: TextSource, position: int, line: int) -> Record:
    """Read the record that starts at `position`, on `line`."""
    end = _LINE_END.search(source.text, position)
    assert end is not None  # the end of the text ends a line
    first_line = source.text[position : end.start()]
    if '"' not in first_line:
        fields = [field.strip() for field in first_line.split(",")]
        return Record(fields, line, end.end(), line + 1)
    return _read_quoted_record(source, position, line)


def _read_quoted_record(source: TextSource, position: int, line: int) -> Record:
    text = source.text
    fields: list[str] = []
    while True:
        match = _FIELD.match(text, position)
        assert match is not None  # every part of the pattern may be empty
        fields.append(_field(source, match, line, len(fields) + 1))
        position = match.end()
        if text.startswith(",", position):
            position += 1
            continue
        end = _LINE_END.match(text, position)
        if end is None:
            raise source.error("text follows a closing quote", line, len(fields))
        return Record(fields, line, end.end(), source.line_of(position) + 1)


def _field(source: TextSource, match: re.Match[str], line: int, column: int) -> str:
    inside, plain = match.groups()
    if inside is not None:
        return str(inside).replace('""', '"')
    if plain.startswith('"'):
        raise source.error(f"the quote before {shown(plain[1:])} is never closed", line, column)
    return str(plain).strip()


def records(source: TextSource, position: int = 0, line: int = 1) -> Iterator[Record]:
    """Yield all nonblank records from `position`, which is on `line`."""
    while position < len(source.text):
        record = read_record(source, position, line)
        position, line = record.next_position, record.next_line
        if record.fields != [""]:
            yield record


def first_fields(source: TextSource) -> list[str]:
    """Return the fields of the first line that is neither blank nor a comment."""
    lines = split_lines(source.text[:_LONGEST_START])
    first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    return first.replace('"', "").split(",")
