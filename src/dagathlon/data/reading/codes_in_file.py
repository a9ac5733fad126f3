"""Codes of labels for files too large for memory, kept in a memory-mapped temporary file.

The temporary file has no name and disappears with the data. Its pages are loaded and evicted by the
operating system, so that the codes are ordinary arrays without using memory of their own.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from dagathlon.data.preparing.gaps import with_gaps
from dagathlon.data.reading.arrow_arrays import chunk_numbers, narrowed
from dagathlon.data.reading.column_plan import ColumnPlan, apply_table, plan_entries
from dagathlon.data.reading.columns import plan_column
from dagathlon.data.reading.request import ColumnRequest
from dagathlon.data.reading.table_files import table_batches, table_rows
from dagathlon.data.reading.unpacking import TooLargeError, most_unpacked
from dagathlon.data.storage import Codes, CodeType, aligned_empty, code_type, missing_code
from dagathlon.data.variable import MAX_LEVELS
from dagathlon.errors import DataError, listing

_BATCH = 1 << 25
_CELL = 8
_AT_ONCE = 1 << 22
_TYPES = (np.dtype(np.uint8), np.dtype(np.uint16))


@dataclass(frozen=True)
class CodedColumns:
    """Columns of labels as codes, with their variables.

    Parameters
    ----------
    plans
        For each column the plan of its distinct values.
    codes
        The codes of all rows.
    marks
        Columns of interventions, as they are.
    """

    plans: Sequence[ColumnPlan]
    codes: Codes
    marks: Sequence[Any]


def codes_in_file(
    path: Path, fields: Sequence[pa.Field], marks: Sequence[str], request: ColumnRequest
) -> CodedColumns:
    """Read all columns of a file that is too large for memory as labels.

    Kinds and levels are inferred as for smaller files. Columns that are not labels raise a
    `TooLargeError` that names them.
    """
    check_labels(path, [field.name for field in fields if not _may_be_labels(field, request)])
    reader = _Reader(path, fields, marks, request)
    for dtype in _TYPES:
        codes = reader.codes(dtype)
        if codes is not None:
            return reader.planned(codes)
    name = next(values.name for values in reader.found if not values.fits)
    raise DataError(
        f"{path}, row 1, column {name!r}: found more than {MAX_LEVELS} different labels; "
        f"a discrete column has at most {MAX_LEVELS} levels"
    )


def check_labels(path: Path, others: Sequence[str]) -> None:
    """Raise `TooLargeError` if any column of a file too large for memory does not hold labels."""
    if others:
        raise TooLargeError(
            most_unpacked(),
            str(path),
            ". Files of labels alone, or of measurements alone without interventions, may be "
            f"larger; here {listing(map(repr, others))} {'do' if len(others) > 1 else 'does'} "
            "not hold labels: leave columns out (drop, --drop of the commands), or say what "
            "they are (kinds, --kinds)",
        )


def _may_be_labels(field: pa.Field, request: ColumnRequest) -> bool:
    kind, asked = field.type, request.kind(field.name)
    if asked == "continuous":
        return False
    if pt.is_floating(kind) or pt.is_decimal(kind) or pt.is_null(kind):
        return asked == "discrete"
    text = pt.is_string(kind) or pt.is_large_string(kind) or pt.is_dictionary(kind)
    return bool(text or pt.is_boolean(kind) or pt.is_integer(kind))


class _Reader:
    """Reader that codes each column in one pass, values numbered by first occurrence."""

    def __init__(
        self,
        path: Path,
        fields: Sequence[pa.Field],
        marks: Sequence[str],
        request: ColumnRequest,
    ) -> None:
        self.path, self.fields, self.request = path, fields, request
        self.marks: Mapping[str, list[Any]] = {name: [] for name in marks}
        self.n_rows = table_rows(path)
        if not self.n_rows:
            raise DataError(f"{path}: no rows")
        self.found: list[DistinctValues] = []

    def codes(self, dtype: CodeType) -> Codes | None:
        """Return codes by first occurrence; None if a column has more values than `dtype`."""
        self.found = [DistinctValues(field, dtype) for field in self.fields]
        codes = empty_codes(self.n_rows, len(self.fields), dtype)
        for parts in self.marks.values():
            parts.clear()
        for before, batch in self._batches():
            for j, values in enumerate(self.found):
                known = len(values)
                part = values.codes(batch.column(values.name), before)
                if len(values) > known:
                    self._check(values)
                if not values.fits:
                    return None
                codes[before : before + len(batch), j] = part
            for name, parts in self.marks.items():
                parts.append(batch.column(name))
        return codes

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

    def _check(self, values: DistinctValues) -> None:
        """Raise at once if a column cannot be labels or has too many of them."""
        whole = pt.is_integer(values.type) and self.request.kind(values.name) is None
        if whole and self._plan(values).table is None:
            check_labels(self.path, [values.name])
        if len(values) > MAX_LEVELS:
            self._plan(values)

    def _plan(self, values: DistinctValues) -> ColumnPlan:
        rows = values.first_rows
        column = with_gaps(values.column(), self.request.missing)
        return plan_column(
            values.name, column, self.request, lambda row: f"{self.path}, row {rows[row] + 1}"
        )

    def planned(self, codes: Codes) -> CodedColumns:
        """Recode the codes to the inferred levels."""
        plans = [self._plan(values) for values in self.found]
        check_labels(
            self.path, [plan.variable.name for plan in plans if not plan.variable.is_discrete]
        )
        dtype = code_type(plan.variable.arity for plan in plans)
        target = codes
        if dtype != codes.dtype:
            target = empty_codes(self.n_rows, len(plans), dtype)
        for j, (values, plan) in enumerate(zip(self.found, plans, strict=True)):
            gap = missing_code(dtype)
            table = np.full(missing_code(codes.dtype) + 1, gap, np.int64)
            table[values.met] = np.concatenate(list(plan_entries(plan, gap)))
            _recode(codes[:, j], target[:, j], table, values.met)
        marks = [pa.chunked_array(parts) for parts in self.marks.values()]
        return CodedColumns(plans, target, marks)


def _recode(source: Codes, target: Codes, table: npt.NDArray[np.int64], met: Sequence[int]) -> None:
    """Replace each code by ``table[code]``, writing nothing where the code stays the same."""
    if source.dtype == target.dtype and np.array_equal(table[met], met):
        return
    for start in range(0, len(source), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        target[part] = apply_table(table, source[part], 0)


def empty_codes(rows: int, columns: int, dtype: CodeType) -> Codes:
    """Return an uninitialised column-major array, in a temporary file if too large for memory."""
    size = rows * columns * dtype.itemsize
    if size <= most_unpacked():
        return aligned_empty(rows, columns, dtype)
    return np.frombuffer(_mapped(size), dtype).reshape((rows, columns), order="F")


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
            f"codes of a large file need ({reason}); name a folder on a disk that has it by the "
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
