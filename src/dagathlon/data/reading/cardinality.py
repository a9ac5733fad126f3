"""The cardinality row of Benchpress's discrete data: detection and validation.

The first row below the header holds cardinalities when every field in it is a whole number from 1
to 65,535, at least one row follows, and every other field in the file is empty or a whole number
from 0 to one less than the cardinality of its column. A table of whole numbers whose first row
happens to exceed all others in every column cannot be told apart and is read in this way too;
``cardinality_row=False`` says that the first row is data.

A file that misses this rule only narrowly (at most one row in a hundred is outside, and codes
start from 0 in every column) is refused rather than read as something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from dagathlon.data.reading.arrow_arrays import chunk_numbers
from dagathlon.data.reading.labels import numbers_of, shown
from dagathlon.data.reading.request import Place
from dagathlon.data.variable import MAX_LEVELS
from dagathlon.errors import DataError

_TOLERATED = 0.01
_ADVICE = "; pass cardinality_row=True or False: whether the first row holds the numbers of levels"


def cardinalities(
    names: Sequence[str], columns: Sequence[Any], demanded: bool | None, place: Place
) -> list[int] | None:
    """Return the cardinalities of the columns, or None when the first row is data."""
    if demanded is False:
        return None
    if demanded:
        numbers = [
            _demanded(name, column, place) for name, column in zip(names, columns, strict=True)
        ]
    else:
        guessed = [_whole(column[0].as_py()) for column in columns]
        numbers = [number for number in guessed if number is not None and 1 <= number <= MAX_LEVELS]
    n_rows = len(columns[0]) - 1
    if len(numbers) < len(columns) or not n_rows:
        if demanded:
            raise DataError(f"{place(0)}: no rows follow the row of cardinalities")
        return None
    rests = [column.slice(1) for column in columns]
    outside = [j for j, rest in enumerate(rests) if not _is_inside(rest, numbers[j])]
    if not outside:
        return numbers
    if demanded or _is_narrow_miss(rests, numbers, outside):
        first = {j: int(np.argmax(_outside(rests[j], numbers[j]))) for j in outside}
        j = min(outside, key=lambda column: first[column])
        raise DataError(
            f"{place(first[j] + 1)}, column {names[j]!r}: found "
            f"{shown(rests[j][first[j]].as_py())}, but the first row gives the column "
            f"{numbers[j]} levels: 0 to {numbers[j] - 1}{'' if demanded else _ADVICE}"
        )
    return None


def coded(column: Any) -> Any:
    """Return the codes below the cardinality row, as integers."""
    rest = column.slice(1)
    if pa.types.is_integer(rest.type) or pa.types.is_null(rest.type):
        return rest
    numbers = numbers_of(rest)
    return pa.chunked_array([pa.array(numbers, mask=np.isnan(numbers)).cast(pa.int64())])


def _whole(entry: Any) -> int | None:
    if isinstance(entry, str) and entry.strip().isdecimal() and len(entry) < 18:
        return int(entry)
    return entry if isinstance(entry, int) else None


def _demanded(name: str, column: Any, place: Place) -> int:
    entry = column[0].as_py()
    number = int(entry) if isinstance(entry, float) and entry.is_integer() else _whole(entry)
    if number is None or not 1 <= number <= MAX_LEVELS:
        raise DataError(
            f"{place(0)}, column {name!r}: found {shown(entry)} where the number of levels "
            f"stands; it is a whole number from 1 to {MAX_LEVELS}"
        )
    return number


def _is_inside(rest: Any, cardinality: int) -> bool:
    import pyarrow.compute as pc  # noqa: PLC0415 - takes a while, and few need it

    if pa.types.is_null(rest.type):
        return True
    if pa.types.is_uint8(rest.type):  # nearly always, and numpy is at it sooner
        return all(chunk_numbers(chunk, 0).max(initial=0) < cardinality for chunk in rest.chunks)
    if not pa.types.is_integer(rest.type):
        return not _outside(rest, cardinality).any()
    bounds = pc.min_max(rest).as_py()
    return bounds["min"] is None or (bounds["min"] >= 0 and bounds["max"] < cardinality)


def _is_narrow_miss(rests: Sequence[Any], counts: Sequence[int], outside: Sequence[int]) -> bool:
    allowed = _TOLERATED * len(rests[0])
    if allowed < 1 or min(counts) < 2:
        return False
    for j in outside:
        if np.count_nonzero(_outside(rests[j], counts[j])) > allowed:
            return False
    return all(bool((numbers_of(rest) == 0).any()) for rest in rests)


def _outside(rest: Any, cardinality: int) -> npt.NDArray[np.bool_]:
    """Return a mask of entries that are neither missing nor codes below the cardinality."""
    numbers = numbers_of(rest)
    inside = (numbers >= 0) & (numbers < cardinality) & (numbers == np.floor(numbers))
    return np.asarray(~(inside | np.isnan(numbers)))
