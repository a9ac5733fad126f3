"""Latent data of the Gaussian copula, from the ranks within each column."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.data.reading.labels import is_number
from dagathlon.errors import listing


def copula_start(data: Dataset, kept: Sequence[bool]) -> _core.CopulaStart:
    """Return the initial latent data of a Gaussian copula: normal scores of the ranks.

    Only the order of a column's values is used, so that monotone changes of units change
    nothing. Levels of a discrete column are ordered as its variable lists them.

    Parameters
    ----------
    data
        The data, with or without missing values.
    kept
        For each column whether it keeps its normal scores; otherwise latent values are drawn
        between those of the next smaller and the next larger value.
    """
    start = _core.CopulaStart()
    for name, keep in zip(data.names, kept, strict=True):
        levels = observed_levels(data, name)
        start.add(levels.tolist(), _normal_scores(levels), keep)
    return start


def observed_levels(data: Dataset, name: str) -> npt.NDArray[np.int32]:
    """Return each value's index among the distinct values of its column; -1 where it is missing."""
    column = data.column(name)
    seen = ~np.isnan(column) if column.dtype.kind == "f" else column != data.missing_code
    levels = np.full(len(column), -1, dtype=np.int32)
    levels[seen] = np.unique(column[seen], return_inverse=True)[1].ravel()
    return levels


def guessed_orders(data: Dataset) -> tuple[str, ...]:
    """Return a note on columns of three or more words whose order was never given."""
    guessed = [
        f"{variable.name} ({' < '.join(variable.levels)})"
        for variable in data.variables
        if variable.levels and not variable.ordered and _are_words(variable.levels)
    ]
    if not guessed:
        return ()
    return (
        f"a copula needs the order of levels, which was guessed for {listing(guessed)}; say it "
        "with --levels, or leave out columns that have none",
    )


def _are_words(levels: Sequence[str]) -> bool:
    """Return whether there are three or more levels and they are not numbers."""
    return len(levels) > 2 and not all(is_number(level) for level in levels)


def _normal_scores(levels: npt.NDArray[np.int32]) -> list[float]:
    """Return the normal quantile at the mean rank of each level, scaled to variance 1."""
    counts = np.bincount(levels[levels >= 0])
    rows = int(counts.sum())
    ranks = np.cumsum(counts) - (counts - 1) / 2
    quantile = NormalDist().inv_cdf
    scores = np.array([quantile(rank / (rows + 1)) for rank in ranks.tolist()])
    # Normal scores are symmetric up to ties.
    centred = scores - (counts @ scores / rows if rows else 0.0)
    spread = float(counts @ centred**2)
    result: list[float] = (
        centred * np.sqrt((rows - 1) / spread) if spread > 0 else scores
    ).tolist()
    return result
