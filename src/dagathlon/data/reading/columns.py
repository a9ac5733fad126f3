"""Planning of columns by their type, their content and the user's request."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from dagathlon.data.reading.arrow_arrays import chunk_numbers
from dagathlon.data.reading.column_plan import ColumnPlan
from dagathlon.data.reading.labels import (
    MAX_CODE,
    MAX_CODES,
    SURE_CODES,
    Labels,
    empty_plan,
    is_number,
)
from dagathlon.data.reading.request import ColumnRequest, Place
from dagathlon.data.variable import MAX_LEVELS, Variable
from dagathlon.errors import DataError, listing

_AT_ONCE = 1 << 20


def plan_column(
    name: str,
    column: Any,
    request: ColumnRequest,
    place: Place,
    missing: frozenset[str] | None = None,
) -> ColumnPlan:
    """Plan one column; `missing` is given for columns of text files (see `Labels`)."""
    plan = _plan(name, column, request, place, missing)
    return _ordered(plan, request, place) if request.is_ordered(name) else plan


def _plan(
    name: str, column: Any, request: ColumnRequest, place: Place, missing: frozenset[str] | None
) -> ColumnPlan:
    kind, levels = request.kind(name), request.levels.get(name)
    column = _simplified(name, column, place)
    if pt.is_null(column.type):
        column = column.cast(pa.string()).dictionary_encode()
    if pt.is_dictionary(column.type):
        return Labels(name, column, place, missing).plan(kind, levels)
    whole = pt.is_integer(column.type)
    if whole and levels is None:
        return _plan_whole_numbers(name, column, kind, place)
    if kind == "discrete":
        return Labels(name, column.dictionary_encode(), place, None).plan(kind, levels)
    return ColumnPlan(Variable(name), column)


def _ordered(plan: ColumnPlan, request: ColumnRequest, place: Place) -> ColumnPlan:
    """Return the plan of a column requested as ordinal, whose order of levels must be known."""
    variable = plan.variable
    levels = variable.levels or ()
    if variable.name not in request.levels and not all(map(is_number, levels)):
        raise DataError(
            f"{place(0)}, column {variable.name!r}: ordinal levels that are no numbers need an "
            f"order; give it in `levels` ({listing(map(repr, levels))})"
        )
    return replace(plan, variable=replace(variable, ordered=True))


def _simplified(name: str, column: Any, place: Place) -> Any:
    """Convert a column to one of: null, dictionary, integers, doubles."""
    import pyarrow.compute as pc  # noqa: PLC0415 - takes a while, and few need it

    kind = column.type
    if len(column.chunks) == 0:
        column = pa.chunked_array([pa.array([], type=kind)])
    if pt.is_uint64(kind):
        in_range = (pc.max(column).as_py() or 0) <= np.iinfo(np.int64).max
        return column.cast(pa.int64() if in_range else pa.float64(), safe=False)
    if pt.is_null(kind) or pt.is_dictionary(kind) or pt.is_integer(kind) or pt.is_float64(kind):
        return column
    if pt.is_floating(kind) or pt.is_decimal(kind):
        return column.cast(pa.float64())
    if pt.is_boolean(kind):
        truth = pa.array(["False", "True"])
        chunks = [
            pa.DictionaryArray.from_arrays(chunk.cast(pa.int8()), truth) for chunk in column.chunks
        ]
        return pa.chunked_array(chunks)
    if pt.is_string(kind) or pt.is_large_string(kind) or str(kind) == "string_view":
        return column.cast(pa.string()).dictionary_encode()
    raise DataError(
        f"{place(0)}, column {name!r}: values of type {kind} are neither numbers nor labels; "
        "turn them into one of the two, or leave the column out (drop, --drop of the commands)"
    )


def _plan_whole_numbers(name: str, column: Any, kind: str | None, place: Place) -> ColumnPlan:
    import pyarrow.compute as pc  # noqa: PLC0415 - takes a while, and few need it

    bounds = pc.min_max(column).as_py()
    low, high = bounds["min"], bounds["max"]
    if low is None:
        return empty_plan(name, column.cast(pa.string()).dictionary_encode(), kind)
    small = kind is None and low >= 0 and high <= MAX_CODE
    if kind == "continuous" or (kind is None and not small):
        return ColumnPlan(Variable(name), column)
    if high - low > MAX_LEVELS:
        return Labels(name, column.dictionary_encode(), place, None).plan(kind, None)
    present = np.zeros(high - low + 1, dtype=bool)
    for chunk in column.chunks:
        for start in range(0, len(chunk), _AT_ONCE):
            part = chunk.slice(start, _AT_ONCE)
            present[chunk_numbers(part, low).astype(np.int64) - low] = True
    levels = tuple(str(low + int(step)) for step in np.flatnonzero(present))
    if small and len(levels) > MAX_CODES:
        return ColumnPlan(Variable(name), column, guessed=len(levels) < len(column))
    table = np.where(present, np.cumsum(present) - 1, -1)
    guessed = small and len(levels) > SURE_CODES
    return ColumnPlan(Variable(name, levels), column, np.append(table, -1), low, guessed)
