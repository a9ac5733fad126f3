"""Continuous data sets too large for memory, whose rows stay in the file.

Methods that need only means and covariances get them in block-wise passes over the file, to the
same digits as for data in memory.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from dagathlon import _core
from dagathlon.data.dataset import Dataset
from dagathlon.data.preparing.gaps import with_gaps
from dagathlon.data.reading.arrow_arrays import chunk_numbers
from dagathlon.data.reading.request import ColumnRequest
from dagathlon.data.reading.table_files import reading_errors, table_batches
from dagathlon.data.reading.unpacking import MOST_UNPACKED, most_unpacked
from dagathlon.data.storage import Values, aligned_empty
from dagathlon.data.variable import Variable
from dagathlon.errors import DataError
from dagathlon.wording import counted

_CELL = 8
_BLOCK = 1 << 25

Rows: TypeAlias = npt.NDArray[np.intp]
Stamp: TypeAlias = tuple[int, int]


class RowsInFileError(DataError):
    """Error of an operation that needs all rows of a file too large for memory."""

    def __init__(self, label: str) -> None:
        super().__init__(
            f"{label}: unpacks to more than {most_unpacked():,} bytes, so that its rows stay in "
            "the file, and this needs them at hand. Take tests and scores that go by covariances, "
            "such as those of pc, hc, fges and boss by default, or a sample of the rows (in "
            "Python data[::100]); if there is memory for all of them, allow more by the "
            f"environment variable {MOST_UNPACKED}"
        )


@dataclass(frozen=True, eq=False)
class RowsOfFile:
    """Numeric columns of a Parquet or Arrow file, read in passes as often as needed.

    Parameters
    ----------
    path
        The file.
    names
        The columns.
    gaps
        Words and numbers that mean a missing value.
    n_rows
        Number of rows; 0 before they were counted.
    lowest, highest
        The range of each column.
    means
        Means before the correction of their rounding error.
    stamp
        Size and time by which changes of the file are detected; None before the first scan.

    Attributes
    ----------
    place
        The absolute path of the file.
    """

    path: Path
    names: tuple[str, ...]
    gaps: frozenset[str]
    n_rows: int = 0
    lowest: Values = field(default_factory=lambda: np.empty(0))
    highest: Values = field(default_factory=lambda: np.empty(0))
    means: tuple[float, ...] = ()
    stamp: Stamp | None = None
    place: Path = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", self.path.absolute())

    def blocks(self, names: Sequence[str]) -> Iterator[Values]:
        """Yield all rows of some columns in blocks; each block reuses the memory of the last one.

        All blocks but the last have the same size. A file that has changed raises
        `DataError`.
        """
        passed = 0
        with reading_errors(self.place, str(self.path)):
            self._check_unchanged()
            for block in self._blocks(names):
                passed += len(block)
                if self.n_rows and passed > self.n_rows:
                    break
                yield block
            self._check_unchanged()
        if self.n_rows and passed != self.n_rows:
            raise DataError(
                f"{self.path}: does not have {counted(self.n_rows, 'row')} as when it was opened"
            )

    def _check_unchanged(self) -> None:
        if self.stamp is not None and self.stamp != self._stamp_now():
            raise DataError(f"{self.path}: has changed since it was opened; read it again")

    def _stamp_now(self) -> Stamp:
        """Return size and modification time; inode numbers may change on network file systems."""
        status = self.place.stat()
        return status.st_size, status.st_mtime_ns

    def _blocks(self, names: Sequence[str]) -> Iterator[Values]:
        part = _core.BlockMoments.rows_of_block
        size = part * max(1, _BLOCK // (part * len(names) * _CELL))
        block = aligned_empty(size, len(names), np.float64)
        filled = 0
        for batch in table_batches(self.place, list(names), size):
            for start in range(0, len(batch), size):
                for piece in _cut(batch.slice(start, size), size - filled):
                    for j, name in enumerate(names):
                        block[filled : filled + len(piece), j] = self._numbers(piece.column(name))
                    filled += len(piece)
                    if filled == size:
                        yield block
                        filled = 0
        if filled:
            yield block[:filled]

    def _numbers(self, column: Any) -> Values:
        column = with_gaps(column, self.gaps)
        if not pt.is_float64(column.type):
            column = column.cast(pa.float64(), safe=False)
        return chunk_numbers(column, np.nan)

    def fits_in_memory(self, n_rows: int) -> bool:
        """Whether so many rows of all columns fit into the memory limit."""
        return n_rows * len(self.names) * _CELL <= most_unpacked()

    def scanned(self) -> RowsOfFile:
        """Scan the file and return a copy with row count and ranges; infinite values are refused.

        So is a missing value, unless all rows fit into memory; the ranges are invalid then.
        """
        stamped = replace(self, stamp=self._stamp_now())
        n_rows = 0
        gap: DataError | None = None
        sums = _core.BlockMoments(len(self.names))
        lowest = np.full(len(self.names), np.inf)
        highest = -lowest
        for block in stamped.blocks(self.names):
            low, high = block.min(axis=0), block.max(axis=0)
            if not (np.isfinite(low) & np.isfinite(high)).all():
                self._check_not_infinite(block, n_rows)
                gap = gap or self._gap(block, n_rows)
            lowest, highest = np.minimum(lowest, low), np.maximum(highest, high)
            sums.add(block)
            n_rows += len(block)
            if gap is not None and not self.fits_in_memory(n_rows):
                raise gap
        if not n_rows:
            raise DataError(f"{self.path}: no rows")
        sums.next_pass()
        return replace(
            stamped, n_rows=n_rows, lowest=lowest, highest=highest, means=tuple(sums.means)
        )

    def _check_not_infinite(self, block: Values, before: int) -> None:
        if np.isinf(block).any():
            place = self._place_of_first(np.isinf(block), before)
            raise DataError(
                f"{place}: found an infinite or far too large number; values are finite"
            )

    def _gap(self, block: Values, before: int) -> DataError:
        return DataError(
            f"{self._place_of_first(np.isnan(block), before)}: a missing value. The file unpacks "
            f"to more than {most_unpacked():,} bytes, "
            "and of such only covariances are taken, which need whole rows: leave out the column "
            "(drop, --drop of the commands) or write the file without such rows; if there is "
            "memory for all of it, allow more by the environment variable "
            f"{MOST_UNPACKED}, and gaps are treated as in any other file"
        )

    def _place_of_first(self, marked: npt.NDArray[np.bool_], before: int) -> str:
        row, j = np.argwhere(marked)[0]
        return f"{self.path}, row {before + row + 1}, column {self.names[j]!r}"

    @cached_property
    def moments(self) -> _core.Moments:
        """Means and sums of products of deviations, of all columns."""
        sums = _core.BlockMoments(self.means, self.n_rows)
        again = True
        while again:
            for block in self.blocks(self.names):
                sums.add(block)
            again = sums.next_pass()
        return sums.finished()

    def column(self, name: str) -> Values:
        """Return all rows of one column."""
        if self.n_rows * _CELL > most_unpacked():
            raise RowsInFileError(str(self.path))
        result = np.empty(self.n_rows)
        start = 0
        for block in self.blocks([name]):
            result[start : start + len(block)] = block[:, 0]
            start += len(block)
        result.flags.writeable = False
        return result

    def take_rows(self, names: Sequence[str], rows: Rows) -> Values:
        """Return a copy of chosen rows of some columns, in the given order."""
        if len(rows) * len(names) * _CELL > most_unpacked():
            raise RowsInFileError(str(self.path))
        result = aligned_empty(len(rows), len(names), np.float64)
        order = np.argsort(rows, kind="stable")
        ascending = rows[order]
        before = done = 0
        for block in self.blocks(names) if len(rows) else ():
            end = int(np.searchsorted(ascending, before + len(block)))
            result[order[done:end]] = block[ascending[done:end] - before]
            before, done = before + len(block), end
            if done == len(rows):
                break
        return result

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "moments"}


def _cut(batch: Any, first: int) -> Iterator[Any]:
    """Split a batch after `first` rows, if it is longer than that."""
    yield batch.slice(0, first)
    if len(batch) > first:
        yield batch.slice(first)


class FileDataset(Dataset):
    """Continuous data set whose rows stay in a file that is too large for memory.

    It has `known_moments`, ranges, single columns, and samples of the rows: ``data[::100]`` and
    ``data.take(rows)`` are data sets in memory. `values`, and any operation that needs all
    rows, raise `DataError`.
    """

    __slots__ = ("_rows",)

    def __init__(self, variables: tuple[Variable, ...], rows: RowsOfFile) -> None:
        self._variables = variables
        self._codes = np.empty((rows.n_rows, 0), np.uint8)
        self._regimes = None
        self._rows = rows

    @property
    def _values(self) -> Values:  # type: ignore[override]  # nothing else asks for the array
        raise RowsInFileError(str(self._rows.path))

    @property
    def is_discrete(self) -> bool:
        """Always False."""
        return False

    @property
    def has_missing(self) -> bool:
        """Always False: a file with missing values is refused."""
        return False

    @property
    def known_moments(self) -> _core.Moments:
        """Means and sums of products of deviations, computed in passes over the file."""
        known = self._rows.moments
        if self.names == self._rows.names:
            return known
        return known.selected(self._places())

    @property
    def ranges(self) -> tuple[Values, Values]:
        """Lowest and highest value of each column."""
        places = self._places()
        return self._rows.lowest[places], self._rows.highest[places]

    def _places(self) -> list[int]:
        number = {name: j for j, name in enumerate(self._rows.names)}
        return [number[name] for name in self.names]

    def __getitem__(self, rows: slice) -> Dataset:
        """Rows of a slice such as ``[:1000]`` or ``[::100]``, copied from the file."""
        self._check_slice(rows)
        return self.take(np.arange(len(self))[rows])

    def take(self, indices: npt.ArrayLike) -> Dataset:
        """A copy of chosen rows, in the given order; a row may be chosen several times."""
        values = self._rows.take_rows(self.names, self._checked_rows(indices))
        return Dataset(self._variables, values=values)

    @property
    def has_rows(self) -> bool:
        """Always False: the rows stay in the file."""
        return False

    def require_rows(self) -> None:
        """Raise `DataError`: the rows do not fit into memory."""
        raise RowsInFileError(str(self._rows.path))

    def select(self, names: Sequence[str]) -> Dataset:
        """The columns `names`, in that order; all names reorder the columns."""
        return FileDataset(self._selected(names), self._rows)

    def _column(self, j: int) -> Values:
        return self._rows.column(self.names[j])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FileDataset):
            return NotImplemented if not isinstance(other, Dataset) else False
        same = self._variables == other._variables and len(self) == len(other)
        return same and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __reduce__(self) -> tuple[Any, ...]:
        return (FileDataset, (self._variables, self._rows))


def rows_in_file(
    path: str | os.PathLike[str], fields: Sequence[pa.Field], request: ColumnRequest
) -> Dataset | None:
    """Return a data set with rows in the file; None if some column is not continuous.

    Integers count as continuous only if the user said so. If the requested columns fit into
    memory, they are read into it.
    """
    if not all(_is_measured(field, request) for field in fields):
        return None
    names = tuple(field.name for field in fields)
    rows = RowsOfFile(Path(path), names, request.missing).scanned()
    data = FileDataset(tuple(map(Variable, names)), rows)
    return data[:] if rows.fits_in_memory(len(data)) else data


def _is_measured(field: pa.Field, request: ColumnRequest) -> bool:
    asked = request.kind(field.name)
    if asked == "discrete":
        return False
    whole = asked == "continuous" and pt.is_integer(field.type)
    return bool(whole or pt.is_floating(field.type))
