"""Sheets of workbooks (Excel, OpenDocument) as text, read with python-calamine."""

from __future__ import annotations

import csv
import datetime
import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dagathlon.data.reading.unpacking import TooLargeError, most_unpacked
from dagathlon.errors import DataError, listing, unknown

WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
"""File endings of workbooks."""
_MOST_CELLS = 50_000_000
# Rows of cells take several times the memory of their text.
_PER_BYTE = 8
# A cell that is closed at once has a style and no content.
_FILLED_CELL = re.compile(rb'<(?:\w+:)?c\s(?:[^>]*\s)?r="([A-Z]{1,3})(\d{1,7})"(?:[^>]*[^/>])?>')
_PIECE, _LONGEST_CELL, _LONGEST_REFERENCE = 1 << 20, 400, 400
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
_STRINGS, _OPEN = "xl/sharedStrings.xml", "content.xml"
_STRING = re.compile(rb"<(?:\w+:)?si\b")
_REFERENCE = re.compile(rb'\st="s"[^>]*>\s*<(?:\w+:)?v>(\d{1,9})<')
_ROWS = re.compile(rb'number-rows-repeated="(\d{1,9})"')
_COLUMNS = re.compile(rb'number-columns-repeated="(\d{1,9})"')
_SHORTEST_CELL = 28  # <c r="A1" t="s"><v>0</v></c>
_LONGEST_TEXT = 1 << 20


def is_workbook(file: Path) -> bool:
    """Whether a file has the ending of a workbook."""
    return file.suffix.lower() in WORKBOOKS


def workbook_text(file: Path, sheet: str | None) -> tuple[bytes, int, int, tuple[str, ...]]:
    """Return a sheet as CSV text, with notes where there are several sheets.

    The two integers of the result are the bytes and lines to skip, which are 0.
    """
    label = str(file)
    if not file.is_file():
        file.open("rb").close()  # says why not
        raise ValueError("it is not a regular file")
    _check_size(file, label)
    try:
        import python_calamine  # noqa: PLC0415 - an extra, and few need it
    except ImportError:
        raise DataError(
            f"{label}: a workbook; to read it: pip install 'dagathlon[excel]', or save the sheet "
            "as CSV"
        ) from None
    try:
        with python_calamine.CalamineWorkbook.from_path(label) as book:
            names = book.sheet_names
            if sheet is not None and sheet not in names:
                raise DataError(unknown("sheet", sheet, names, label))
            if not names:
                raise DataError(f"{label}: a workbook without sheets")
            chosen = book.get_sheet_by_name(sheet or names[0])
            _check_cells(chosen.end, label)
            rows = chosen.to_python(skip_empty_area=False)
    except (python_calamine.CalamineError, OSError) as error:
        raise DataError(f"{label}: not a readable workbook ({error})") from None
    notes: tuple[str, ...] = ()
    if sheet is None and len(names) > 1:
        others = listing(map(repr, names[1:]))
        notes = (f"the sheet {names[0]!r} was read; the others are {others}: --sheet NAME",)
    return _as_csv(rows, label), 0, 0, notes


def _check_size(file: Path, label: str) -> None:
    """Refuse a workbook that unpacks to more than the limit."""
    most = most_unpacked()
    if zipfile.is_zipfile(file):
        try:
            with zipfile.ZipFile(file) as archive:
                size = sum(part.file_size for part in archive.infolist())
                if size <= most:
                    # The library allocates all cells of a sheet before their number is known.
                    _check_texts(archive, most // _PER_BYTE, label)
                    for part in archive.namelist():
                        if _SHEET.fullmatch(part):
                            _check_cells(_last_filled(archive, part), label)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
            raise DataError(f"{label}: not a readable workbook ({error})") from None
        if size > most:
            raise TooLargeError(most, label)


def _last_filled(archive: zipfile.ZipFile, part: str) -> tuple[int, int]:
    """Return the last row and column, from 0 on, of cells with content in a sheet's XML."""
    row = column = 0
    before = b""
    for piece in _pieces(archive, part):
        for letters, number in _FILLED_CELL.findall(before + piece):
            row = max(row, int(number) - 1)
            column = max(column, _column_number(letters))
        before = (before + piece)[-_LONGEST_CELL:]
    return row, column


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number - 1


def _check_cells(end: tuple[int, int] | None, label: str) -> None:
    """Refuse a sheet whose last cell, by 0-based row and column, is too far away."""
    height, width = (end[0] + 1, end[1] + 1) if end else (0, 0)
    if height * width > _MOST_CELLS:
        raise DataError(
            f"{label}: the sheet has {height:,} rows and {width:,} columns, empty ones included, "
            f"which is more than {_MOST_CELLS:,} cells; delete stray cells far from the table, or "
            "save the sheet as CSV"
        )


def _as_csv(rows: Sequence[Sequence[Any]], label: str) -> bytes:
    """Return CSV text; an empty row is an empty line, so that line numbers match the sheet."""
    words = [[_word(cell) for cell in row] for row in rows]
    filled = [[j for j, word in enumerate(row) if word] for row in words]
    if not any(filled):
        raise DataError(f"{label}: the sheet is empty")
    first = min(places[0] for places in filled if places)
    last = max(places[-1] for places in filled if places)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row, places in zip(words, filled, strict=True):
        writer.writerow(row[first : last + 1] if places else [])
    return text.getvalue().rstrip("\n").encode() + b"\n"


def _word(cell: Any) -> str:
    """Return a cell as text: integer-valued numbers without a fraction, line breaks as blanks."""
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 2**53 else repr(cell)
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time():
        cell = cell.date()
    if isinstance(cell, datetime.date | datetime.time):
        return cell.isoformat(" ") if isinstance(cell, datetime.datetime) else cell.isoformat()
    return " ".join(str(cell).split()) if cell is not None else ""


def _check_texts(archive: zipfile.ZipFile, most: int, label: str) -> None:
    """Refuse a workbook with a cell of excessive text, or with more than `most` bytes in all."""
    names = archive.namelist()
    parts = [name for name in names if name in {_STRINGS, _OPEN} or _SHEET.fullmatch(name)]
    for part in parts:
        if _longest_text(archive, part) > _LONGEST_TEXT:
            raise DataError(f"{label}: a cell has more than {_LONGEST_TEXT:,} bytes of text")
    size = 0
    if _STRINGS in names:
        size += _shared(archive, [name for name in parts if _SHEET.fullmatch(name)], most)
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
            for reference in _REFERENCE.finditer(text):
                number, end = int(reference[1]), reference.end()
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
    match = pattern.search(head)
    return 1 if match is None else int(match[1])
