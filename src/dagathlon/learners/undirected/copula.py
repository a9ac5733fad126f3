"""Latent data of the Gaussian copula: what the orders within the columns of a data set say."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.data import Dataset


def copula_start(data: Dataset, normal_scores: bool) -> _core.CopulaStart:
    """Where the latent data of a Gaussian copula begin: at normal scores of the ranks.

    Nothing but the order of the values of a column enters, so that monotone changes of units leave
    everything as it is. Levels of a discrete column are ordered as its variable lists them.

    Parameters
    ----------
    data
        The data, with or without missing values.
    normal_scores
        Whether continuous columns keep their normal scores; otherwise latent values are drawn
        between those of the next smaller and the next larger value.
    """
    start = _core.CopulaStart()
    for variable in data.variables:
        levels = _levels(data.column(variable.name), data.missing_code)
        start.add(
            levels.tolist(), _normal_scores(levels), normal_scores and not variable.is_discrete
        )
    return start


def _levels(column: npt.NDArray[Any], missing_code: int) -> npt.NDArray[np.int32]:
    """The place of each value among the distinct values of a column; -1 where it is missing."""
    seen = ~np.isnan(column) if column.dtype.kind == "f" else column != missing_code
    levels = np.full(len(column), -1, dtype=np.int32)
    levels[seen] = np.unique(column[seen], return_inverse=True)[1].ravel()
    return levels


def _normal_scores(levels: npt.NDArray[np.int32]) -> list[float]:
    """The quantile of the normal distribution at the mean rank of each level."""
    counts = np.bincount(levels[levels >= 0])
    ranks = np.cumsum(counts) - (counts - 1) / 2
    quantile = NormalDist().inv_cdf
    return [quantile(rank / (counts.sum() + 1)) for rank in ranks.tolist()]
