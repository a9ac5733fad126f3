"""Tables of pyarrow, pandas, polars and numpy, and Parquet and Arrow files, as data sets.

Text, booleans and categories are discrete, floating-point numbers continuous, whole numbers as in
text files; null and NaN are missing. ``do(X)`` columns of booleans are interventions on ``X``, as
`dagathlon.data.writing.export` writes them.
"""

from __future__ import annotations

import json
import math
import os
import re
import warnings
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from dagathlon.data.dataset import Dataset
from dagathlon.data.preparing.gaps import with_gaps
from dagathlon.data.preparing.regimes import Regimes, regimes_of_mask
from dagathlon.data.reading.arrow_arrays import number_array, usable_in_place
from dagathlon.data.reading.column_plan import execute_plans, warn_of_guesses
from dagathlon.data.reading.columns import plan_column
from dagathlon.data.reading.labels import shown, with_recoded, word_of
from dagathlon.data.reading.large_file import read_large
from dagathlon.data.reading.request import ColumnRequest
from dagathlon.data.reading.table_files import (
    PARQUET_SUFFIXES,
    read_arrow,
    read_in_place,
    read_parquet,
    reading_errors,
    table_rows,
    table_schema,
)
from dagathlon.data.reading.unpacking import TooLargeError, most_unpacked
from dagathlon.data.variable import first_repeated
from dagathlon.data.writing.export import LEVELS_KEY, ORDERED_KEY, indicator_name
from dagathlon.errors import DataError, DataWarning, listing
from dagathlon.wording import counted

_DOUBLE = 8
_INDEX = re.compile(r"__index_level_\d+__")
LEFT_OUT = "pandas has written the labels of the rows as {!r}; they were left out"
ARROW_SUFFIXES = (".arrow", ".feather", ".ipc")
_MARKED_ROW = 32
"""Memory per row, in bytes, for deriving the regime from intervention marks."""


def read_table_file(path: str | os.PathLike[str], request: ColumnRequest) -> Dataset:
    """Read a Parquet or Arrow file, chosen by its ending."""
    try:
        table = load_table(path)
    except TooLargeError:
        return _read_too_large(Path(path), request)
    _note_row_labels(path, table.schema, request)
    wanted = with_written(table.schema, request)
    mapped = Path(path).suffix.lower() in ARROW_SUFFIXES
    return _from_columns(table.column_names, table.columns, wanted, str(path), mapped)


def _note_row_labels(path: str | os.PathLike[str], schema: Any, request: ColumnRequest) -> None:
    for name in sorted(row_labels(schema, request)):
        warnings.warn(f"{path}: {LEFT_OUT.format(name)}", DataWarning, stacklevel=5)


def load_table(path: str | os.PathLike[str]) -> Any:
    """Load the table of a Parquet or Arrow file, chosen by its ending."""
    with reading_errors(Path(path), str(path)):
        table = _loaded(Path(path), str(path))
        table.validate(full=True)
    return table


def _read_too_large(path: Path, request: ColumnRequest) -> Dataset:
    """Read a file too large for memory, whose cells stay on the disk."""
    if request.recode:
        raise TooLargeError(most_unpacked(), str(path), "; it cannot be recoded where it lies")
    with reading_errors(path, str(path)):
        schema = table_schema(path)
        _note_row_labels(path, schema, request)
        fields = list(schema)
        asked = with_written(schema, request)
        wanted, marks = _wanted(schema.names, fields, asked, str(path))
        chosen = [fields[j] for j in wanted]
        _check_room_for_marks(path, marks)
        data = _used_in_place(path, [field.name for field in chosen], list(marks), asked)
        return data or _in_temporary_file(path, chosen, list(marks), asked)


def _in_temporary_file(
    path: Path, fields: Sequence[Any], targets: Sequence[str], request: ColumnRequest
) -> Dataset:
    table = read_large(path, fields, list(map(indicator_name, targets)), request)
    places = {name: i for i, name in enumerate(targets)}
    regimes = _regimes(places, table.marks, str(path)) if targets else None
    data = Dataset(table.variables, table.codes, table.values, regimes)
    warn_of_guesses(table.guessed, str(path), 6)
    return data


def _check_room_for_marks(path: Path, marks: Collection[str]) -> None:
    if marks and table_rows(path) * (len(marks) + _MARKED_ROW) > most_unpacked():
        raise TooLargeError(
            most_unpacked(),
            str(path),
            f". The record in which rows {listing(map(repr, marks))} were intervened on needs "
            "more memory than that",
        )


def _used_in_place(
    path: Path, names: Sequence[str], targets: Sequence[str], request: ColumnRequest
) -> Dataset | None:
    """Memory-map an Arrow file as a data set; None if its layout does not allow it."""
    table = None if request.missing else read_in_place(path)
    if table is None or not all(usable_in_place(table.column(name)) for name in names):
        return None
    table.select([*names, *map(indicator_name, targets)]).validate(full=True)
    try:
        return _from_columns(
            table.column_names, table.columns, request, str(path), True, most=most_unpacked()
        )
    except TooLargeError:
        return None


def from_frame(frame: Any, request: ColumnRequest) -> Dataset:
    """Convert a pyarrow, pandas or polars table to a data set.

    The library is recognised by the object's methods, so that none is imported.
    """
    library = type(frame).__module__.partition(".")[0]
    try:
        if isinstance(frame, pa.Table):
            table = frame
        elif library == "pandas" and hasattr(frame, "columns"):
            table = _table_of_pandas(frame)
        elif hasattr(frame, "__arrow_c_stream__"):
            table = pa.table(frame)
        else:
            raise DataError(
                "data come from a file, a pandas, polars or pyarrow table, or a numpy matrix; "
                f"found a {type(frame).__name__}"
            )
    except (pa.ArrowException, ValueError, TypeError) as error:
        raise DataError(f"{library} table: cannot be taken over ({error})") from None
    levels = _category_levels(frame, library)
    return from_table(table, request, f"{library} table", levels, _ordered_names(frame, library))


def from_matrix(
    matrix: npt.NDArray[Any], names: Sequence[str] | None, request: ColumnRequest
) -> Dataset:
    """Convert a numpy matrix to a data set; without names the columns are ``V1``, ``V2``, …."""
    where = "numpy array"
    if matrix.ndim != 2:
        raise DataError(f"{where}: data have rows and columns, found {matrix.ndim} dimensions")
    labels = [f"V{j + 1}" for j in range(matrix.shape[1])] if names is None else list(names)
    if len(labels) != matrix.shape[1]:
        width = counted(matrix.shape[1], "column")
        raise DataError(f"{where}: {counted(len(labels), 'name')} for {width}")
    try:
        columns = [pa.chunked_array([_column_of_matrix(column)]) for column in matrix.T]
    except (pa.ArrowException, ValueError, TypeError) as error:
        raise DataError(f"{where}: neither numbers nor labels ({error})") from None
    return _from_columns(labels, columns, request, where)


def _column_of_matrix(column: npt.NDArray[Any]) -> pa.Array:
    if column.dtype.kind in "iuf" and column.dtype.isnative and column.dtype.itemsize <= _DOUBLE:
        return number_array(column, np.isnan(column) if column.dtype.kind == "f" else None)
    return pa.array(column, from_pandas=True)


def from_table(
    table: Any,
    request: ColumnRequest,
    where: str,
    levels: dict[str, tuple[str, ...]] | None = None,
    ordered: Collection[str] = (),
) -> Dataset:
    """Convert a pyarrow table to a data set; `levels` add to those stored in its schema."""
    wanted = with_written(table.schema, request, levels, ordered)
    return _from_columns(table.column_names, table.columns, wanted, where)


def with_written(
    schema: Any,
    request: ColumnRequest,
    levels: dict[str, tuple[str, ...]] | None = None,
    ordered: Collection[str] = (),
) -> ColumnRequest:
    """Return the request completed by levels and orders stored in a table's schema."""
    known = {**_written_levels(schema), **(levels or {})}
    applicable = {
        name: known[name]
        for name in known
        if request.kind(name) != "continuous" and name not in request.recode
    }
    ordinal = {
        name: "ordinal" for name in applicable if name in ordered or _written_order(schema, name)
    }
    return replace(
        request,
        kinds={**ordinal, **request.kinds},
        levels={**applicable, **request.levels},
        drop=request.drop | row_labels(schema, request),
    )


def row_labels(schema: Any, request: ColumnRequest) -> frozenset[str]:
    """Return unnamed index columns written by pandas that the user did not mention."""
    if request.keep is not None:
        return frozenset()
    labels = {name for name in schema.names if _INDEX.fullmatch(name) and not request.kind(name)}
    return frozenset(labels) - request.drop


def _written_order(schema: Any, name: str) -> bool:
    return ORDERED_KEY in (schema.field(name).metadata or {})


def _from_columns(
    names: Sequence[str],
    columns: Sequence[Any],
    request: ColumnRequest,
    where: str,
    mapped: bool = False,
    *,
    most: float = math.inf,
) -> Dataset:
    wanted, marks = _wanted(names, columns, request, where)
    if not len(columns[0]):
        raise DataError(f"{where}: no rows")

    def place(row: int) -> str:
        return f"{where}, row {row + 1}"

    filled = {j: entries_of(names[j], columns[j], request) for j in wanted}
    plans = [plan_column(names[j], filled[j], request, place) for j in wanted]
    regimes = _regimes(marks, columns, where) if marks else None
    guessed = [plan.variable for plan in plans if plan.guessed]
    data = execute_plans(plans, place, regimes, mapped, most)
    warn_of_guesses(guessed, where, 5 if most == math.inf else 7)
    return data


def entries_of(name: str, column: Any, request: ColumnRequest) -> Any:
    """Apply missing-value codes and recoding to one column."""
    return with_recoded(name, with_gaps(column, request.missing), request.recode.get(name, {}))


def _wanted(
    names: Sequence[str], columns: Sequence[Any], request: ColumnRequest, where: str
) -> tuple[list[int], dict[str, int]]:
    """Return positions of the requested variables, and of their intervention columns by name."""
    _check_names(names, where)
    marks = indicators_of(names, columns)
    variables = [j for j in range(len(names)) if j not in marks.values()]
    request.check([names[j] for j in variables], where)
    return (
        [j for j in variables if request.wants(names[j])],
        {name: j for name, j in marks.items() if request.wants(name)},
    )


def _check_names(names: Sequence[str], where: str) -> None:
    if not names:
        raise DataError(f"{where}: no columns")
    for number, name in enumerate(names, start=1):
        if not isinstance(name, str) or not name:
            raise DataError(f"{where}: column {number} has no name")
    twice = first_repeated(names)
    if twice is not None:
        raise DataError(f"{where}: the name {twice!r} stands twice")


def indicators_of(names: Sequence[str], columns: Sequence[Any]) -> dict[str, int]:
    """Return positions of the intervention columns, by variable; only names and types are used."""
    position = {name: j for j, name in enumerate(names)}
    places = {name: position.get(indicator_name(name), -1) for name in names}
    return {name: j for name, j in places.items() if j >= 0 and pt.is_boolean(columns[j].type)}


def _regimes(marks: dict[str, int], columns: Sequence[Any], where: str) -> Regimes:
    for name, j in marks.items():
        if columns[j].null_count:
            row = columns[j].is_null().to_pylist().index(True)
            raise DataError(
                f"{where}, row {row + 1}, column {indicator_name(name)!r}: found {shown(None)}, "
                "allowed are true and false"
            )
    mask = np.column_stack([columns[j].to_numpy() for j in marks.values()])
    return regimes_of_mask(tuple(marks), mask.astype(bool))


def _category_levels(frame: Any, library: str) -> dict[str, tuple[str, ...]]:
    """Return levels of pandas categories and polars enumerations, in the user's order."""
    if library not in ("pandas", "polars"):
        return {}
    levels = {}
    for name, dtype in zip(frame.columns, frame.dtypes, strict=True):
        if type(dtype).__name__ in ("CategoricalDtype", "Enum") and len(dtype.categories):
            levels[str(name)] = tuple(str(word_of(entry)) for entry in list(dtype.categories))
    return levels


def _ordered_names(frame: Any, library: str) -> set[str]:
    """Return names of ordered columns: ordered categories of pandas, all enumerations of polars."""
    if library != "pandas":
        return set()
    pairs = zip(frame.columns, frame.dtypes, strict=True)
    return {str(name) for name, dtype in pairs if getattr(dtype, "ordered", False)}


def _written_levels(schema: Any) -> dict[str, tuple[str, ...]]:
    """Return the levels that `dagathlon.data.writing.export` stored as field metadata."""
    levels = {}
    for field in schema:
        text = (field.metadata or {}).get(LEVELS_KEY)
        if text is not None and pt.is_dictionary(field.type):
            levels[field.name] = _parsed_levels(text, field.name)
    return levels


def _parsed_levels(text: bytes, name: str) -> tuple[str, ...]:
    try:
        levels = json.loads(text)
    except ValueError:
        levels = None
    if not isinstance(levels, list) or not all(isinstance(level, str) for level in levels):
        raise DataError(f"column {name!r}: its list of levels cannot be read")
    return tuple(levels)


def _loaded(path: Path, label: str) -> Any:
    if path.suffix.lower() not in PARQUET_SUFFIXES:
        return read_arrow(path, label)
    with path.open("rb") as stream:
        return read_parquet(stream, label)


def _table_of_pandas(frame: Any) -> Any:
    """Convert a pandas frame to pyarrow; report an entry of another type than its column."""
    where = "pandas table"
    named = frame.set_axis([str(name) for name in frame.columns], axis="columns")
    _check_names(list(named.columns), where)
    try:
        return pa.Table.from_pandas(named, preserve_index=False)
    except (pa.ArrowException, ValueError, TypeError):
        for name, column in named.items():
            _check_entries(name, column, where)
        raise


def _check_entries(name: str, column: Any, where: str) -> None:
    try:
        pa.array(column, from_pandas=True)
    except (pa.ArrowException, ValueError, TypeError):
        present = [i for i, entry in enumerate(column) if word_of(entry) is not None]
        kinds = {i: type(column.iloc[i]).__name__ for i in present}
        row = next((i for i in present if kinds[i] != kinds[present[0]]), present[0])
        raise DataError(
            f"{where}, row {row + 1}, column {name!r}: found {shown(column.iloc[row])} of type "
            f"{kinds[row]}; a column holds either numbers or labels"
        ) from None
