"""Plans: how pyarrow columns become codes and values, and carrying them out.

All columns are planned before any is copied, because the type of the codes depends on all
variables; while the plans are carried out each column is let go as soon as it is copied.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from dagathlon.data.buffers import chunk_numbers
from dagathlon.data.dataset import Dataset
from dagathlon.data.regimes import Regimes
from dagathlon.data.request import Place
from dagathlon.data.storage import aligned_empty, code_type, missing_code
from dagathlon.data.variable import Variable
from dagathlon.errors import DataError, DataWarning, listing


@dataclass(frozen=True)
class ColumnPlan:
    """How one column becomes codes or values.

    An entry ``x`` becomes ``table[x - offset]``, and a missing one ``table[-1]``, which is −1 or
    NaN; for a column of dictionary type ``x`` is the index. Without a table entries are taken as
    they are. `guessed` says that whole numbers could as well have been taken the other way, as
    levels or as measurements.
    """

    variable: Variable
    column: Any
    table: npt.NDArray[Any] | None = None
    offset: int = 0
    guessed: bool = False


def carried_out(plans: list[ColumnPlan], place: Place, regimes: Regimes | None) -> Dataset:
    """The data set that the plans describe; the list is empty afterwards."""
    variables = [plan.variable for plan in plans]
    n_rows = len(plans[0].column)
    arities = [variable.arity for variable in variables if variable.is_discrete]
    codes = aligned_empty(n_rows, len(arities), code_type(arities))
    values = aligned_empty(n_rows, len(variables) - len(arities), np.float64)
    discrete, continuous = iter(codes.T), iter(values.T)
    plans.reverse()
    while plans:
        plan = plans.pop()
        is_discrete = plan.variable.is_discrete
        target = next(discrete if is_discrete else continuous)
        gap = missing_code(codes.dtype) if is_discrete else np.nan
        _fill(target, plan, gap)
        if not is_discrete:
            _check_finite(target, plan.variable.name, place)
    return Dataset(variables, codes, values, regimes)


def warn_of_guesses(plans: Sequence[ColumnPlan], where: str) -> None:
    """One line about the columns of whole numbers whose kind nobody said and nobody can see."""
    guessed = [plan.variable for plan in plans if plan.guessed]
    taken = {
        "levels": [repr(one.name) for one in guessed if one.is_discrete],
        "measurements": [repr(one.name) for one in guessed if not one.is_discrete],
    }
    parts = [f"{listing(names)} as {kind}" for kind, names in taken.items() if names]
    if parts:
        warnings.warn(
            f"{where}: small whole numbers may be levels or counts; taken: {'; '.join(parts)}. "
            f"Say it with kinds, such as {guessed[0].name}={_other(guessed[0])}",
            DataWarning,
            stacklevel=5,
        )


def _other(variable: Variable) -> str:
    """The kind that would be said if the guess was wrong."""
    return "continuous" if variable.is_discrete else "ordinal"


def _fill(target: npt.NDArray[Any], plan: ColumnPlan, gap: float) -> None:
    start = 0
    for entries in _entries(plan, gap):
        target[start : start + len(entries)] = entries
        start += len(entries)


def _entries(plan: ColumnPlan, gap: float) -> Iterator[npt.NDArray[Any]]:
    """Codes or values, chunk by chunk."""
    table = plan.table
    if table is not None:
        table = np.where(table == -1, gap, table) if plan.variable.is_discrete else table
    for chunk in plan.column.chunks:
        entries = chunk.indices if pa.types.is_dictionary(chunk.type) else chunk
        if table is None:
            yield _direct(entries, gap, plan.variable)
        else:
            last = len(table) - 1 + plan.offset
            yield table[chunk_numbers(entries, last).astype(np.int64, copy=False) - plan.offset]


def _direct(entries: Any, gap: float, variable: Variable) -> npt.NDArray[Any]:
    if pa.types.is_null(entries.type):
        return np.full(len(entries), gap)
    if variable.is_discrete:
        return chunk_numbers(entries, gap)
    if not pa.types.is_float64(entries.type):
        entries = entries.cast(pa.float64(), safe=False)
    return chunk_numbers(entries, gap)


def _check_finite(values: npt.NDArray[np.float64], name: str, place: Place) -> None:
    infinite = np.isinf(values)
    if infinite.any():
        row = int(np.argmax(infinite))
        raise DataError(
            f"{place(row)}, column {name!r}: found an infinite or far too large number; "
            "values are finite"
        )
