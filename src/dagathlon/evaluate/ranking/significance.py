"""Significance of rank differences: Friedman, Nemenyi, Wilcoxon with Holm's correction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon.errors import DagathlonError
from dagathlon.evaluate.ranking.ranks import (
    Better,
    Floats,
    Scores,
    Unit,
    blocks_of,
    case_weights,
    mean_ranks,
    neutral_ranks,
    ranks,
)

# Least numbers of blocks and competitors for a test.
LEAST_BLOCKS, LEAST_COMPETITORS = 5, 2
# Averages of ranks that differ by less than this many digits show are equal.
_DIGITS = 12
# With more differences than this, equal ones among them or none, the normal approximation serves.
_FEW, _SOME = 13, 50


class Friedman(NamedTuple):
    """Result of Friedman's test of equal average ranks.

    Parameters
    ----------
    statistic, p_value
        Friedman's χ² with its correction for ties, and its p-value.
    f_statistic, f_p_value
        Iman and Davenport's F, which is less conservative.
    n, k
        Blocks and competitors.
    """

    statistic: float
    p_value: float
    f_statistic: float
    f_p_value: float
    n: int
    k: int


def friedman(scores: Scores, better: Better, unit: Unit = "block") -> Friedman | None:
    """Friedman's test of the average ranks of `neutral_ranks`; failures rank last.

    Variants of one draw (sample sizes, noise) are no independent data sets: deviations from the
    mean rank are summed within each block first, and the number of blocks counts. The statistic
    refers the sums to their covariance over permutations of a block's competitors within the
    block: where all take part and each block is one data set, this is Friedman's with his
    correction for ties; where some are absent, it is Skillings and Mack's without their weights,
    so that it is about the averages that are shown. None with fewer than five blocks or two
    competitors.

    Parameters
    ----------
    scores, better
        As in `ranks`.
    unit
        Whether the average ranks are over data sets or over blocks.
    """
    from scipy.special import chdtrc, fdtrc  # noqa: PLC0415 - only where tests are made

    table = scores.contested()
    shares = _block_shares(table, better, unit)
    n, k = shares.shape
    if n < LEAST_BLOCKS or k < LEAST_COMPETITORS:
        return None
    total, covariance, freedom = np.zeros(k), np.zeros((k, k)), 0
    for row, present in zip(shares, _present(table), strict=True):
        m = int(present.sum())
        spread = float((row**2).sum()) / max(m - 1, 1)
        total, freedom = total + row, freedom + m - 1
        covariance += spread * (np.diag(present) - np.outer(present, present) / m)
    values, vectors = np.linalg.eigh(covariance)
    positive = values > 1e-9 * max(float(values[-1]), 1e-300)
    if values[-1] <= 0:
        return Friedman(0.0, 1.0, 0.0, 1.0, n, k)
    statistic = float(((vectors[:, positive].T @ total) ** 2 / values[positive]).sum())
    df = int(positive.sum())
    rest = freedom - statistic
    f = math.inf if rest <= 1e-9 else (freedom - df) * statistic / (df * rest)
    f_p = 0.0 if math.isinf(f) else float(fdtrc(df, freedom - df, f))
    return Friedman(statistic, float(chdtrc(df, statistic)), f, f_p, n, k)


def _block_shares(table: Scores, better: Better, unit: Unit) -> Floats:
    """Return each block's contribution to the deviations of average ranks from their mean."""
    centre = (table.took_part.sum(axis=1, keepdims=True) + 1) / 2
    added = case_weights(table, unit)[:, None] * (neutral_ranks(table, better) - centre)
    result = np.zeros((len(blocks_of(table)), len(table.names)))
    for place, members in enumerate(blocks_of(table)):
        result[place] = added[members].sum(axis=0)
    return result


def _present(table: Scores) -> list[Floats]:
    """Return, per block, a 0/1 vector of the competitors that take part in it."""
    took_part = table.took_part
    return [took_part[members].any(axis=0).astype(float) for members in blocks_of(table)]


def critical_difference(k: int, n: float, alpha: float = 0.05) -> float:
    """Return Nemenyi's critical difference of average ranks of k competitors on n blocks.

    For blocks of unequal weight, n is the equivalent number of equal ones.

    References
    ----------
    Demšar 2006, Statistical comparisons of classifiers over multiple data sets, Journal of Machine
    Learning Research 7.
    """
    if k < LEAST_COMPETITORS or n < 1 or not 0 < alpha < 1:
        raise DagathlonError(
            "a critical difference needs two competitors, a block and a level between 0 and 1; "
            f"found {k}, {n} and {alpha}"
        )
    return _range_quantile(k, alpha) / math.sqrt(2) * math.sqrt(k * (k + 1) / (6 * n))


@lru_cache(maxsize=64)
def _range_quantile(k: int, alpha: float) -> float:
    """Return the upper quantile of the range of k standard normal variables.

    Computed by its definition, because scipy's function takes seconds to import: an integral
    over the position of the minimum and the others within the range above it.
    """
    from scipy.special import ndtr  # noqa: PLC0415 - only where tests are made

    z = np.linspace(-10, 10, 2001)
    density = np.exp(-(z**2) / 2) * (k * (z[1] - z[0]) / math.sqrt(2 * math.pi))

    def beyond(q: float) -> float:
        return 1 - float(density @ (ndtr(z + q) - ndtr(z)) ** (k - 1))

    low, high = 0.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if beyond(middle) > alpha else (low, middle)
    return high


class Nemenyi(NamedTuple):
    """Content of a critical-difference diagram.

    Parameters
    ----------
    names, averages
        Competitors and their average ranks, the best first.
    difference
        Averages further apart than this differ.
    groups
        First and last place of each largest group without a difference, from 0.
    n
        Number of blocks.
    """

    names: tuple[str, ...]
    averages: tuple[float, ...]
    difference: float
    groups: tuple[tuple[int, int], ...]
    n: int


def nemenyi(
    scores: Scores, better: Better, alpha: float = 0.05, unit: Unit = "block"
) -> Nemenyi | None:
    """Return average ranks and groups without significant differences; None as for `friedman`.

    The critical difference is that of single ranks of all competitors: for averages within
    blocks, and where some take no part, it is conservative.
    """
    table = scores.contested()
    members, k = blocks_of(table), len(table.names)
    n = len(members)
    if n < LEAST_BLOCKS or k < LEAST_COMPETITORS:
        return None
    weights, means = case_weights(table, unit), mean_ranks(table, better, unit)
    order = np.argsort(means, kind="stable")
    averages = tuple(float(means[j]) for j in order)
    shares = [float(weights[block].sum() / weights.sum()) for block in members]
    equal = 1 / sum(share**2 for share in shares)
    difference = critical_difference(k, equal, alpha)
    names = tuple(table.names[j] for j in order)
    return Nemenyi(names, averages, difference, _groups(averages, difference), n)


def _groups(averages: Sequence[float], difference: float) -> tuple[tuple[int, int], ...]:
    """Return the maximal runs of sorted averages that lie within the difference."""
    groups: list[tuple[int, int]] = []
    for first in range(len(averages)):
        last = max(j for j, mean in enumerate(averages) if mean - averages[first] <= difference)
        if last > first and (not groups or last > groups[-1][1]):
            groups.append((first, last))
    return tuple(groups)


class Pair(NamedTuple):
    """Comparison of two competitors, block by block.

    Parameters
    ----------
    left, right
        The competitors.
    wins, losses, ties
        Blocks on which the left one was better, worse, equal.
    p_value
        Of Wilcoxon's signed-rank test.
    adjusted
        The same with Holm's correction for the number of pairs.
    """

    left: str
    right: str
    wins: int
    losses: int
    ties: int
    p_value: float
    adjusted: float


def pairwise(scores: Scores, better: Better) -> list[Pair]:
    """Return Wilcoxon's signed-rank test for every pair, with Holm's correction.

    A failed run counts as worse than any other; two failures are a tie. Pairs are compared on
    the data sets in which both take part, by the metric where all are of one kind and by
    average ranks within blocks where values would not be comparable; empty with fewer than five
    blocks.
    """
    table = scores.contested()
    k = len(table.names)
    if len(blocks_of(table)) < LEAST_BLOCKS or k < LEAST_COMPETITORS:
        return []
    gain = _gains(table, better)
    pairs = [_pair(table, gain, i, j) for i in range(k) for j in range(i + 1, k)]
    adjusted = holm([pair.p_value for pair in pairs])
    return [pair._replace(adjusted=p) for pair, p in zip(pairs, adjusted, strict=True)]


def _gains(table: Scores, better: Better) -> Floats:
    """Return values by data set and competitor, signed so that more is better; NaN if missing."""
    plain = len(table.kinds) == 1 and len(blocks_of(table)) == len(table.cases)
    if not plain:
        return -ranks(table, better, "average")
    gain = table.values if better == "more" else -table.values
    present = gain[~np.isnan(gain)]
    spread = float(np.ptp(present)) if present.size else 0.0
    least = (float(present.min()) if present.size else 0.0) - spread - 1.0
    return np.where(table.failed, least, gain)


def _pair(table: Scores, gain: Floats, i: int, j: int) -> Pair:
    apart = gain[:, i] - gain[:, j]
    both = [apart[members] for members in blocks_of(table)]
    means = [float(gains[~np.isnan(gains)].mean()) for gains in both if not np.isnan(gains).all()]
    difference = np.round(np.array(means), _DIGITS)
    wins, losses = int((difference > 0).sum()), int((difference < 0).sum())
    p = _signed_rank(difference[difference != 0]) if wins + losses else 1.0
    return Pair(table.names[i], table.names[j], wins, losses, len(means) - wins - losses, p, p)


def _signed_rank(difference: Floats) -> float:
    """Return Wilcoxon's two-sided p-value of nonzero differences.

    Exact for few of them, also with ties: the distribution of the rank sum is computed by
    adding one rank after the other.
    """
    _, place, count = np.unique(np.abs(difference), return_inverse=True, return_counts=True)
    doubled = (2 * np.cumsum(count) - count + 1)[place]  # twice the mean of the ranks they share
    n, observed = len(difference), int(doubled[difference > 0].sum())
    if n > (_FEW if len(count) < n else _SOME):
        return _by_normal(observed / 2, n, count)
    chances = np.ones(1)
    for rank in doubled.tolist():
        chances = (np.pad(chances, (0, rank)) + np.pad(chances, (rank, 0))) / 2
    tails = chances[: observed + 1].sum(), chances[observed:].sum()
    return min(1.0, 2 * float(min(tails)))


def _by_normal(rank_sum: float, n: int, ties: npt.NDArray[np.int64]) -> float:
    """Return the p-value by normal approximation, with the variance corrected for ties."""
    variance = n * (n + 1) * (2 * n + 1) / 24 - float((ties**3 - ties).sum()) / 48
    z = abs(rank_sum - n * (n + 1) / 4) / math.sqrt(variance)
    return math.erfc(z / math.sqrt(2))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p-values, to be compared with the level directly."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for step, i in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - step) * p_values[i]))
        adjusted[i] = highest
    return adjusted
