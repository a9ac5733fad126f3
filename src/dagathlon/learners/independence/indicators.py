"""Discrete variables as columns of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from dagathlon.data import Dataset


def indicator_columns(data: Dataset) -> tuple[npt.NDArray[np.float64], list[int]]:
    """Values, and an indicator for every level that occurs but the first.

    The columns of variable j are those from the j-th start up to the next.
    """
    blocks: list[npt.NDArray[np.float64]] = []
    discrete = continuous = 0
    for variable in data.variables:
        if variable.is_discrete:
            codes = data.codes[:, discrete]
            blocks.append((codes[:, None] == np.unique(codes)[None, 1:]).astype(np.float64))
            discrete += 1
        else:
            blocks.append(data.values[:, continuous, None])
            continuous += 1
    starts = np.cumsum([0, *(block.shape[1] for block in blocks)]).tolist()
    return np.asfortranarray(np.hstack(blocks)), starts
