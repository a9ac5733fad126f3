"""Log transformation of continuous columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dagathlon.data.dataset import Dataset
from dagathlon.data.preparing.discretization import continuous_columns
from dagathlon.errors import DataError
from dagathlon.wording import counted


def log_columns(
    data: Dataset, columns: Sequence[str] | None = None, *, offset: float | None = None
) -> Dataset:
    """Return the data with the natural logarithms of continuous columns.

    Parameters
    ----------
    data
        The data.
    columns
        Names of columns; by default all that are continuous.
    offset
        Added to all values first. By default 0, but in a column with zeros, which have no
        logarithm, half of the smallest value above zero.

    Raises
    ------
    DataError
        For a column with values that have no logarithm, such as negative ones.
    """
    chosen = set(continuous_columns(data, columns, "has logarithms"))
    values = data.values.copy(order="F")
    continuous = [variable.name for variable in data.variables if not variable.is_discrete]
    for j, name in enumerate(continuous):
        if name in chosen:
            values[:, j] = np.log(values[:, j] + _added(name, values[:, j], offset))
    codes = data.codes if data.codes.shape[1] else None
    return Dataset(data.variables, codes, values, data.regimes)


def _added(name: str, column: np.ndarray, offset: float | None) -> float:
    least = float(np.nanmin(column))
    if offset is not None and least + offset > 0:
        return offset
    if least < 0 or offset is not None:
        count = int(np.count_nonzero(column + (offset or 0.0) <= 0))
        remedy = f"an offset above {-least:g} would do" if least < 0 else "a larger offset would do"
        raise DataError(
            f"column {name!r}: {counted(count, 'value')} down to {least:g} without a logarithm; "
            f"leave the column out of the list, or add something first ({remedy})"
        )
    if least > 0:
        return 0.0
    positive = column[column > 0]
    if not len(positive):
        raise DataError(f"column {name!r}: all values are 0, which has no logarithm")
    return float(positive.min()) / 2
