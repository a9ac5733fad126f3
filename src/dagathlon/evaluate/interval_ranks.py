"""Means, standard errors and ranks over subsamples, and whether they differ by more than chance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.errors import DagathlonError, unknown
from dagathlon.evaluate.interval_scores import DISTANCES, IntervalScore
from dagathlon.evaluate.ranking import Scores
from dagathlon.evaluate.significance import Friedman, Nemenyi, friedman, nemenyi

Floats: TypeAlias = npt.NDArray[np.float64]
OVERLAP = (
    "Subsamples are drawn from one data set and share rows, so that they are no independent "
    "repetitions: p-values are too small rather than too large."
)
# Means that differ by less are equal but for rounding.
_SAME = 1e-9
# A learner with a graph on fewer of the subsamples is not ranked.
_HALF = 0.5


class Mean(NamedTuple):
    """How one learner does with so many rows.

    Parameters
    ----------
    learner, size
        The learner and the number of rows.
    n
        Subsamples behind the mean: those on which all ranked learners have a graph. Of a learner
        that is not ranked its own.
    failures
        Subsamples on which this learner has no graph.
    mean, se
        Mean distance and its standard error; None without a subsample, and with less than two.
    rank
        1 for the best mean; equal means share the best of their ranks. None for a learner that has
        a graph on less than half of the subsamples.
    """

    learner: str
    size: int
    n: int
    failures: int
    mean: float | None
    se: float | None
    rank: int | None


def summarise(rows: Iterable[IntervalScore], measure: str = "phd") -> list[Mean]:
    """Means, standard errors and ranks of each learner with each number of rows.

    Parameters
    ----------
    rows
        The distances, as `interval_scores` gives them.
    measure
        Which of the distances.
    """
    found: list[Mean] = []
    for table in _tables(rows, measure):
        found += _means(table, measure)
    return found


class _Table(NamedTuple):
    """One distance with one number of rows, by subsample and learner."""

    size: int
    learners: tuple[str, ...]
    values: Floats
    failed: npt.NDArray[np.bool_]


def _tables(rows: Iterable[IntervalScore], measure: str) -> list[_Table]:
    if measure not in DISTANCES:
        raise DagathlonError(unknown("distance", measure, DISTANCES))
    runs = list(rows)
    learners = tuple(dict.fromkeys(row.learner for row in runs))
    place = {learner: k for k, learner in enumerate(learners)}
    tables = []
    for size in sorted({row.size for row in runs}):
        some = [row for row in runs if row.size == size]
        shape = max(row.subsample for row in some), len(learners)
        values, failed = np.full(shape, np.nan), np.ones(shape, dtype=np.bool_)
        for row in some:
            where = row.subsample - 1, place[row.learner]
            value = getattr(row, measure)
            values[where] = np.nan if value is None else value
            failed[where] = row.phd is None
        tables.append(_Table(size, learners, values, failed))
    return tables


def _means(table: _Table, measure: str) -> list[Mean]:
    there = ~np.isnan(table.values)
    ranked = there.mean(axis=0) >= _HALF
    shared = there[:, ranked].all(axis=1)
    used = [shared if ranked[k] else there[:, k] for k in range(len(table.learners))]
    values = [table.values[used[k], k] for k in range(len(table.learners))]
    means = [float(some.mean()) if some.size else None for some in values]
    known = [
        mean for mean, counts in zip(means, ranked, strict=True) if counts and mean is not None
    ]
    return [
        Mean(
            learner,
            table.size,
            len(values[k]),
            int(table.failed[:, k].sum()),
            means[k],
            standard_error(values[k]),
            _place(means[k], known, measure) if ranked[k] else None,
        )
        for k, learner in enumerate(table.learners)
    ]


def standard_error(values: Floats) -> float | None:
    """Of the mean of values; None for fewer than two."""
    return float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else None


def _place(mean: float | None, among: Sequence[float], measure: str) -> int | None:
    if mean is None:
        return None
    sign = 1 if DISTANCES[measure][1] == "less" else -1
    return _before(sign * mean, (sign * other for other in among))


class Place(NamedTuple):
    """Where a learner stands over all sizes.

    Parameters
    ----------
    learner
        The learner.
    place
        1 for the least mean rank; equal ones share a place. None where some size has no rank.
    mean_rank
        Mean of the ranks over sizes that have one; None without any.
    """

    learner: str
    place: int | None
    mean_rank: float | None


def ranking(means: Iterable[Mean]) -> list[Place]:
    """Learners by their mean rank over sizes, the best first; those without a place last."""
    ranks: dict[str, list[int | None]] = {}
    for row in means:
        ranks.setdefault(row.learner, []).append(row.rank)
    averages = {name: _average(found) for name, found in ranks.items()}
    among = {
        name: mean
        for name, mean in averages.items()
        if mean is not None and None not in ranks[name]
    }
    rows = [
        Place(name, _before(among[name], among.values()) if name in among else None, mean)
        for name, mean in averages.items()
    ]
    return sorted(rows, key=lambda row: (row.place is None, row.place or 0))


def _before(mean: float, among: Iterable[float]) -> int:
    """The place of a mean: one more than the number of lesser ones."""
    return 1 + sum(other < mean - _SAME for other in among)


def _average(ranks: Iterable[int | None]) -> float | None:
    known = [rank for rank in ranks if rank is not None]
    return sum(known) / len(known) if known else None


class RankTest(NamedTuple):
    """Whether the learners' ranks differ by more than chance; see `OVERLAP`.

    Parameters
    ----------
    size
        The number of rows; None for all together.
    friedman
        Friedman's test of equal ranks.
    nemenyi
        Average ranks, and which learners cannot be told apart.
    """

    size: int | None
    friedman: Friedman
    nemenyi: Nemenyi


def rank_tests(rows: Iterable[IntervalScore], measure: str = "phd") -> list[RankTest]:
    """Friedman's and Nemenyi's tests with subsamples as blocks, for each size and for all.

    Over all sizes a block is the subsamples of one number, whose ranks are averaged: what is larger
    may contain what is smaller. A failure ranks last. Nothing with fewer than five subsamples.

    Parameters
    ----------
    rows
        The distances, as `interval_scores` gives them.
    measure
        Which of the distances.
    """
    tables = _tables(rows, measure)
    found: list[tuple[int | None, Scores]] = [(table.size, _scores([table])) for table in tables]
    if len(tables) > 1:
        found.append((None, _scores(tables)))
    better = DISTANCES[measure][1]
    return [
        RankTest(size, first, second)
        for size, scores in found
        if (first := friedman(scores, better)) and (second := nemenyi(scores, better))
    ]


def _scores(tables: Sequence[_Table]) -> Scores:
    """As the tests take them: one data set per subsample and size, a block per subsample."""
    cases = [
        ("", "subsample", str(table.size), t) for table in tables for t in range(len(table.values))
    ]
    values = np.concatenate([table.values for table in tables])
    failed = np.concatenate([table.failed for table in tables])
    return Scores(tables[0].learners, tuple(cases), values, failed)
