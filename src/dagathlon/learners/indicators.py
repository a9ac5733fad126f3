"""Discrete variables as columns of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from dagathlon.data import Dataset


def indicator_columns(
    data: Dataset, least_rows: int = 1
) -> tuple[npt.NDArray[np.float64], list[int]]:
    """Values, and an indicator for every level with enough rows but the first.

    The columns of variable j are those from the j-th start up to the next. Levels of fewer than
    `least_rows` rows count as the first one.
    """
    blocks: list[npt.NDArray[np.float64]] = []
    discrete = continuous = 0
    for variable in data.variables:
        if variable.is_discrete:
            codes = data.codes[:, discrete]
            levels, counts = np.unique(codes, return_counts=True)
            levels = levels[counts >= least_rows]
            blocks.append((codes[:, None] == levels[None, 1:]).astype(np.float64))
            discrete += 1
        else:
            blocks.append(data.values[:, continuous, None])
            continuous += 1
    starts = np.cumsum([0, *(block.shape[1] for block in blocks)]).tolist()
    return np.asfortranarray(np.hstack(blocks)), starts
