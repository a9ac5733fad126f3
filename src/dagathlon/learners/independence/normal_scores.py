"""Normal scores: ranks as quantiles of the normal distribution."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def normal_scores(values: Floats) -> Floats:
    """Replace each column by the normal quantiles of its mid-ranks; missing values stay NaN."""
    return np.column_stack([_scores(column) for column in values.T]) if values.size else values


def _scores(column: Floats) -> Floats:
    from scipy.special import ndtri  # noqa: PLC0415 - heavy

    known = ~np.isnan(column)
    _, place, counts = np.unique(column[known], return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    scores = np.full(len(column), np.nan)
    scores[known] = ndtri(ranks / (known.sum() + 1))[place]
    return scores
