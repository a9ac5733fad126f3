"""Data as tests by nearest neighbours need them: ranks of numbers and codes of levels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from dagathlon.data import Dataset


def places_of_rows(data: Dataset) -> tuple[npt.NDArray[np.uint16], list[bool]]:
    """The place of each row in each column, and whether the column is discrete.

    Of a number it is the number of smaller ones, so that equal numbers share a place and monotone
    functions of a column change nothing; of a level its code.
    """
    is_discrete = [variable.is_discrete for variable in data.variables]
    places = np.empty((len(data), len(data.names)), dtype=np.uint16, order="F")
    for j, name in enumerate(data.names):
        column = data.column(name)
        places[:, j] = column if is_discrete[j] else np.searchsorted(np.sort(column), column)
    return places, is_discrete
