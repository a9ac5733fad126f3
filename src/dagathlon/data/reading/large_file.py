"""Parquet and Arrow files too large for memory: their cells go to a memory-mapped temporary file.

The temporary file has no name and disappears with the data. Its pages are loaded and evicted by the
operating system, so that codes and values are ordinary arrays without using memory of their own.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from dagathlon.data.preparing.gaps import with_gaps
from dagathlon.data.reading.arrow_arrays import chunk_numbers, narrowed
from dagathlon.data.reading.column_plan import (
    ColumnPlan,
    apply_table,
    check_finite,
    plan_entries,
)
from dagathlon.data.reading.columns import plan_column
from dagathlon.data.reading.labels import MAX_CODE
from dagathlon.data.reading.request import ColumnRequest
from dagathlon.data.reading.table_files import table_batches, table_rows
from dagathlon.data.reading.unpacking import USUAL_RATIO, TooLargeError, most_unpacked
from dagathlon.data.storage import Codes, CodeType, Values, aligned_empty, code_type, missing_code
from dagathlon.data.variable import MAX_LEVELS, Variable
from dagathlon.errors import DataError, listing

_BATCH = 1 << 25
_CELL = 8
_AT_ONCE = 1 << 22
_WIDE = np.dtype(np.uint16)
_DOUBLE = np.dtype(np.float64)


class LargeTable(NamedTuple):
    """Cells of a file that is too large for memory.

    Parameters
    ----------
    variables
        The columns.
    guessed
        Those that are whole numbers and could be levels or measurements.
    codes, values
        Codes of the discrete columns and values of the others.
    marks
        Columns of interventions, as they are.
    """

    variables: Sequence[Variable]
    guessed: Sequence[Variable]
    codes: Codes
    values: Values
    marks: Sequence[Any]


def read_large(
    path: Path, fields: Sequence[pa.Field], marks: Sequence[str], request: ColumnRequest
) -> LargeTable:
    """Read columns of a file that is too large for memory.

    Kinds and levels are inferred as for smaller files. Columns that are neither labels nor numbers
    as they are raise a `TooLargeError` that names them.
    """
    _check_types(path, [field.name for field in fields if not _is_readable(field, request)])
    reader = _Reader(path, fields, marks, request)
    while (table := reader.table()) is None:
        pass
    return table


def _check_types(path: Path, others: Sequence[str]) -> None:
    """Raise `TooLargeError` if a column of a file too large for memory cannot be read."""
    if others:
        raise TooLargeError(
            most_unpacked(),
            str(path),
            ". Of files that are larger, columns of labels and of numbers are read; "
            f"{listing(map(repr, others))} {'hold' if len(others) > 1 else 'holds'} neither as "
            "requested: leave columns out (drop, --drop of the commands), or say what they are "
            "(kinds, --kinds)",
        )


def _is_readable(field: pa.Field, request: ColumnRequest) -> bool:
    """Whether a column has numbers, or labels that are not requested as numbers."""
    kind = field.type
    if _is_text(kind) or pt.is_boolean(kind):
        return request.kind(field.name) != "continuous"
    number = pt.is_floating(kind) or pt.is_decimal(kind) or pt.is_integer(kind)
    return bool(number or pt.is_null(kind))


def _is_text(kind: Any) -> bool:
    return bool(pt.is_string(kind) or pt.is_large_string(kind) or pt.is_dictionary(kind))


def _is_measured(field: pa.Field, request: ColumnRequest) -> bool:
    """Whether a readable column holds measurements whatever its numbers are."""
    kind, asked = field.type, request.kind(field.name)
    if _is_text(kind) or pt.is_boolean(kind) or asked == "discrete":
        return False
    return asked == "continuous" or not pt.is_integer(kind)


class _Reader:
    """Reader that codes each column of labels in one pass, values numbered by first occurrence.

    Where a column turns out to need wider codes, or to hold measurements, the pass is repeated.
    """

    def __init__(
        self,
        path: Path,
        fields: Sequence[pa.Field],
        marks: Sequence[str],
        request: ColumnRequest,
    ) -> None:
        self.path, self.fields, self.request, self.marks = path, fields, request, marks
        self.n_rows = table_rows(path)
        if not self.n_rows:
            raise DataError(f"{path}: no rows")
        self.dtype: CodeType = np.dtype(np.uint8)
        self.measured = {field.name for field in fields if _is_measured(field, request)}

    def table(self) -> LargeTable | None:
        """Read all cells; None if `dtype` or `measured` were wrong, which are corrected."""
        if self._size > USUAL_RATIO * self.path.stat().st_size:
            raise TooLargeError(most_unpacked(), str(self.path))
        labels = [field for field in self.fields if field.name not in self.measured]
        numbers = [field.name for field in self.fields if field.name in self.measured]
        distinct = [DistinctValues(field, self.dtype) for field in labels]
        codes, values = self._room(len(labels), self.dtype), self._room(len(numbers), _DOUBLE)
        marks: list[list[Any]] = [[] for _ in self.marks]
        for before, batch in self._batches():
            rows = slice(before, before + len(batch))
            coded = [self._codes(found, batch, before) for found in distinct]
            for target, part in zip(codes[rows].T, coded, strict=True):
                if part is None:
                    return None
                target[:] = part
            for name, target in zip(numbers, values[rows].T, strict=True):
                target[:] = self._numbers(batch.column(name))
                check_finite(target, name, partial(self._place, before=before))
            for name, parts in zip(self.marks, marks, strict=True):
                parts.append(batch.column(name))
        return self._planned(distinct, codes, values, list(map(pa.chunked_array, marks)))

    def _place(self, row: int, before: int = 0) -> str:
        return f"{self.path}, row {before + row + 1}"

    @property
    def _size(self) -> int:
        """Bytes of all cells."""
        n_labels = len(self.fields) - len(self.measured)
        return self.n_rows * (n_labels * self.dtype.itemsize + len(self.measured) * _CELL)

    def _room(self, columns: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        """Return an uninitialised array, in a temporary file unless all cells fit into memory."""
        if self._size <= most_unpacked() or not columns:
            return aligned_empty(self.n_rows, columns, dtype)
        mapped = _mapped(self.n_rows * columns * dtype.itemsize)
        return np.frombuffer(mapped, dtype).reshape((self.n_rows, columns), order="F")

    def _batches(self) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Yield the batches of the file, each with the number of rows before it."""
        names = [*(field.name for field in self.fields), *self.marks]
        size = max(1, _BATCH // (len(names) * _CELL))
        passed = 0
        for whole in table_batches(self.path, names, size):
            for start in range(0, len(whole), size):
                batch = whole.slice(start, size)
                batch.validate(full=True)
                if passed + len(batch) > self.n_rows:
                    raise ValueError(f"it has more rows than {self.n_rows}")
                yield passed, batch
                passed += len(batch)
        if passed < self.n_rows:
            raise ValueError(f"it has {passed} rows, not {self.n_rows}")

    def _numbers(self, column: Any) -> Values:
        if _is_text(column.type):  # without any label
            return np.full(len(column), np.nan)
        column = with_gaps(column, self.request.missing)
        return chunk_numbers(column.cast(pa.float64(), safe=False), np.nan)

    def _codes(self, found: DistinctValues, batch: Any, before: int) -> Codes | None:
        """Return the codes of a batch; None if it has measurements or needs wider codes."""
        known = len(found)
        codes = found.codes(batch.column(found.name), before)
        if len(found) > known:
            whole = pt.is_integer(found.type) and self.request.kind(found.name) is None
            if whole and self._plan(found).table is None:
                self.measured.add(found.name)
                return None
            if len(found) > MAX_LEVELS:
                self._plan(found)
        if found.fits:
            return codes
        if self.dtype == _WIDE:
            raise DataError(
                f"{self._place(0)}, column {found.name!r}: found more than {MAX_LEVELS} different "
                f"labels; a discrete column has at most {MAX_LEVELS} levels"
            )
        self.dtype = _WIDE
        return None

    def _plan(self, found: DistinctValues) -> ColumnPlan:
        rows = found.first_rows
        column = with_gaps(found.column(), self.request.missing)
        return plan_column(found.name, column, self.request, lambda row: self._place(rows[row]))

    def _planned(
        self, distinct: Sequence[DistinctValues], codes: Codes, values: Values, marks: Sequence[Any]
    ) -> LargeTable | None:
        """Recode the codes to the inferred levels; None if a column has no values at all."""
        plans = [self._plan(found) for found in distinct]
        empty = {plan.variable.name for plan in plans if not plan.variable.is_discrete}
        if empty:
            self.measured |= empty
            return None
        dtype = code_type(plan.variable.arity for plan in plans)
        target = codes if dtype == codes.dtype else self._room(len(plans), dtype)
        for j, (found, plan) in enumerate(zip(distinct, plans, strict=True)):
            gap = missing_code(dtype)
            table = np.full(missing_code(codes.dtype) + 1, gap, np.int64)
            table[found.met] = np.concatenate(list(plan_entries(plan, gap)))
            _recode(codes[:, j], target[:, j], table, found.met)
        known = {plan.variable.name: plan.variable for plan in plans}
        variables = [known.get(field.name, Variable(field.name)) for field in self.fields]
        guessed = {plan.variable.name for plan in plans if plan.guessed} | self._small(values)
        doubtful = [variable for variable in variables if variable.name in guessed]
        return LargeTable(variables, doubtful, target, values, marks)

    def _small(self, values: Values) -> set[str]:
        """Return columns of whole numbers that are small but too many for levels."""
        measured = [field for field in self.fields if field.name in self.measured]
        return {
            field.name
            for field, column in zip(measured, values.T, strict=True)
            if pt.is_integer(field.type) and self.request.kind(field.name) is None
            if np.fmin.reduce(column) >= 0 and np.fmax.reduce(column) <= MAX_CODE
        }


def _recode(source: Codes, target: Codes, table: npt.NDArray[np.int64], met: Sequence[int]) -> None:
    """Replace each code by ``table[code]``, writing nothing where the code stays the same."""
    if source.dtype == target.dtype and np.array_equal(table[met], met):
        return
    for start in range(0, len(source), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        target[part] = apply_table(table, source[part], 0)


def _mapped(size: int) -> mmap.mmap:
    """Map an unnamed temporary file with all its space reserved.

    Without the reservation, a full disk would kill the process when a page is written.
    """
    try:
        with tempfile.TemporaryFile() as file:
            os.posix_fallocate(file.fileno(), 0, size)
            return mmap.mmap(file.fileno(), size)
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise DataError(
            f"{tempfile.gettempdir()}: no room for a temporary file of {size:,} bytes, which the "
            f"cells of a large file need ({reason}); name a folder on a disk that has it by the "
            "environment variable TMPDIR"
        ) from None


class DistinctValues:
    """Distinct values of a column, in order of first occurrence.

    Parameters
    ----------
    field
        Name and type of the column.
    dtype
        Type of the codes; its greatest value marks a missing value.

    Notes
    -----
    Labels of a dictionary have codes even if no row has them: they are levels all the same.
    """

    def __init__(self, field: pa.Field, dtype: CodeType) -> None:
        self.name, self.type = field.name, field.type
        self._in_dictionary = bool(pt.is_dictionary(field.type))
        self._values = pa.array([], field.type.value_type if self._in_dictionary else field.type)
        self._gap = missing_code(dtype)
        self._rows: dict[int, int] = {}
        self._dictionary: Any = None
        self._table: npt.NDArray[np.int64] = np.empty(0, np.int64)

    def __len__(self) -> int:
        return len(self._values)

    @property
    def fits(self) -> bool:
        """Whether the code type has room for all values."""
        return len(self) <= self._gap

    @property
    def met(self) -> list[int]:
        """Codes that occur, including that of a missing value, by first occurrence."""
        return list(self._rows)

    @property
    def first_rows(self) -> list[int]:
        """Row of first occurrence of each code that occurs."""
        return list(self._rows.values())

    def column(self) -> Any:
        """Return a short column of the same type with each value once, in the order of `met`."""
        places = pa.array([None if code == self._gap else code for code in self.met], pa.int32())
        if self._in_dictionary:
            return pa.chunked_array([pa.DictionaryArray.from_arrays(places, self._values)])
        return pa.chunked_array([self._values.take(places)])

    def codes(self, column: Any, before: int) -> npt.NDArray[Any]:
        """Return codes of the next batch after `before` rows; invalid unless `fits` stays true."""
        if pt.is_null(column.type):
            codes = np.full(len(column), self._gap)
            self._note(codes, before)
            return codes
        part = narrowed(column)
        part = part if pt.is_dictionary(part.type) else part.dictionary_encode()
        if self._dictionary is None or not self._dictionary.equals(part.dictionary):
            self._dictionary, self._table = part.dictionary, self._codes_of(part.dictionary)
        codes = apply_table(self._table, chunk_numbers(part.indices, len(part.dictionary)), 0)
        gaps = part.indices.null_count or part.dictionary.null_count
        if not self._all_met(bool(gaps)):
            self._note(codes, before)
        return codes

    def _all_met(self, gaps: bool) -> bool:
        with_gap = self._gap in self._rows
        return len(self._rows) - with_gap == len(self) and (with_gap or not gaps)

    def _note(self, codes: npt.NDArray[Any], before: int) -> None:
        distinct, rows = np.unique(codes, return_index=True)
        for i in np.argsort(rows):
            self._rows.setdefault(int(distinct[i]), before + int(rows[i]))

    def _codes_of(self, dictionary: Any) -> npt.NDArray[np.int64]:
        """Return the code of each dictionary entry, followed by the code of a missing value."""
        import pyarrow.compute as pc  # noqa: PLC0415 - takes a while, and few need it

        entries = dictionary.cast(self._values.type)
        new = entries.filter(pc.invert(pc.is_in(entries, value_set=self._values)))
        self._values = pa.concat_arrays([self._values, new.drop_null().unique()])
        places = pc.index_in(entries, value_set=self._values, skip_nulls=True)
        return np.append(chunk_numbers(places, self._gap).astype(np.int64), self._gap)
