"""Reading and writing data of any supported kind."""

from __future__ import annotations

import contextlib
import gzip
import os
import uuid
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa

from dagathlon.data.dataset import Dataset
from dagathlon.data.preparing.gaps import spellings
from dagathlon.data.reading.arrow_arrays import with_narrow_labels
from dagathlon.data.reading.frames import (
    ARROW_SUFFIXES,
    from_frame,
    from_matrix,
    read_table_file,
)
from dagathlon.data.reading.labels import looks_like_data
from dagathlon.data.reading.preview import constant_columns, row_names
from dagathlon.data.reading.read_csv import read_csv
from dagathlon.data.reading.request import MISSING, ColumnRequest, Kind, TextLayout, request_of
from dagathlon.data.reading.table_files import PARQUET_SUFFIXES
from dagathlon.data.writing.export import to_arrow
from dagathlon.data.writing.write_csv import write_csv
from dagathlon.errors import DataError, DataWarning, listing, not_written, unknown

_FORMATS = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "tsv",
    **dict.fromkeys(PARQUET_SUFFIXES, "parquet"),
    **dict.fromkeys(ARROW_SUFFIXES, "arrow"),
}
_DELIMITERS = {"csv": ",", "tsv": "\t"}


def read_data(
    source: Any,
    *,
    kinds: Kind | Mapping[str, Kind] | None = None,
    levels: Mapping[str, Sequence[str]] | None = None,
    missing: str | Sequence[str] = MISSING,
    delimiter: str | None = None,
    cardinality_row: bool | None = None,
    names: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] | None = None,
    header: bool = True,
    decimal: str | None = None,
    encoding: str | None = None,
    skip: int = 0,
    sheet: str | None = None,
    recode: Mapping[str, Mapping[str, str]] | None = None,
) -> Dataset:
    """Read a data set from a file or take it over from another library's table.

    Parameters
    ----------
    source
        A text file (``.csv``, ``.tsv``, ``.txt`` or any other ending, also packed as ``.gz``), a
        workbook (``.xlsx``, ``.xls``, ``.ods``; needs ``dagathlon[excel]``), a Parquet file
        (``.parquet``, ``.pq``), an Arrow file (``.arrow``, ``.feather``, ``.ipc``), a pandas or
        polars data frame, a pyarrow table, or a numpy matrix.
    kinds
        For all columns or by name (``"*"`` is all others): ``"continuous"``; ``"categorical"`` (or
        ``"discrete"``), levels without an order; ``"ordinal"``, levels in an order, that of
        numbers or of `levels`; ``"id"`` and ``"ignore"`` leave the column out. By default the
        content decides: text is discrete; numbers are continuous, but a column of whole numbers
        (written without a fraction) that all lie between 0 and 19, and are not more than ten
        different ones, is discrete: more are counts. A column without any value is continuous.
        Text amid what must be measurements (more than 20 different numbers, or fractions that
        hardly ever repeat) is an error.
    levels
        Levels by column name, in the order of their codes, for discrete columns whose levels
        should have a certain order or do not all occur. By default the levels are those that
        occur, sorted: as numbers if all of them are numbers, else as text.
    missing
        Fields of a text file that mean a missing value, by default ``NA``, ``N/A``, ``NaN``,
        ``nan``, ``null``, ``NULL`` and ``?``; an empty field always does. Of other tables, null and
        NaN are missing, and the words and numbers here that are none of the default ones.
    delimiter
        The separator of a text file's fields. By default comma, semicolon or tab: the one
        that stands most often in the header.
    cardinality_row
        Whether the first row below the header of a text file holds the numbers of levels, as in
        Benchpress's discrete data, where values are codes from 0. By default it does when every
        field in it is a whole number from 1 to 65,535, a row follows, and every other field is
        empty or a whole number below the one of its column. An ordinary table of whole numbers
        whose first row exceeds all others in every column looks the same: pass ``False`` for it.
    names
        Column names of a numpy matrix; by default ``V1``, ``V2``, ….
    drop, keep
        Names of columns to leave out, or of the only ones to take; a column that is left out need
        not be readable.
    header
        Whether the first line of a text file holds the names of the columns; without them they are
        called ``V1``, ``V2``, ….
    decimal
        The decimal sign of a text file, ``"."`` or ``","``. By default a comma where the first rows
        leave no doubt, else a point.
    encoding
        The encoding of a text file, such as ``"cp1252"`` or ``"utf-16"``. By default what its first
        bytes name, else UTF-8, else UTF-16 or cp1252 with a warning.
    skip
        Number of lines above the header of a text file or workbook, such as titles.
    sheet
        The sheet of a workbook, by default the first one.
    recode
        New labels by old ones, by column, such as ``{"sex": {"F": "f", "Female": "f"}}``; an empty
        new label is a missing value. Kinds and levels are those of the new labels.

    Returns
    -------
    Dataset

    Raises
    ------
    DataError
        With the file, the line and the column of the error.

    Warns
    -----
    DataWarning
        When columns have one value only, name or number the rows, or hold six or more different
        small whole numbers, which may be levels or counts; when a first column without a name was
        left out; when an encoding or a sheet was guessed.

    Notes
    -----
    In a text file, columns on the right that repeat names of variables hold 0 or 1 and say in
    which rows the variable was intervened on; in tables, columns ``do(NAME)`` of booleans do.
    Blanks around fields are taken off. ``NaN`` is missing; infinite numbers are refused.
    """
    missing = spellings((missing,) if isinstance(missing, str) else missing)
    beyond = frozenset(missing) - frozenset(MISSING)
    request = replace(request_of(kinds, levels, drop, keep), missing=beyond, recode=recode or {})
    layout = TextLayout(delimiter, decimal, header, cardinality_row, encoding, skip, sheet)
    if isinstance(source, str | os.PathLike):
        data = _read_file(source, request, missing, layout)
    elif isinstance(source, np.ndarray):
        data = from_matrix(source, names, request)
    else:
        data = from_frame(source, request)
    is_file = isinstance(source, str | os.PathLike)
    where = source if is_file else type(source).__name__
    has_names = is_file and header and not is_table_file(source)
    for message in _doubts(data, has_names):
        warnings.warn(f"{where}: {message}", DataWarning, stacklevel=2)
    return data


def _doubts(data: Dataset, in_first_line: bool) -> Iterator[str]:
    """Yield warnings about the data: constant columns, row numbers, names that look like values."""
    strange = looks_like_data(data.names) if in_first_line else ""
    if strange:
        yield (
            f"{strange!r} is a strange name of a column; if the first line holds data, say so: "
            "--no-header, or header=False in Python"
        )
    constant, names = constant_columns(data), row_names(data)
    if constant:
        columns, them = ("columns", "them") if len(constant) > 1 else ("column", "it")
        yield (
            f"{columns} {listing(map(repr, constant))} with one value only; nothing can be "
            f"learned about {them}"
        )
    if names:
        columns, are, them = ("columns", "they are", "them")
        if len(names) == 1:
            columns, are, them = ("column", "it is", "it")
        yield (
            f"{columns} {listing(map(repr, names))} with another value in each row, like names or "
            f"numbers of the rows; if {are} that, leave {them} out"
        )


def _read_file(
    path: str | os.PathLike[str],
    request: ColumnRequest,
    missing: Sequence[str],
    layout: TextLayout,
) -> Dataset:
    if is_table_file(path):
        return read_table_file(path, request)
    return read_csv(path, request, missing, layout)


def is_table_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file is Parquet or Arrow, with typed columns, rather than text."""
    return _FORMATS.get(Path(path).suffix.lower()) in ("parquet", "arrow")


def write_data(
    data: Dataset,
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    labels: bool = False,
) -> None:
    """Write a data set to a file, atomically.

    Parameters
    ----------
    data
        The data.
    path
        The file; ``.gz`` after the ending of a text file compresses it.
    format
        ``csv``, ``tsv``, ``parquet`` or ``arrow``; by default from the ending of `path`.
    labels
        For text files. By default they are written as Benchpress writes them: discrete columns
        as codes from 0, below a row of the numbers of levels if all columns are discrete.
        ``True`` writes an ordinary table with the levels' labels and no such row; to read the
        labels back as the same codes, pass `levels` to `read_data`.

    Notes
    -----
    Parquet and Arrow files keep everything: levels, kinds, missing values and interventions.
    """
    file = Path(path)
    form = _format_of(file) if format is None else format
    if form not in _FORMATS.values():
        raise DataError(unknown("format", form, sorted(set(_FORMATS.values()))))
    with _replacing(file) as sink:
        if form in _DELIMITERS:
            _write_text(data, sink, file.suffix == ".gz", form, labels)
        else:
            _write_table(data, sink, form)


def _format_of(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = suffixes[-1:] == [".gz"]
    suffix = suffixes[-2:-1] if packed else suffixes[-1:]
    form = _FORMATS.get(suffix[0]) if suffix else None
    if form is None or (packed and form not in _DELIMITERS):
        raise DataError(
            f"{path}: no format has this ending; known: {', '.join(_FORMATS)}, "
            "and .gz behind those of text files"
        )
    return form


@contextlib.contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces `path` on success and is removed on failure."""
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        with temporary.open("xb") as sink:
            yield sink
        temporary.replace(path)
    except OSError as error:
        raise DataError(not_written(path, error)) from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def _write_text(data: Dataset, sink: IO[bytes], packed: bool, form: str, labels: bool) -> None:
    if not packed:
        write_csv(data, sink, _DELIMITERS[form], labels)
        return
    # Without a name and a time in the file, the same data give the same bytes.
    with gzip.GzipFile("", fileobj=sink, mode="wb", compresslevel=6, mtime=0) as packing:
        write_csv(data, packing, _DELIMITERS[form], labels)


def _write_table(data: Dataset, sink: IO[bytes], form: str) -> None:
    if form == "parquet":
        import pyarrow.parquet as pq  # noqa: PLC0415

        pq.write_table(to_arrow(data), sink)
        return
    # One batch of codes as a data set holds them, so that a reader can use the file where it lies.
    table = with_narrow_labels(to_arrow(data))
    with pa.ipc.new_file(sink, table.schema) as file:
        file.write_table(table)
