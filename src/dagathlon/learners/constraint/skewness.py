"""Pairwise causal direction by skewness: left-right rules for all pairs at once."""

from __future__ import annotations

from itertools import combinations
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.pulse import beat

Floats = npt.NDArray[np.float64]
LeftRight: TypeAlias = Literal["fask1", "fask2", "rskew", "skew", "tanh"]


class Halves(NamedTuple):
    """Uncentred correlations of standardised columns in the rows where one of them is positive.

    Parameters
    ----------
    first
        ``first[i, j]``: the correlation of i and j in the rows where i is positive.
    difference
        The correlation where i is positive minus that where j is.
    """

    first: Floats
    difference: Floats


def standardised(values: Floats) -> Floats:
    """Standardise columns to mean 0 and variance 1; constant columns become 0."""
    # The mean is rounded, so a centred constant column need not be exactly 0.
    centred = np.where(np.ptp(values, axis=0) > 0, values - values.mean(axis=0), 0.0)
    spread = centred.std(axis=0, ddof=1)
    return np.asarray(centred / np.where(spread > 0, spread, 1.0), dtype=np.float64)


def halves(columns: Floats) -> Halves:
    """Compute the correlations of `Halves` for standardised columns."""
    positive = (columns > 0).astype(np.float64)
    squares = positive.T @ columns**2
    products = (positive * columns).T @ columns
    size = np.sqrt(np.diag(squares)[:, None] * squares)
    first = np.divide(products, size, out=np.zeros_like(products), where=size > 0)
    return Halves(first, first - first.T)


def skewness(columns: Floats) -> Floats:
    """Return the skewness of each standardised column."""
    return np.asarray((columns**3).mean(axis=0), dtype=np.float64)


def left_right(columns: Floats, rule: LeftRight, delta: float, positive: bool) -> Floats:
    """Return the evidence for row causes column, for each pair; an antisymmetric matrix.

    Parameters
    ----------
    columns
        Standardised columns.
    rule
        fask1 and fask2: the difference of `halves`, by sign of the correlation; rskew, skew, tanh:
        approximate likelihood ratios of Hyvärinen and Smith (2013).
    delta
        Correlation below which the answer of fask1 and fask2 is reversed.
    positive
        Whether the columns are assumed to have positive skewness; otherwise fask2, rskew and skew
        multiply them by the sign of their skewness.
    """
    rows = len(columns)
    correlations = columns.T @ columns / (rows - 1)
    signs = np.ones(columns.shape[1]) if positive else np.sign(skewness(columns))
    if rule == "fask1":
        turned = np.where(correlations < delta, -1.0, 1.0) * np.sign(correlations)
        return np.asarray(halves(columns).difference * turned, dtype=np.float64)
    if rule == "fask2":
        turned = np.where(correlations < delta, -1.0, 1.0)
        turned = turned * np.outer(signs, signs)
        return np.asarray(halves(columns).difference * turned, dtype=np.float64)
    if rule != "tanh":
        columns = columns * signs
        correlations = correlations * np.outer(signs, signs)
    squares = columns**2
    if rule == "skew":
        one_way = squares.T @ columns / rows
    elif rule == "tanh":
        one_way = columns.T @ np.tanh(columns) / rows
    else:
        one_way = -columns.T @ _log_cosh_of_positive(columns) / rows
    return np.asarray(correlations * (one_way - one_way.T), dtype=np.float64)


def _log_cosh_of_positive(columns: Floats) -> Floats:
    above = np.maximum(columns, 0.0)
    return np.asarray(above + np.log1p(np.exp(-2 * above)) - np.log(2.0), dtype=np.float64)


def is_two_cycle(columns: Floats, i: int, j: int, others: list[int], alpha: float) -> bool:
    """Return whether two variables cause each other (a 2-cycle), by changed correlations.

    That is so if, given every subset of `others`, the partial correlation in the rows where i
    is positive differs from that in all rows, and so does the one where j is, by Fisher's z at
    level `alpha`.
    """
    from scipy.special import ndtri  # noqa: PLC0415 - heavy

    critical = float(-ndtri(alpha / 2))
    for size in range(len(others) + 1):
        for given in combinations(others, size):
            beat()
            block = columns[:, [i, j, *given]]
            if any(_correlation_change(block, block[:, one] > 0) <= critical for one in (0, 1)):
                return False
    return True


def _correlation_change(block: Floats, rows: npt.NDArray[np.bool_]) -> float:
    """Return Fisher's z of a partial correlation's difference between some and all rows."""
    given = block.shape[1] - 2
    some, every = int(rows.sum()) - 3 - given, len(block) - 3 - given
    if some <= 0:
        return 0.0
    apart = _fisher(block[rows]) - _fisher(block)
    return float(abs(apart) / np.sqrt(1 / some + 1 / every))


def _fisher(block: Floats) -> float:
    """Return Fisher's transform of the uncentred partial correlation of the first two columns."""
    inverse = np.linalg.pinv(block.T @ block)
    size = float(np.sqrt(inverse[0, 0] * inverse[1, 1]))
    partial = -float(inverse[0, 1]) / size if size > 0 else 0.0
    return float(np.arctanh(np.clip(partial, -1 + 1e-12, 1 - 1e-12)))
