"""Indicator columns (dummy variables) of discrete variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from dagathlon.data import Dataset


def indicator_columns(
    data: Dataset, least_rows: int = 1
) -> tuple[npt.NDArray[np.float64], list[int]]:
    """Return values and level indicators as one matrix, with the first column of each variable.

    Each level with at least `least_rows` rows but the first has an indicator; rarer levels
    count as the first one. A missing value is NaN in all columns of its variable.
    """
    blocks: list[npt.NDArray[np.float64]] = []
    discrete = continuous = 0
    for variable in data.variables:
        if variable.is_discrete:
            codes = data.codes[:, discrete]
            blocks.append(_indicators(codes, data.missing_code, least_rows))
            discrete += 1
        else:
            blocks.append(data.values[:, continuous, None])
            continuous += 1
    starts = np.cumsum([0, *(block.shape[1] for block in blocks)]).tolist()
    return np.asfortranarray(np.hstack(blocks)), starts


def _indicators(
    codes: npt.NDArray[np.unsignedinteger], gap: int, least_rows: int
) -> npt.NDArray[np.float64]:
    gaps = codes == gap
    levels, counts = np.unique(codes[~gaps], return_counts=True)
    levels = levels[counts >= least_rows]
    if (
        len(levels) < 2
    ):  # a constant column: missing values are visible in it, and arcs from it cost
        return np.where(gaps, np.nan, 0.0)[:, None]
    block: npt.NDArray[np.float64] = (codes[:, None] == levels[None, 1:]).astype(np.float64)
    block[gaps] = np.nan
    return block
