"""The columns of a file, one by one: as they are written, and how they are parsed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from dagathlon.data.inspection.remarks import Remark
from dagathlon.data.preparing.gaps import spellings
from dagathlon.data.reading.arrow_arrays import chunk_numbers, column_numbers
from dagathlon.data.reading.cardinality import coded
from dagathlon.data.reading.column_plan import ColumnPlan
from dagathlon.data.reading.columns import plan_column
from dagathlon.data.reading.files import is_table_file
from dagathlon.data.reading.frames import (
    LEFT_OUT,
    entries_of,
    indicators_of,
    load_table,
    row_labels,
    with_written,
)
from dagathlon.data.reading.header import REFUSED, distinct_names
from dagathlon.data.reading.labels import Labels, looks_like_data, plain_number, with_recoded
from dagathlon.data.reading.options import Reading
from dagathlon.data.reading.read_csv import cardinalities_of
from dagathlon.data.reading.request import MISSING, ColumnRequest
from dagathlon.data.reading.text_file import TitleLinesError
from dagathlon.data.reading.text_table import TextTable
from dagathlon.data.variable import Variable
from dagathlon.errors import DataError, listing
from dagathlon.wording import agreeing


class FoundColumn(NamedTuple):
    """One column of a file, with its values and the plan to convert it.

    Parameters
    ----------
    name
        Its name.
    values
        Numbers, codes of labels in the order of `words`; NaN where missing.
    words
        Labels of a column of text, with how often each occurs; None for numbers.
    plan
        How it is parsed; None where it is left out or cannot be read.
    problem
        Why it cannot be read.
    """

    name: str
    values: npt.NDArray[np.float64]
    words: dict[str, int] | None
    plan: ColumnPlan | None
    problem: str = ""


class Source(NamedTuple):
    """An opened file: remarks about it, its columns, all names and the names left out."""

    remarks: tuple[Remark, ...]
    columns: Iterator[FoundColumn]
    n_rows: int
    names: tuple[str, ...]
    left_out: tuple[str, ...]


def open_source(path: str | os.PathLike[str], reading: Reading) -> Source:
    """Open a file for inspection; raise `DataError` if it cannot be read at all."""
    return _opened_table(path, reading) if is_table_file(path) else _opened_text(path, reading)


def _opened_table(path: str | os.PathLike[str], reading: Reading) -> Source:
    table = load_table(path)
    remarks: tuple[Remark, ...] = ()
    names = distinct_names(table.column_names)
    if names != table.column_names:
        changed = [name for name, was in zip(names, table.column_names, strict=True) if name != was]
        text = (
            f"columns have the same name or none, and {REFUSED}; here they are "
            f"called {listing(map(repr, changed))}"
        )
        table, remarks = table.rename_columns(names), (Remark("names", text),)
    labels = sorted(row_labels(table.schema, reading.request()))
    remarks += tuple(Remark("names", LEFT_OUT.format(name)) for name in labels)
    request = with_written(table.schema, reading.request())
    marks = indicators_of(table.column_names, table.columns)
    names = [name for j, name in enumerate(table.column_names) if j not in marks.values()]
    request.check(names, str(path))
    if not table.num_rows:
        raise DataError(f"{path}: no rows")
    wanted = {name: table.column(name) for name in names if request.wants(name)}
    left_out = tuple(name for name in names if name not in wanted)
    filled = {name: entries_of(name, column, request) for name, column in wanted.items()}
    columns = _found(filled, request, None)
    remarks += tuple(_of_targets(tuple(marks)))
    return Source(remarks, columns, table.num_rows, tuple(names), left_out)


def _opened_text(path: str | os.PathLike[str], reading: Reading) -> Source:
    request = reading.request()
    table, remarks = _text_table(path, reading)
    names = table.names
    request.check(names, table.label)
    columns = table.columns(request, table.plain(request))
    try:
        cardinalities = cardinalities_of(table, columns, request)
    except DataError as error:
        if reading.cardinality_row:
            raise
        cardinalities = None
        remarks.append(Remark("cardinality row", str(error), None, "cardinality-row", "no"))
    wanted = {
        name: with_recoded(name, column, request.recode.get(name, {}), table.missing)
        for name, column in columns.variables.items()
    }
    left_out = tuple(name for name in names if name not in wanted)
    n_rows = len(next(iter(wanted.values())))
    remarks += [*_remarks(table, reading), *_of_targets(table.header.indicators)]
    if cardinalities is None:
        parsed = _found(wanted, request, table.missing)
        return Source(tuple(remarks), parsed, n_rows, names, left_out)
    text = "the second line was taken for the numbers of levels, as in Benchpress's files"
    remarks.append(Remark("cardinality row", text, None, "cardinality-row", "no"))
    parsed = _coded(wanted, cardinalities)
    return Source(tuple(remarks), parsed, n_rows - 1, names, left_out)


def _text_table(path: str | os.PathLike[str], reading: Reading) -> tuple[TextTable, list[Remark]]:
    """Open a text file tolerantly, skipping title lines; return the table and remarks."""
    missing = spellings((*MISSING, *reading.na))
    try:
        return TextTable(path, reading.layout(), missing, tolerant=True), []
    except TitleLinesError as error:
        skip = error.skip
    layout = replace(reading.layout(), skip=skip)
    lines = "the first line is" if skip == 1 else f"the first {skip} lines are"
    text = f"{lines} not part of the table, which is shown without"
    remark = Remark("titles", text, None, "skip", str(skip), advised=True)
    return TextTable(path, layout, missing, tolerant=True), [remark]


def _remarks(table: TextTable, reading: Reading) -> Iterator[Remark]:
    strange = looks_like_data(table.names) if reading.header else ""
    if strange:
        text = f"the first line looks like data: {strange!r} is a strange name"
        yield Remark("no header", text, None, "no-header", advised=True)
    yield from (Remark("reading", note) for note in table.notes)
    if table.decimal == "," and reading.decimal is None:
        text = "commas were taken for decimal signs"
        yield Remark("decimal comma", text, None, "decimal", ".")


def _of_targets(targets: Sequence[str]) -> Iterator[Remark]:
    """Yield a remark on columns that mark the rows with interventions."""
    if targets:
        columns = agreeing(len(targets), "a column marks", "columns mark")
        text = f"{columns} the rows of interventions on {listing(targets)}"
        yield Remark("interventions", text)


def _found(
    columns: dict[str, Any], request: ColumnRequest, missing: frozenset[str] | None
) -> Iterator[FoundColumn]:
    for name in list(columns):
        column = columns.pop(name)
        plan, problem = None, ""
        try:
            plan = plan_column(name, column, request, _nowhere, missing)
        except DataError as error:
            problem = str(error).removeprefix(f"{_nowhere(0)}, column {name!r}: ")
        values, words = _content(name, column, missing)
        if words is not None and plan is not None and not plan.variable.is_discrete:
            # Numbers that are written as text: with signs, or too seldom different.
            values, words = _spelled(values, list(words)), None
        yield FoundColumn(name, values, words, plan, problem)


def _spelled(codes: npt.NDArray[np.float64], words: list[str]) -> npt.NDArray[np.float64]:
    numbers = np.array([*(float(plain_number(word)) for word in words), np.nan])
    values: npt.NDArray[np.float64] = numbers[np.nan_to_num(codes, nan=len(words)).astype(np.intp)]
    return values


def _coded(columns: dict[str, Any], cardinalities: dict[str, int]) -> Iterator[FoundColumn]:
    for name, cardinality in cardinalities.items():
        column = coded(columns[name])
        plan = ColumnPlan(Variable.coded(name, cardinality), column)
        values = column_numbers(column.cast(pa.float64()))
        yield FoundColumn(name, values, None, plan)


def _content(
    name: str, column: Any, missing: frozenset[str] | None
) -> tuple[npt.NDArray[np.float64], dict[str, int] | None]:
    """Return a column as numbers, or as codes with the code of each word."""
    kind = column.type
    if pt.is_integer(kind) or pt.is_floating(kind) or pt.is_null(kind) or pt.is_decimal(kind):
        return column_numbers(column.cast(pa.float64(), safe=False)), None
    if not pt.is_dictionary(kind):
        column = _texts(column).dictionary_encode()
    labels = Labels(name, column, _nowhere, missing)
    occurring = [word for word in labels.words if word is not None]
    number = {word: float(code) for code, word in enumerate(dict.fromkeys(occurring))}
    table = np.array([*(np.nan if w is None else number[w] for w in labels.words), np.nan])
    last = len(labels.words)
    chunks = [chunk_numbers(chunk.indices, last) for chunk in labels.column.chunks]
    places = np.concatenate(chunks).astype(np.intp)
    counts: dict[str, int] = dict.fromkeys(number, 0)
    for word, count in zip(labels.words, labels.counts(), strict=True):
        if word is not None:
            counts[word] += int(count)
    return table[places], counts


def _texts(column: Any) -> Any:
    """Convert entries of any type to text; lists and the like as Python prints them."""
    try:
        return column.cast(pa.string())
    except pa.ArrowException:
        texts = [None if entry is None else str(entry) for entry in column.to_pylist()]
        return pa.chunked_array([pa.array(texts, pa.string())])


def _nowhere(row: int) -> str:
    return "the file"
