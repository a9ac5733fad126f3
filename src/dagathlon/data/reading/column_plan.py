"""Plans of how pyarrow columns become codes and values, and their execution.

All columns are planned before any is copied, because the type of the codes depends on all
variables; during execution each column is released as soon as it is copied.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from dagathlon import _core
from dagathlon.data.dataset import Dataset
from dagathlon.data.preparing.regimes import Regimes
from dagathlon.data.reading.arrow_arrays import as_matrix, chunk_numbers
from dagathlon.data.reading.request import Place
from dagathlon.data.reading.unpacking import TooLargeError, most_unpacked
from dagathlon.data.storage import aligned_empty, code_type, missing_code
from dagathlon.data.variable import Variable
from dagathlon.errors import DataError, DataWarning, listing

_BYTES = 256
LEAST_MAPPED = 1 << 28
"""Size in bytes from which data are used in place in a mapped file; smaller data are copied."""


@dataclass(frozen=True)
class ColumnPlan:
    """Plan of how one column becomes codes or values.

    An entry ``x`` becomes ``table[x - offset]``, and a missing one ``table[-1]``, which is −1
    or NaN; for a column of dictionary type ``x`` is the index. Without a table entries are used
    unchanged. `guessed` marks integers that could be either levels or measurements.
    """

    variable: Variable
    column: Any
    table: npt.NDArray[Any] | None = None
    offset: int = 0
    guessed: bool = False


def execute_plans(
    plans: list[ColumnPlan],
    place: Place,
    regimes: Regimes | None,
    mapped: bool = False,
    most: float = math.inf,
) -> Dataset:
    """Execute the plans and return the data set; empties the list.

    Columns `mapped` from a large file are used in place where possible. Memory owned by other
    libraries is always copied, since it may change. Copying more than `most` bytes raises
    `TooLargeError`.
    """
    variables = [plan.variable for plan in plans]
    n_rows = len(plans[0].column)
    arities = [variable.arity for variable in variables if variable.is_discrete]
    dtype = code_type(arities)
    discrete = [plan for plan in plans if plan.variable.is_discrete]
    continuous = [plan for plan in plans if not plan.variable.is_discrete]
    plans.clear()
    size = n_rows * (len(discrete) + 8 * len(continuous))
    mapped = mapped and size >= min(LEAST_MAPPED, most)
    codes = _in_place(discrete, dtype) if mapped else None
    if codes is None:
        codes = _room(n_rows, len(arities), dtype, most)
        _fill_all(codes, discrete, missing_code(dtype))
    values = _in_place(continuous, np.dtype(np.float64)) if mapped else None
    if values is None:
        values = _room(n_rows, len(continuous), np.dtype(np.float64), most)
        _fill_all(values, continuous, np.nan)
    names = [variable.name for variable in variables if not variable.is_discrete]
    for name, column in zip(names, values.T, strict=True):
        check_finite(column, name, place)
    return Dataset(variables, codes, values, regimes)


def _room(rows: int, columns: int, dtype: np.dtype[Any], most: float) -> npt.NDArray[Any]:
    if rows * columns * dtype.itemsize > most:
        raise TooLargeError(most_unpacked())
    return aligned_empty(rows, columns, dtype)


def _in_place(plans: Sequence[ColumnPlan], dtype: np.dtype[Any]) -> npt.NDArray[Any] | None:
    """Return the columns as a view of their own memory if no entry needs conversion; else None."""
    if not all(map(_stays, plans)):
        return None
    return as_matrix([plan.column for plan in plans], dtype)


def _stays(plan: ColumnPlan) -> bool:
    if plan.table is None:
        return True
    entries = plan.table[:-1]
    return plan.offset == 0 and np.array_equal(entries, np.arange(len(entries)))


def _fill_all(target: npt.NDArray[Any], plans: list[ColumnPlan], gap: float) -> None:
    plans.reverse()
    for column in target.T:
        _fill(column, plans.pop(), gap)


def warn_of_guesses(guessed: Sequence[Variable], where: str, depth: int = 5) -> None:
    """Warn once about integer columns whose kind was guessed.

    The warning points to the caller of `read_data`, `depth` frames up.
    """
    taken = {
        "levels": [repr(variable.name) for variable in guessed if variable.is_discrete],
        "measurements": [repr(variable.name) for variable in guessed if not variable.is_discrete],
    }
    parts = [f"{listing(names)} as {kind}" for kind, names in taken.items() if names]
    if parts:
        warnings.warn(
            f"{where}: small whole numbers may be levels or counts; taken: {'; '.join(parts)}. "
            f"Say it with kinds, such as {guessed[0].name}={_other(guessed[0])}",
            DataWarning,
            stacklevel=depth,
        )


def _other(variable: Variable) -> str:
    """Return the other kind, to be requested if the guess was wrong."""
    return "continuous" if variable.is_discrete else "ordinal"


def _fill(target: npt.NDArray[Any], plan: ColumnPlan, gap: float) -> None:
    start = 0
    for entries in plan_entries(plan, gap):
        target[start : start + len(entries)] = entries
        start += len(entries)


def plan_entries(plan: ColumnPlan, gap: float) -> Iterator[npt.NDArray[Any]]:
    """Yield codes or values chunk by chunk, `gap` where they are missing."""
    table = plan.table
    if table is not None:
        table = np.where(table == -1, gap, table) if plan.variable.is_discrete else table
    for chunk in plan.column.chunks:
        entries = chunk.indices if pa.types.is_dictionary(chunk.type) else chunk
        if table is None:
            yield _direct(entries, gap, plan.variable)
        else:
            yield apply_table(
                table, chunk_numbers(entries, len(table) - 1 + plan.offset), plan.offset
            )


def apply_table(
    table: npt.NDArray[Any], entries: npt.NDArray[Any], offset: int
) -> npt.NDArray[Any]:
    """Return ``table[entry - offset]`` for each entry."""
    bytes_only = entries.dtype == np.uint8 and len(table) + offset <= _BYTES
    if not (bytes_only and table.dtype.kind == "i" and table.max() < _BYTES):
        return table[entries.astype(np.int64, copy=False) - offset]
    whole = np.zeros(_BYTES, np.uint8)
    whole[offset : offset + len(table)] = table
    result = np.empty_like(entries)
    _core.recode(entries, whole, result)
    return result


def _direct(entries: Any, gap: float, variable: Variable) -> npt.NDArray[Any]:
    if pa.types.is_null(entries.type):
        return np.full(len(entries), gap)
    if variable.is_discrete:
        return chunk_numbers(entries, gap)
    if not pa.types.is_float64(entries.type):
        entries = entries.cast(pa.float64(), safe=False)
    return chunk_numbers(entries, gap)


def check_finite(values: npt.NDArray[np.float64], name: str, place: Place) -> None:
    """Raise `DataError` about the first infinite value of a column, if any."""
    infinite = np.isinf(values)
    if infinite.any():
        row = int(np.argmax(infinite))
        raise DataError(
            f"{place(row)}, column {name!r}: found an infinite or far too large number; "
            "values are finite"
        )
