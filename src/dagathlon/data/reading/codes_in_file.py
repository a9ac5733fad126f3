"""Labels of a file that is larger than what may be held: a temporary file takes their codes.

It has no name and is gone with the data. The system reads its pages as they are needed and may
take them back, so that the codes are there like any others and need no memory of their own.
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
from dagathlon.data.reading.column_plan import ColumnPlan, looked_up, plan_entries
from dagathlon.data.reading.columns import plan_column
from dagathlon.data.reading.distinct_values import DistinctValues
from dagathlon.data.reading.request import ColumnRequest
from dagathlon.data.reading.table_sizes import table_batches, table_rows
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
    """Columns of labels as codes, and how they were understood.

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
    """The columns of a file that is too large, where all of them are labels.

    They are understood as those of a smaller file are. Anything else is a `TooLargeError` that
    names the columns.
    """
    check_labels(path, [field.name for field in fields if not _may_be_labels(field, request)])
    reader = _Reader(path, fields, marks, request)
    for dtype in _TYPES:
        codes = reader.codes(dtype)
        if codes is not None:
            return reader.planned(codes)
    name = next(one.name for one in reader.found if not one.fit)
    raise DataError(
        f"{path}, row 1, column {name!r}: found more than {MAX_LEVELS} different labels; "
        f"a discrete column has at most {MAX_LEVELS} levels"
    )


def check_labels(path: Path, others: Sequence[str]) -> None:
    """Refuse a file that is too large and has columns that are no labels."""
    if others:
        raise TooLargeError(
            most_unpacked(),
            str(path),
            ". Files of labels alone, or of measurements alone without interventions, may be "
            f"larger; here {listing(map(repr, others))} {'are' if len(others) > 1 else 'is'} "
            "taken for no labels: leave columns out (drop, --drop of the commands), or say what "
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
    """Goes over a file once and gives each value the code of its place among those it met."""

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
        """Codes in the order of their values' first rows; None where a column has more values."""
        self.found = [DistinctValues(field, dtype) for field in self.fields]
        codes = roomy_empty(self.n_rows, len(self.fields), dtype)
        for parts in self.marks.values():
            parts.clear()
        for before, batch in self._batches():
            for j, one in enumerate(self.found):
                known = len(one)
                part = one.codes(batch.column(one.name), before)
                if len(one) > known:
                    self._check(one)
                if not one.fit:
                    return None
                codes[before : before + len(batch), j] = part
            for name, parts in self.marks.items():
                parts.append(batch.column(name))
        return codes

    def _batches(self) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Some rows at a time, behind the number of those before."""
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

    def _check(self, one: DistinctValues) -> None:
        """Refuse at once what can be no labels any more, or are too many."""
        whole = pt.is_integer(one.type) and self.request.kind(one.name) is None
        if whole and self._plan(one).table is None:
            check_labels(self.path, [one.name])
        if len(one) > MAX_LEVELS:
            self._plan(one)

    def _plan(self, one: DistinctValues) -> ColumnPlan:
        rows = one.first_rows
        column = with_gaps(one.column(), self.request.missing)
        return plan_column(
            one.name, column, self.request, lambda row: f"{self.path}, row {rows[row] + 1}"
        )

    def planned(self, codes: Codes) -> CodedColumns:
        """The codes as the levels have them."""
        plans = [self._plan(one) for one in self.found]
        check_labels(
            self.path, [plan.variable.name for plan in plans if not plan.variable.is_discrete]
        )
        dtype = code_type(plan.variable.arity for plan in plans)
        target = codes
        if dtype != codes.dtype:
            target = roomy_empty(self.n_rows, len(plans), dtype)
        for j, (one, plan) in enumerate(zip(self.found, plans, strict=True)):
            gap = missing_code(dtype)
            table = np.full(missing_code(codes.dtype) + 1, gap, np.int64)
            table[one.met] = np.concatenate(list(plan_entries(plan, gap)))
            _recode(codes[:, j], target[:, j], table, one.met)
        marks = [pa.chunked_array(parts) for parts in self.marks.values()]
        return CodedColumns(plans, target, marks)


def _recode(source: Codes, target: Codes, table: npt.NDArray[np.int64], met: Sequence[int]) -> None:
    """Write ``table[code]`` of each code, unless it stands there already."""
    if source.dtype == target.dtype and np.array_equal(table[met], met):
        return
    for start in range(0, len(source), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        target[part] = looked_up(table, source[part], 0)


def roomy_empty(rows: int, columns: int, dtype: CodeType) -> Codes:
    """A column-major array with arbitrary content; a mapped one if it is too large to be held."""
    size = rows * columns * dtype.itemsize
    if size <= most_unpacked():
        return aligned_empty(rows, columns, dtype)
    return np.frombuffer(_mapped(size), dtype).reshape((rows, columns), order="F")


def _mapped(size: int) -> mmap.mmap:
    """Memory in an unnamed temporary file, of which all is reserved.

    Where it were not, a full disk would end the process when a page is written.
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
