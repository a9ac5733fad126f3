"""The condition under which each row was observed, as a column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dagathlon.data import Dataset, Variable
from dagathlon.data.spec import DataKind, facts_of
from dagathlon.errors import DataError, unknown

if TYPE_CHECKING:
    from collections.abc import Collection

Labels = npt.NDArray[np.int64]

WINDOWS = 10
"""Number of windows of equal length into which rows in temporal order are divided."""


def with_condition(
    data: Dataset, column: str | None, kinds: Collection[DataKind]
) -> tuple[Dataset, str]:
    """Return the data with a column for the condition, and the column's name.

    Parameters
    ----------
    data
        The data.
    column
        The column of the condition; None appends one: the numbers of the regimes of interventional
        data, else those of the rows.
    kinds
        Kinds of data that the test takes: numbers are discretised, or levels become numbers, if it
        takes nothing else.
    """
    if column is not None:
        if column not in data.names:
            raise DataError(unknown("column of the condition", column, data.names))
        return Dataset(data.variables, data.codes, data.values), column
    name = "condition"
    while name in data.names:
        name += "_"
    regimes = data.regimes
    kind = facts_of(data).kind
    levels_fit = ("discrete" if kind == "discrete" else "mixed") in kinds
    numbers_fit = ("continuous" if kind == "continuous" else "mixed") in kinds
    if regimes is not None and (levels_fit or not numbers_fit):
        return _with_levels(data, name, regimes.canonical().rows.astype(np.int64)), name
    if regimes is None and not numbers_fit:
        return _with_levels(data, name, windows(len(data))), name
    numbers = np.arange(len(data)) if regimes is None else regimes.canonical().rows
    values = np.column_stack([data.values, numbers.astype(np.float64)])
    return Dataset([*data.variables, Variable(name)], data.codes, values), name


def windows(rows: int) -> Labels:
    """Return the window number of each row, for windows of equal length."""
    return np.arange(rows) * min(WINDOWS, rows) // max(rows, 1)


def labels_of(data: Dataset, column: str) -> Labels:
    """Return the condition of each row as a number from 0; columns of many values are binned."""
    discrete = [variable.name for variable in data.variables if variable.is_discrete]
    continuous = [variable.name for variable in data.variables if not variable.is_discrete]
    column_values: npt.NDArray[np.generic]
    if column in discrete:
        column_values = data.codes[:, discrete.index(column)]
    else:
        column_values = data.values[:, continuous.index(column)]
    distinct, labels = np.unique(column_values, return_inverse=True)
    if column in discrete or len(distinct) <= WINDOWS:
        return labels.astype(np.int64)
    ranks = np.argsort(np.argsort(column_values, kind="stable"), kind="stable")
    return windows(len(data))[ranks]


def _with_levels(data: Dataset, name: str, labels: Labels) -> Dataset:
    codes = data.codes.astype(np.int64)
    codes[data.codes == data.missing_code] = -1
    levels = tuple(str(k) for k in range(int(labels.max(initial=0)) + 1))
    variables = [*data.variables, Variable(name, levels)]
    return Dataset(variables, np.column_stack([codes, labels]), data.values)
