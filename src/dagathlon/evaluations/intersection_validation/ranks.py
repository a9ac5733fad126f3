"""Means, ranks and tests over subsamples, and pairs of learners by what these two agree on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.errors import DagathlonError, unknown
from dagathlon.evaluate.ranking.ranks import Scores, block_ranks
from dagathlon.evaluate.ranking.significance import (
    LEAST_COMPETITORS,
    Friedman,
    Nemenyi,
    friedman,
    holm,
    nemenyi,
)
from dagathlon.evaluate.ranking.significance import pairwise as signed_ranks
from dagathlon.evaluations.intersection_validation.forecast import Verdict, forecast_among
from dagathlon.evaluations.intersection_validation.scores import DISTANCES, IntervalScore
from dagathlon.evaluations.intersection_validation.types import Bools, Learned

Floats: TypeAlias = npt.NDArray[np.float64]
OVERLAP = (
    "Subsamples are drawn from one data set and share rows, so that they are no independent "
    "repetitions: p-values are too small rather than too large."
)
LEVEL = 0.05
"""Of the tests."""
# Mean ranks that differ by less are equal but for rounding.
_SAME = 1e-9
# A learner with a graph on fewer of the subsamples is not ranked.
_HALF = 0.5


class Mean(NamedTuple):
    """Mean distances and rank of one learner at one subsample size.

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
    mean_rank
        Its ranks within each subsample, averaged: equal distances share the mean of their ranks,
        and a failure ranks last. This is what the tests are about.
    rank
        Its place by that, 1 for the best; equal ones share the better place. None for a learner
        that has a graph on less than half of the subsamples.
    """

    learner: str
    size: int
    n: int
    failures: int
    mean: float | None
    se: float | None
    mean_rank: float | None
    rank: int | None


def summarise(rows: Iterable[IntervalScore], measure: str = "phd") -> list[Mean]:
    """Return means, standard errors and ranks of each learner at each subsample size.

    Parameters
    ----------
    rows
        The distances, as `interval_scores` gives them.
    measure
        Which of the distances.
    """
    result: list[Mean] = []
    for table in _tables(rows, measure):
        result += _means(table, measure)
    return result


class _Table(NamedTuple):
    """One distance at one subsample size, by subsample and learner."""

    size: int
    learners: tuple[str, ...]
    values: Floats
    failed: npt.NDArray[np.bool_]

    @property
    def there(self) -> npt.NDArray[np.bool_]:
        """Return the mask of known (not NaN) distances."""
        return ~np.isnan(self.values)

    @property
    def ranked(self) -> npt.NDArray[np.bool_]:
        """Return the mask of learners with a distance on at least half of the subsamples."""
        result: npt.NDArray[np.bool_] = self.there.mean(axis=0) >= _HALF
        return result


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
    present, ranked = table.there, table.ranked
    shared = present[:, ranked].all(axis=1)
    ranks = _mean_ranks([table], measure)
    places = _places({name: ranks.get(name) for name in np.array(table.learners)[ranked].tolist()})
    result = []
    for k, learner in enumerate(table.learners):
        values = table.values[shared if ranked[k] else present[:, k], k]
        failures = int(table.failed[:, k].sum())
        mean = float(values.mean()) if values.size else None
        about = (learner, table.size, len(values), failures, mean, standard_error(values))
        result.append(Mean(*about, ranks.get(learner), places.get(learner)))
    return result


def standard_error(values: Floats) -> float | None:
    """Return the standard error of the mean; None for fewer than two values."""
    return float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else None


def _mean_ranks(tables: Sequence[_Table], measure: str) -> dict[str, float]:
    """Return mean ranks over subsamples, as the tests use them."""
    scores = _scores(tables).complete()
    result = block_ranks(scores, DISTANCES[measure][1])
    return dict(zip(scores.names, result.mean(axis=0).tolist(), strict=True)) if len(result) else {}


def _places(ranks: Mapping[str, float | None]) -> dict[str, int]:
    """Return the place of each mean rank: one more than the number of smaller ones."""
    known = {name: rank for name, rank in ranks.items() if rank is not None}
    return {
        name: 1 + sum(other < rank - _SAME for other in known.values())
        for name, rank in known.items()
    }


class Place(NamedTuple):
    """Place of a learner over all subsample sizes.

    Parameters
    ----------
    learner
        The learner.
    place
        1 for the least mean rank; equal ones share a place. None for a learner that has a graph on
        less than half of the subsamples of some size.
    mean_rank
        Its ranks within each subsample, averaged over the subsamples of all sizes; None without
        any.
    """

    learner: str
    place: int | None
    mean_rank: float | None


def ranking(rows: Iterable[IntervalScore], measure: str = "phd") -> list[Place]:
    """Return learners by mean rank over all subsamples, the best first, unranked ones last.

    Parameters
    ----------
    rows
        The distances, as `interval_scores` gives them.
    measure
        Which of the distances.
    """
    tables = _tables(rows, measure)
    if not tables:
        return []
    learners, ranked = tables[0].learners, np.all([table.ranked for table in tables], axis=0)
    ranks = _mean_ranks(tables, measure)
    places = _places({name: ranks.get(name) for name in np.array(learners)[ranked].tolist()})
    result = [Place(name, places.get(name), ranks.get(name)) for name in learners]
    return sorted(result, key=lambda row: (row.place is None, row.place or 0))


class RankTest(NamedTuple):
    """Friedman's and Nemenyi's tests of the learners' ranks; see `OVERLAP`.

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

    @property
    def differ(self) -> bool:
        """Return whether Friedman's test rejects equal ranks."""
        return self.friedman.p_value < LEVEL

    @property
    def groups(self) -> tuple[tuple[int, int], ...]:
        """Return first and last place of learners that cannot be told apart, as in `Nemenyi`.

        All, where Friedman's test finds no difference; of two learners it says all there is to say.
        """
        if not self.differ:
            return ((0, len(self.nemenyi.names) - 1),)
        return self.nemenyi.groups if len(self.nemenyi.names) > LEAST_COMPETITORS else ()


def rank_tests(rows: Iterable[IntervalScore], measure: str = "phd") -> list[RankTest]:
    """Test ranks with subsamples as blocks, for each size and for all together.

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
    result: list[tuple[int | None, Scores]] = [(table.size, _scores([table])) for table in tables]
    if len(tables) > 1:
        result.append((None, _scores(tables)))
    better = DISTANCES[measure][1]
    return [
        RankTest(size, first, second)
        for size, scores in result
        if (first := friedman(scores, better)) and (second := nemenyi(scores, better))
    ]


def _scores(tables: Sequence[_Table]) -> Scores:
    """Return scores for the tests: a data set per subsample and size, a block per subsample."""
    cases = [
        ("", "subsample", str(table.size), t) for table in tables for t in range(len(table.values))
    ]
    values = np.concatenate([table.values for table in tables])
    failed = np.concatenate([table.failed for table in tables])
    return Scores(tables[0].learners, tuple(cases), values, failed)


class Comparison(NamedTuple):
    """Two learners at one subsample size, on subsamples where both have a graph.

    Parameters
    ----------
    left, right, size
        The learners, and the number of rows.
    n_connected, relative_size, verdict
        Of the agreement graph of the two, as in `Forecast`.
    n
        Number of subsamples.
    mean_left, mean_right
        Mean partial Hamming distances to the agreement graph of the two.
    difference, se
        Mean of the differences, left less right, over subsamples, and its standard error.
    shared_difference, shared_se
        The same with the agreement graph of all learners.
    wins, losses, ties
        Subsamples on which left is nearer to what the two agree on, farther, as far.
    p_value, adjusted
        Of Wilcoxon's signed-rank test, and with Holm's correction for the number of two learners
        with this many rows; None with fewer than five subsamples. See `OVERLAP`.
    """

    left: str
    right: str
    size: int
    n_connected: int
    relative_size: float
    verdict: Verdict
    n: int
    mean_left: float | None
    mean_right: float | None
    difference: float | None
    se: float | None
    shared_difference: float | None
    shared_se: float | None
    wins: int
    losses: int
    ties: int
    p_value: float | None
    adjusted: float | None


def pairwise(learned: Learned) -> list[Comparison]:
    """Compare every two learners at each size by the agreement graph of these two.

    Parameters
    ----------
    learned
        What the learners say, on all rows and on the subsamples.

    References
    ----------
    Viinikka, Eggeling and Koivisto 2018, Intersection-validation: a method for evaluating structure
    learning without ground truth, AISTATS (supplement).
    """
    everyone = learned.agreed(range(len(learned.learners)))
    result: list[Comparison] = []
    for size in learned.sizes:
        rows = [
            _compare(learned, size, left, right, everyone)
            for left, right in combinations(range(len(learned.learners)), 2)
        ]
        result += _adjusted(rows)
    return result


def _compare(learned: Learned, size: int, left: int, right: int, everyone: Bools) -> Comparison:
    names = learned.learners[left], learned.learners[right]
    outlook = forecast_among(learned, [left, right])
    distances = _distances(learned, size, left, right, learned.agreed([left, right]))
    shared = _distances(learned, size, left, right, everyone)
    difference, everywhere = distances[0] - distances[1], shared[0] - shared[1]
    tested = signed_ranks(_pair_scores(names, distances), "less")
    p_value = tested[0].p_value if tested else None
    return Comparison(
        *names,
        size,
        outlook.n_connected,
        outlook.relative_size,
        outlook.verdict,
        len(difference),
        _mean(distances[0]),
        _mean(distances[1]),
        _mean(difference),
        standard_error(difference),
        _mean(everywhere),
        standard_error(everywhere),
        int((difference < 0).sum()),
        int((difference > 0).sum()),
        int((difference == 0).sum()),
        p_value,
        p_value,
    )


def _distances(learned: Learned, size: int, left: int, right: int, inside: Bools) -> Floats:
    """Return both learners' distances to their agreement on `inside`, on common subsamples."""
    both = learned.there[size][[left, right]].all(axis=0)
    types = learned.parts[size][[left, right]][:, both]
    agreed = learned.whole[left]
    result: Floats = ((types != agreed) & inside).sum(axis=2).astype(np.float64)
    return result


def _pair_scores(names: tuple[str, str], values: Floats) -> Scores:
    cases = tuple(("", "subsample", "", t) for t in range(values.shape[1]))
    return Scores(names, cases, values.T, np.zeros(values.T.shape, dtype=np.bool_))


def _mean(values: Floats) -> float | None:
    return float(values.mean()) if values.size else None


def _adjusted(rows: list[Comparison]) -> list[Comparison]:
    """Apply Holm's correction over all tests."""
    tested = [row.p_value for row in rows if row.p_value is not None]
    corrected = iter(holm(tested))
    return [row if row.p_value is None else row._replace(adjusted=next(corrected)) for row in rows]
