"""Size of the text in a workbook's cells: a small file can repeat a long text many times."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator

from dagathlon.errors import DataError

SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
_STRINGS, _OPEN = "xl/sharedStrings.xml", "content.xml"
_STRING = re.compile(rb"<(?:\w+:)?si\b")
_REFERENCE = re.compile(rb'\st="s"[^>]*>\s*<(?:\w+:)?v>(\d{1,9})<')
_ROWS = re.compile(rb'number-rows-repeated="(\d{1,9})"')
_COLUMNS = re.compile(rb'number-columns-repeated="(\d{1,9})"')
_PIECE, _LONGEST_REFERENCE = 1 << 20, 400
_SHORTEST_CELL = 28  # <c r="A1" t="s"><v>0</v></c>
_LONGEST_TEXT = 1 << 20


def check_texts(archive: zipfile.ZipFile, most: int, label: str) -> None:
    """Refuse a workbook with a cell of excessive text, or with more than `most` bytes in all."""
    names = archive.namelist()
    parts = [name for name in names if name in {_STRINGS, _OPEN} or SHEET.fullmatch(name)]
    for part in parts:
        if _longest_text(archive, part) > _LONGEST_TEXT:
            raise DataError(f"{label}: a cell has more than {_LONGEST_TEXT:,} bytes of text")
    size = 0
    if _STRINGS in names:
        size += _shared(archive, [name for name in parts if SHEET.fullmatch(name)], most)
    if _OPEN in names:
        size += _repeated(archive.read(_OPEN))
    if size > most:
        raise DataError(
            f"{label}: the cells hold more than {most:,} bytes of text; save the sheet as CSV"
        )


def _pieces(archive: zipfile.ZipFile, part: str) -> Iterator[bytes]:
    with archive.open(part) as stream:
        while piece := stream.read(_PIECE):
            yield piece


def _longest_text(archive: zipfile.ZipFile, part: str) -> int:
    """Return the greatest distance in bytes between the beginnings of two tags."""
    longest = begun = 0
    for piece in _pieces(archive, part):
        first, *others = map(len, piece.split(b"<"))
        begun += first
        longest = max(longest, begun, *others, 0)
        begun = others[-1] if others else begun
        if longest > _LONGEST_TEXT:
            break
    return longest


def _shared(archive: zipfile.ZipFile, sheets: list[str], most: int) -> int:
    """Return the bytes of Excel's shared strings, multiplied by their references."""
    _, *strings = map(len, _STRING.split(archive.read(_STRINGS)))
    cells = sum(archive.getinfo(sheet).file_size for sheet in sheets) // _SHORTEST_CELL
    if cells * max(strings, default=0) <= most:
        return 0
    size = 0
    for sheet in sheets:
        before = b""
        for piece in _pieces(archive, sheet):
            text, end = before + piece, 0
            for found in _REFERENCE.finditer(text):
                number, end = int(found[1]), found.end()
                size += strings[number] if number < len(strings) else 0
            before = text[max(end, len(text) - _LONGEST_REFERENCE) :]
    return size


def _repeated(content: bytes) -> int:
    """Return the bytes of OpenDocument's repeated cells, multiplied by their repetitions."""
    size = 0
    for row in content.split(b"<table:table-row"):
        if b"-repeated=" not in row:
            continue
        head, *cells = row.split(b"<table:table-cell")
        size += _times(_ROWS, head) * sum(map(_size_of_cell, cells))
    return size


def _size_of_cell(cell: bytes) -> int:
    head, _, content = cell.partition(b">")
    return 0 if head.endswith(b"/") else _times(_COLUMNS, head) * len(content)


def _times(pattern: re.Pattern[bytes], head: bytes) -> int:
    found = pattern.search(head)
    return 1 if found is None else int(found[1])
