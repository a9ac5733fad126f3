"""Discrete variables as columns of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from dagathlon.data import Dataset


def indicator_columns(data: Dataset) -> tuple[npt.NDArray[np.float64], list[int]]:
    """Values, and an indicator for every level that occurs but the first.

    The columns of variable j are those from the j-th start up to the next. A missing value is NaN
    in all of them.
    """
    blocks: list[npt.NDArray[np.float64]] = []
    discrete = continuous = 0
    for variable in data.variables:
        if variable.is_discrete:
            blocks.append(_indicators(data.codes[:, discrete], data.missing_code))
            discrete += 1
        else:
            blocks.append(data.values[:, continuous, None])
            continuous += 1
    starts = np.cumsum([0, *(block.shape[1] for block in blocks)]).tolist()
    return np.asfortranarray(np.hstack(blocks)), starts


def _indicators(codes: npt.NDArray[np.unsignedinteger], gap: int) -> npt.NDArray[np.float64]:
    gaps = codes == gap
    levels = np.unique(codes[~gaps])
    if gaps.any() and len(levels) < 2:  # a column of its own, so that the gaps are seen
        return np.where(gaps, np.nan, 0.0)[:, None]
    block: npt.NDArray[np.float64] = (codes[:, None] == levels[None, 1:]).astype(np.float64)
    block[gaps] = np.nan
    return block
