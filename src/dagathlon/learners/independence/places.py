"""Ranks of numbers and codes of levels, for tests by nearest neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from dagathlon.data import Dataset


def places_of_rows(data: Dataset) -> tuple[npt.NDArray[np.uint16], list[bool]]:
    """Return each column's ranks (level codes if discrete), and whether each column is discrete.

    The rank of a number is the number of smaller ones, so that equal numbers share a rank and
    monotone functions of a column change nothing.
    """
    is_discrete = [variable.is_discrete for variable in data.variables]
    places = np.empty((len(data), len(data.names)), dtype=np.uint16, order="F")
    for j, name in enumerate(data.names):
        column = data.column(name)
        places[:, j] = column if is_discrete[j] else np.searchsorted(np.sort(column), column)
    return places, is_discrete
