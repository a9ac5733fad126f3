"""Tables as files: CSV with NA for missing cells, JSON and Parquet."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dagathlon.frame import Frame, Rows, Schema

if TYPE_CHECKING:
    import pyarrow as pa

# The wide signs count in East Asian settings.
_FORMULAS = ("=", "+", "-", "@", "\t", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file atomically; create its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".part")
    partial.write_bytes(content)
    partial.replace(path)


def write_csv(rows: Rows, path: Path, *, numbered: bool = False) -> None:
    """Write a table as CSV; missing cells are NA.

    Parameters
    ----------
    rows
        Cells by column.
    path
        The file.
    numbered
        Whether a first column without a name has the row numbers, as `write.csv` of R writes it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    columns = Frame(rows).columns
    partial = path.with_name(path.name + ".part")
    with partial.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([*([""] if numbered else []), *map(harmless, columns)])
        for number, row in enumerate(rows, 1):
            cells = [_cell(row.get(column)) for column in columns]
            writer.writerow([number, *cells] if numbered else cells)
    partial.replace(path)


def write_json(rows: Rows, path: Path) -> None:
    """Write rows as a JSON list of objects."""
    text = json.dumps(list(rows), indent=1, ensure_ascii=False, allow_nan=False)
    write_bytes(path, f"{text}\n".encode())


def _cell(value: Any) -> Any:
    if value is None:
        return "NA"
    if isinstance(value, float):
        if not math.isfinite(value):
            return "NA" if math.isnan(value) else "Inf" if value > 0 else "-Inf"
        return int(value) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return harmless(value) if isinstance(value, str) else value


def harmless(text: str) -> str:
    """Return a text for a cell of CSV that no spreadsheet takes for a formula.

    Ids, labels and parameters may come from a stranger's study. A text that begins as formulas
    do, and is no number, gets a leading apostrophe; a carriage return becomes a line feed. In
    Parquet and JSON texts are unchanged.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.startswith(_FORMULAS):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text


def write_parquet(rows: Rows, path: Path, schema: Schema = ()) -> None:
    """Write a table as Parquet; a column of several types becomes text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".part")
    Frame(rows, schema).write_parquet(partial)
    partial.replace(path)


def _harmless_column(column: pa.Array) -> pa.Array:
    """Apply `harmless` to a column of CSV."""
    import pyarrow as pa  # noqa: PLC0415 - only when a table is written

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    if not text or not len(column):
        return column
    encoded = column.dictionary_encode()
    words = pa.array([harmless(text) for text in encoded.dictionary.to_pylist()], pa.string())
    return words.take(encoded.indices)


def write_columns(
    blocks: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]], path: Path
) -> None:
    """Write a long table as CSV, block by block.

    Parameters
    ----------
    blocks
        Arrays of equal length by column, and constants by column; all blocks have the same ones.
    path
        The file.
    """
    import pyarrow as pa  # noqa: PLC0415 - only when a table is written
    from pyarrow import csv as arrow_csv  # noqa: PLC0415

    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".part")
    tables = []
    for arrays, constants in blocks:
        columns = {name: pa.array(values) for name, values in arrays.items()}
        length = max(len(column) for column in columns.values())
        for name, value in constants.items():
            columns[name] = pa.repeat(pa.scalar("NA" if value is None else str(value)), length)
        named = {harmless(name): _harmless_column(column) for name, column in columns.items()}
        tables.append(pa.table(named))
    joined = pa.concat_tables(tables, promote_options="permissive")
    arrow_csv.write_csv(joined, partial)
    partial.replace(path)
