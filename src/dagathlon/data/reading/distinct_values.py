"""Dictionary encoding of a column that is read batch by batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from dagathlon.data.reading.buffers import chunk_numbers
from dagathlon.data.reading.column_plan import apply_table
from dagathlon.data.reading.narrow_batches import narrowed
from dagathlon.data.storage import CodeType, missing_code


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
    def fit(self) -> bool:
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
        """Return codes of the next batch after `before` rows; invalid unless `fit` stays true."""
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
        found, rows = np.unique(codes, return_index=True)
        for i in np.argsort(rows):
            self._rows.setdefault(int(found[i]), before + int(rows[i]))

    def _codes_of(self, dictionary: Any) -> npt.NDArray[np.int64]:
        """Return the code of each dictionary entry, followed by the code of a missing value."""
        import pyarrow.compute as pc  # noqa: PLC0415 - takes a while, and few need it

        entries = dictionary.cast(self._values.type)
        new = entries.filter(pc.invert(pc.is_in(entries, value_set=self._values)))
        self._values = pa.concat_arrays([self._values, new.drop_null().unique()])
        places = pc.index_in(entries, value_set=self._values, skip_nulls=True)
        return np.append(chunk_numbers(places, self._gap).astype(np.int64), self._gap)
