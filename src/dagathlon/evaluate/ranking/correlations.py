"""Rank correlations of metrics over methods, averaged over data sets, with intervals.

Also Pearson's correlations of evaluation methods over learners.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]

LEAST_METHODS = 3
"""Fewest methods for a rank correlation: with two it is always 1 or -1."""
_SEED = 20240707
_ROUNDING = 1e-13


class Interval(NamedTuple):
    """Means over data sets, with bootstrap intervals.

    Parameters
    ----------
    mean
        The mean over the data sets that have a value; NaN without any.
    low, high
        Percentiles of the means of resampled data sets.
    known
        How many data sets have a value.
    """

    mean: Floats
    low: Floats
    high: Floats
    known: npt.NDArray[np.int64]


def bootstrap_means(values: npt.ArrayLike, resamples: int = 1000, level: float = 0.95) -> Interval:
    """Return means over the first axis (data sets) with percentile bootstrap intervals.

    Parameters
    ----------
    values
        One entry per data set, of any shape; NaN where there is none.
    resamples
        How often data sets are drawn again, as many as there are, with replacement.
    level
        Probability that an interval covers.
    """
    table = np.asarray(values, dtype=np.float64)
    n = len(table)
    there = ~np.isnan(table)
    count = there.sum(axis=0)
    if not n:
        nothing = np.full(table.shape[1:], np.nan)
        return Interval(nothing, nothing, nothing, count)
    flat, known = np.where(there, table, 0.0).reshape(n, -1), there.reshape(n, -1)
    drawn_sets = np.random.default_rng(_SEED).multinomial(n, np.full(n, 1 / n), resamples)
    weights = drawn_sets.astype(np.float64)
    drawn = _ratio(weights @ flat, weights @ known.astype(np.float64))
    mean = _ratio(flat.sum(axis=0), known.sum(axis=0).astype(np.float64))
    low, high = _percentiles(drawn, level)
    shape = table.shape[1:]
    return Interval(mean.reshape(shape), low.reshape(shape), high.reshape(shape), count)


def _ratio(sums: Floats, counts: Floats) -> Floats:
    nothing = np.full_like(sums, np.nan)
    return np.divide(sums, counts, out=nothing, where=counts > 0)


def _percentiles(drawn: Floats, level: float) -> tuple[Floats, Floats]:
    """Return percentiles of the resampled means, ignoring resamples without a value."""
    tail = 100 * (1 - level) / 2
    empty = np.isnan(drawn).all(axis=0)
    ends = np.nanpercentile(np.where(empty, 0.0, drawn), [tail, 100 - tail], axis=0)
    ends[:, empty] = np.nan
    return ends[0], ends[1]


def rank_correlations(values: npt.ArrayLike, better: Sequence[str]) -> Floats:
    """Return Spearman's correlations of all pairs of metrics over methods, on one data set.

    Parameters
    ----------
    values
        A row for each method and a column for each metric; NaN where a method has no value.
    better
        For each metric whether ``more`` or ``less`` is better, so that 1 always means that two
        metrics prefer the same methods; a metric without direction counts as it is.

    Returns
    -------
    array
        Over the methods that have both metrics; equal values share the mean of their ranks. NaN for
        fewer than three methods, and where a metric is the same for all.
    """
    table = np.asarray(values, dtype=np.float64)
    table = table * np.where([direction == "less" for direction in better], -1.0, 1.0)
    known = ~np.isnan(table)
    m = table.shape[1]
    correlations = np.full((m, m), np.nan)
    pairs = known[:, :, None] & known[:, None, :]
    for chosen in np.unique(pairs.reshape(len(table), -1), axis=1).T:
        if chosen.sum() < LEAST_METHODS:
            continue
        same = (pairs == chosen[:, None, None]).all(axis=0)
        columns = known[chosen].all(axis=0)
        part = np.full((m, m), np.nan)
        part[np.ix_(columns, columns)] = _spearman(table[np.ix_(chosen, columns)])
        correlations[same] = part[same]
    return correlations


def _spearman(values: Floats) -> Floats:
    """Return Spearman's correlations of a complete table; NaN where a column is constant."""
    ranks = _ranks(values)
    centred = ranks - ranks.mean(axis=0)
    norms = np.sqrt((centred**2).sum(axis=0))
    moments = centred.T @ centred
    scale = np.outer(norms, norms)
    correlations = np.divide(moments, scale, out=np.full_like(moments, np.nan), where=scale > 0)
    clipped: Floats = np.clip(correlations, -1.0, 1.0)
    return clipped


def _ranks(values: Floats) -> Floats:
    """Return ascending ranks in each column, with mean ranks for ties."""
    less = (values[None, :, :] < values[:, None, :]).sum(axis=1)
    equal = (values[None, :, :] == values[:, None, :]).sum(axis=1)
    ranks: Floats = less + (equal + 1) / 2
    return ranks


def mean_correlations(
    data_sets: Sequence[Sequence[npt.ArrayLike]],
    better: Sequence[str],
    resamples: int = 1000,
) -> Interval:
    """Return rank correlations between metrics, averaged over random starts, then data sets.

    Methods are ranked within each data set, so that data sets on which all methods do badly do
    not make metrics look alike, as one ranking of all values would.

    Parameters
    ----------
    data_sets
        For each data set, for each start of the methods, values as in `rank_correlations`.
    better
        As there.
    resamples
        As in `bootstrap_means`.
    """
    m = len(better)
    correlations = np.full((len(data_sets), m, m), np.nan)
    for place, starts in enumerate(data_sets):
        tables = np.array([rank_correlations(values, better) for values in starts])
        known = ~np.isnan(tables)
        sums = np.where(known, tables, 0.0).sum(axis=0)
        correlations[place] = _ratio(sums, known.sum(axis=0).astype(np.float64))
    return bootstrap_means(correlations, resamples)


class MethodCorrelation(NamedTuple):
    """Pearson's correlation of two evaluation methods over learners.

    Parameters
    ----------
    left, right
        The methods.
    value
        The correlation; None where it is undefined.
    learners
        Number of learners that have a value of both.
    note
        Why it is undefined; empty where it is not.
    """

    left: str
    right: str
    value: float | None
    learners: int
    note: str = ""


def method_correlations(
    values: Mapping[str, Mapping[str, float | None]],
) -> list[MethodCorrelation]:
    """Return Pearson's correlations of all pairs of evaluation methods, over learners.

    Parameters
    ----------
    values
        For each evaluation method, such as SHD or cross-entropy, the mean value of each learner:
        those at one sample size. A learner without a number (None or NaN) does not count. Methods
        by which more is better should come with their sign turned, so that 1 means agreement.

    Returns
    -------
    list
        One for every two methods, in their order. A correlation is undefined for fewer than three
        learners, and where a method has the same value for all of them.

    Examples
    --------
    >>> found = method_correlations(
    ...     {"shd": {"a": 1, "b": 2, "c": 4}, "ce": {"a": 3, "b": 5, "c": 9}}
    ... )
    >>> round(found[0].value, 6)
    1.0
    """
    return [
        _method_correlation(left, right, values[left], values[right])
        for left, right in combinations(values, 2)
    ]


def _method_correlation(
    left: str,
    right: str,
    first: Mapping[str, float | None],
    second: Mapping[str, float | None],
) -> MethodCorrelation:
    shared = [name for name in first if _is_finite(first[name]) and _is_finite(second.get(name))]
    if len(shared) < LEAST_METHODS:
        few = f"fewer than {LEAST_METHODS} learners have a value of both"
        return MethodCorrelation(left, right, None, len(shared), few)
    table = np.array([[first[name], second[name]] for name in shared], dtype=np.float64)
    centred = table - table.mean(axis=0)
    norms = np.sqrt((centred**2).sum(axis=0))
    # The rounding error of equal numbers is no variance.
    constant = norms <= _ROUNDING * np.abs(table).max(axis=0) * len(shared)
    if constant.any():
        same = left if constant[0] else right
        note = f"{same} is the same for all learners"
        return MethodCorrelation(left, right, None, len(shared), note)
    value = float(np.clip((centred / norms).prod(axis=1).sum(), -1.0, 1.0))
    return MethodCorrelation(left, right, value, len(shared))


def _is_finite(value: float | None) -> bool:
    return value is not None and bool(np.isfinite(value))
