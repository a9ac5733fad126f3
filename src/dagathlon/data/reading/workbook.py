"""Sheets of workbooks (Excel, OpenDocument) as text, read with python-calamine."""

from __future__ import annotations

import csv
import datetime
import io
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dagathlon.data.reading.unpacking import TooLargeError, most_unpacked
from dagathlon.data.reading.workbook_texts import SHEET, check_texts
from dagathlon.errors import DataError, listing, unknown

WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
"""File endings of workbooks."""
_MOST_CELLS = 50_000_000
# Rows of cells take several times the memory of their text.
_PER_BYTE = 8
# A cell that is closed at once has a style and no content.
_FILLED_CELL = re.compile(rb'<(?:\w+:)?c\s(?:[^>]*\s)?r="([A-Z]{1,3})(\d{1,7})"(?:[^>]*[^/>])?>')
_PIECE, _LONGEST_CELL = 1 << 20, 400


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
                    check_texts(archive, most // _PER_BYTE, label)
                    for part in archive.namelist():
                        if SHEET.fullmatch(part):
                            _check_cells(_last_filled(archive, part), label)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
            raise DataError(f"{label}: not a readable workbook ({error})") from None
        if size > most:
            raise TooLargeError(most, label)


def _last_filled(archive: zipfile.ZipFile, part: str) -> tuple[int, int]:
    """Return the last row and column, from 0 on, of cells with content in a sheet's XML."""
    row = column = 0
    before = b""
    with archive.open(part) as stream:
        while piece := stream.read(_PIECE):
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
