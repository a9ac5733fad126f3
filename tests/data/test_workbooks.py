"""Workbooks of Excel and OpenDocument: ordinary, damaged, and made to fill memory."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest
from everyday import FRAME, check, noted, quiet

from dagathlon.data import read_data
from dagathlon.data.inspection import describe
from dagathlon.data.reading.options import Reading
from dagathlon.errors import DataError, DataWarning


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data.csv"


def xlsx(path: Path, sheets: dict[str, list[list[object]]]) -> None:
    """Write a workbook, as small as can be."""
    office = "http://schemas.openxmlformats.org"
    main, package = f"{office}/spreadsheetml/2006/main", f"{office}/package/2006"
    links = f"{office}/officeDocument/2006/relationships"
    names = "".join(
        f'<sheet name="{name}" sheetId="{i}" r:id="r{i}"/>' for i, name in enumerate(sheets, 1)
    )
    targets = "".join(
        f'<Relationship Id="r{i}" Type="{links}/worksheet" Target="worksheets/sheet{i}.xml"/>'
        for i in range(1, len(sheets) + 1)
    )
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("[Content_Types].xml", f'<Types xmlns="{package}/content-types"/>')
        book.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="r" '
            f'Type="{links}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        book.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{main}" xmlns:r="{links}"><sheets>{names}</sheets></workbook>',
        )
        book.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{package}/relationships">{targets}</Relationships>',
        )
        for i, rows in enumerate(sheets.values(), 1):
            body = "".join(f'<row r="{r}">{_cells(row, r)}</row>' for r, row in enumerate(rows, 1))
            book.writestr(
                f"xl/worksheets/sheet{i}.xml",
                f'<worksheet xmlns="{main}"><sheetData>{body}</sheetData></worksheet>',
            )


def _cells(row: list[object], r: int) -> str:
    found = ""
    for j, cell in enumerate(row):
        place = f'r="{chr(65 + j)}{r}"'
        if isinstance(cell, str):
            found += f'<c {place} t="inlineStr"><is><t>{cell}</t></is></c>'
        elif cell is not None:
            found += f"<c {place}><v>{cell}</v></c>"
    return found


def ods(path: Path, rows: list[list[object]]) -> None:
    """Write a sheet of OpenDocument, as small as can be."""
    oasis = "urn:oasis:names:tc:opendocument:xmlns"
    body = "".join(
        "<table:table-row>" + "".join(map(_open_cell, row)) + "</table:table-row>" for row in rows
    )
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        book.writestr(
            "META-INF/manifest.xml",
            f'<manifest:manifest xmlns:manifest="{oasis}:manifest:1.0"/>',
        )
        book.writestr(
            "content.xml",
            f'<office:document-content xmlns:office="{oasis}:office:1.0" '
            f'xmlns:table="{oasis}:table:1.0" xmlns:text="{oasis}:text:1.0"><office:body>'
            f'<office:spreadsheet><table:table table:name="Sheet1">{body}</table:table>'
            "</office:spreadsheet></office:body></office:document-content>",
        )


def _open_cell(cell: object) -> str:
    if isinstance(cell, str):
        return (
            f'<table:table-cell office:value-type="string"><text:p>{cell}</text:p>'
            "</table:table-cell>"
        )
    return f'<table:table-cell office:value-type="float" office:value="{cell}"/>'


ROWS: list[list[object]] = [list(FRAME.columns), *(list(row) for row in FRAME.values.tolist())]


def test_workbooks_are_read(tmp_path: Path) -> None:
    pytest.importorskip("python_calamine")
    book, sheet = tmp_path / "book.xlsx", tmp_path / "sheet.ods"
    ods(sheet, ROWS)
    check(quiet(sheet))
    xlsx(book, {"Data": ROWS})
    check(quiet(book))
    xlsx(book, {"About": [["a", "b"], [1.5, 2.5], [2.5, 3.5]], "Data": ROWS})
    check(quiet(book, sheet="Data"))
    assert noted(book, "sheet 'About' was read; the others are 'Data': --sheet").names == ("a", "b")
    assert describe(book, Reading(sheet="Data")).n_rows == 4
    with pytest.raises(DataError, match=r"unknown sheet 'Dta' \(did you mean 'Data'"):
        read_data(book, sheet="Dta")
    xlsx(book, {"Data": [["A title"], [], *ROWS]})
    with pytest.raises(DataError, match="line 3 looks like the header: --skip 2"):
        read_data(book)
    check(quiet(book, skip=2))
    xlsx(book, {"Data": [["", "a"], [1, 1.5], [2, "oops"], *([i, i + 0.25] for i in range(3, 30))]})
    with pytest.warns(DataWarning), pytest.raises(DataError, match=r"line 3, column 'a'.*'oops'"):
        read_data(book)


def test_a_workbook_without_its_reader_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    book = tmp_path / "book.xlsx"
    xlsx(book, {"Data": ROWS})
    for look in (read_data, describe):
        with pytest.raises(DataError, match=r"pip install 'dagathlon\[excel\]', or save the sheet"):
            look(book)


def test_workbooks_under_another_name_are_told(file: Path) -> None:
    xlsx(file, {"Data": ROWS})
    with pytest.raises(DataError, match="a packed one; if it is a workbook"):
        read_data(file)
    broken = file.with_suffix(".xlsx")
    broken.write_text("a,b\n1,2\n")
    pytest.importorskip("python_calamine")
    with pytest.raises(DataError, match="not a readable workbook"):
        read_data(broken)


def test_a_workbook_with_a_broken_list_of_parts_is_told(tmp_path: Path) -> None:
    book = tmp_path / "book.xlsx"
    xlsx(book, {"Data": ROWS})
    book.write_bytes(book.read_bytes().replace(b"PK\x01\x02", b"PK\x01\x00", 1))
    assert zipfile.is_zipfile(book)
    with pytest.raises(DataError, match="not a readable workbook"):
        read_data(book)


def test_a_workbook_with_a_cell_far_away_is_not_filled_up(tmp_path: Path) -> None:
    pytest.importorskip("python_calamine")
    book = tmp_path / "book.xlsx"
    xlsx(book, {"Data": [[1]]})
    with zipfile.ZipFile(book) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(book, "w") as archive:
        for name, content in parts.items():
            far = content.replace(b'r="A1"', b'r="XFD1048576"').replace(b'r="1"', b'r="1048576"')
            archive.writestr(name, far)
    with pytest.raises(DataError, match=r"1,048,576 rows and 16,384 columns.*50,000,000 cells"):
        read_data(book)


@pytest.mark.parametrize("close", ["><v>1</v></c>", "/>"])
def test_two_cells_far_from_each_other_ask_for_no_memory(tmp_path: Path, close: str) -> None:
    """A cell with content is refused before room is made; one with a style alone is no content."""
    pytest.importorskip("python_calamine")
    book = tmp_path / "book.xlsx"
    xlsx(book, {"Data": [["a", "b"], [1, 2], [3, 4]]})
    with zipfile.ZipFile(book) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    row = f'<row r="1048576"><c r="XFD1048576" s="0"{close}</row></sheetData>'.encode()
    with zipfile.ZipFile(book, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content.replace(b"</sheetData>", row))
    if close == "/>":
        assert read_data(book).names == ("a", "b")
        return
    with pytest.raises(DataError, match=r"1,048,576 rows and 16,384 columns"):
        read_data(book)


def _with_part(book: Path, name: str, content: str) -> None:
    with zipfile.ZipFile(book) as archive:
        parts = {part: archive.read(part) for part in archive.namelist()}
    with zipfile.ZipFile(book, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, old in {**parts, name: content.encode()}.items():
            archive.writestr(part, old)


@pytest.fixture
def unread(monkeypatch: pytest.MonkeyPatch) -> None:
    """No workbook is opened by the library."""
    library = pytest.importorskip("python_calamine")
    monkeypatch.setattr(library, "CalamineWorkbook", None)


@pytest.mark.usefixtures("unread")
def test_a_shared_text_in_many_cells_is_refused_before_it_is_copied(tmp_path: Path) -> None:
    book = tmp_path / "book.xlsx"
    xlsx(book, {"Data": ROWS})
    cells = "".join(f'<row r="{i}"><c r="A{i}" t="s"><v>1</v></c></row>' for i in range(1, 30_000))
    sheet = f"<worksheet><sheetData>{cells}</sheetData></worksheet>"
    _with_part(book, "xl/worksheets/sheet1.xml", sheet)
    text = "b" * 300_000
    _with_part(book, "xl/sharedStrings.xml", f"<sst><si><t>a</t></si><si><t>{text}</t></si></sst>")
    assert book.stat().st_size < 200_000
    for look in (read_data, describe):
        with pytest.raises(DataError, match=r"the cells hold more than .* bytes of text"):
            look(book)


@pytest.mark.usefixtures("unread")
@pytest.mark.parametrize("repeated", ["rows", "columns"])
def test_a_repeated_text_is_refused_before_it_is_copied(tmp_path: Path, repeated: str) -> None:
    sheet = tmp_path / "sheet.ods"
    ods(sheet, [["a", "b"], ["x" * 900_000, "y"]])
    with zipfile.ZipFile(sheet) as archive:
        content = archive.read("content.xml").decode()
    tag = {"rows": "<table:table-row", "columns": "<table:table-cell"}[repeated]
    many = content.replace(tag, f'{tag} table:number-{repeated}-repeated="16000"')
    _with_part(sheet, "content.xml", many)
    with pytest.raises(DataError, match=r"the cells hold more than .* bytes of text"):
        read_data(sheet)


@pytest.mark.usefixtures("unread")
def test_a_cell_without_end_is_refused_before_it_is_copied(tmp_path: Path) -> None:
    book = tmp_path / "book.xlsx"
    xlsx(book, {"Data": [["a"], ["x" * (3 << 20)]]})
    with pytest.raises(DataError, match="a cell has more than 1,048,576 bytes of text"):
        read_data(book)


def test_empty_cells_may_be_repeated(tmp_path: Path) -> None:
    """As far as a sheet goes, as programs write it."""
    pytest.importorskip("python_calamine")
    sheet = tmp_path / "sheet.ods"
    ods(sheet, ROWS)
    with zipfile.ZipFile(sheet) as archive:
        content = archive.read("content.xml").decode()
    rest = (
        '<table:table-row table:number-rows-repeated="1048000">'
        '<table:table-cell table:number-columns-repeated="16000"/></table:table-row></table:table>'
    )
    _with_part(sheet, "content.xml", content.replace("</table:table>", rest))
    check(quiet(sheet))
