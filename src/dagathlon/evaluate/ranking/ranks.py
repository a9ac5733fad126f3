"""Ranks of competitors over many data sets, failures included."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from dagathlon.errors import DagathlonError
from dagathlon.evaluate.metric import measure_of
from dagathlon.evaluate.ranking.summary import is_number
from dagathlon.frame import Row, grouped

Better: TypeAlias = Literal["more", "less"]
Ties: TypeAlias = Literal["min", "average"]
Unit: TypeAlias = Literal["data_set", "block"]
"""Unit of an average rank: a data set, or a block of data sets (`block_of`)."""
UNITS: tuple[Unit, ...] = get_args(Unit)
Floats: TypeAlias = npt.NDArray[np.float64]
Bools: TypeAlias = npt.NDArray[np.bool_]

# A competitor that takes part in a smaller share of the data sets is not ranked over them.
_OFTEN = 0.5
# Averages that differ by less are ties up to rounding.
SAME_RANK = 1e-9


def direction(metric: str) -> Better:
    """Whether more or less of a metric is better."""
    return "more" if measure_of(metric).better == "more" else "less"


class Scores(NamedTuple):
    """Values of a metric by data set (row) and competitor (column).

    Parameters
    ----------
    names
        The competitors.
    cases
        The data sets: labels of graph, parameters and data, and the seed.
    values
        The metric; NaN where there is none.
    failed
        Where a run failed. NaN without a failure means that the competitor did not take part:
        it was not run, or the metric is not defined for the kind of graph it returns.
    """

    names: tuple[str, ...]
    cases: tuple[tuple[Any, ...], ...]
    values: Floats
    failed: Bools

    @property
    def took_part(self) -> Bools:
        """Mask of values and failures: where a competitor took part."""
        return self.failed | ~np.isnan(self.values)

    def at(self, places: Sequence[int]) -> Scores:
        """Return the scores of some of the data sets."""
        chosen = list(places)
        cases = tuple(self.cases[i] for i in chosen)
        return Scores(self.names, cases, self.values[chosen], self.failed[chosen])

    def of(self, names: Iterable[str]) -> Scores:
        """Return the scores of some of the competitors."""
        chosen = tuple(names)
        columns = [self.names.index(name) for name in chosen]
        return Scores(chosen, self.cases, self.values[:, columns], self.failed[:, columns])

    @property
    def kinds(self) -> list[tuple[Any, ...]]:
        """Kinds of data: labels of graph, parameters and data, whatever the seed."""
        return list(dict.fromkeys(case[:-1] for case in self.cases))

    def contested(self) -> Scores:
        """Return competitors that took part in at least half the data sets, where at least two did.

        Data sets in which no competitor takes part are not counted. A competitor that takes
        no part in a data set leaves it to the others, and one that never meets another is
        omitted. The result has no data set if the competitors form several groups that
        never meet, even indirectly, since these cannot be compared.
        """
        nonempty = self.at(np.flatnonzero(self.took_part.any(axis=1)).tolist())
        often = nonempty.took_part.mean(axis=0) >= _OFTEN if len(nonempty.cases) else []
        frequent = nonempty.of(
            name for name, stays in zip(self.names, often, strict=False) if stays
        )
        least = min(2, len(frequent.names))
        meeting = frequent.at(np.flatnonzero(frequent.took_part.sum(axis=1) >= least).tolist())
        if len(frequent.names) < 2:
            return meeting
        groups = [group for group in _connected_groups(meeting.took_part) if len(group) > 1]
        return (
            meeting.of(frequent.names[j] for j in groups[0]) if len(groups) == 1 else meeting.at([])
        )

    def complete(self) -> Scores:
        """Return the data sets of `contested` in which all of its competitors take part."""
        contested = self.contested()
        return contested.at(np.flatnonzero(contested.took_part.all(axis=1)).tolist())


def _connected_groups(took_part: Bools) -> list[list[int]]:
    """Return the connected groups of columns, linked by common rows."""
    left, groups = set(range(took_part.shape[1])), []
    while left:
        met = np.arange(took_part.shape[1]) == min(left)
        while True:
            more = took_part[(took_part & met).any(axis=1)].any(axis=0) | met
            if (more == met).all():
                break
            met = more
        groups.append(np.flatnonzero(met).tolist())
        left -= set(groups[-1])
    return groups


def score_table(rows: Iterable[Row], metric: str, by: str = "setting") -> Scores:
    """Arrange runs by data set and competitor.

    Parameters
    ----------
    rows
        One row per run: `adjmat`, `parameters`, `data`, `seed`, `status`, the metric, and `by`.
    metric
        The column to rank by.
    by
        The column that names the competitors.
    """
    runs = list(rows)
    names = {name: i for i, name in enumerate(dict.fromkeys(str(row[by]) for row in runs))}
    cases = {key: i for i, key in enumerate(dict.fromkeys(map(case_of, runs)))}
    values = np.full((len(cases), len(names)), np.nan)
    failed = np.zeros(values.shape, dtype=np.bool_)
    for row in runs:
        place = cases[case_of(row)], names[str(row[by])]
        value = row.get(metric)
        if is_number(value):
            values[place] = value
        failed[place] = row["status"] not in ("ok", "skipped")
    values[failed] = np.nan
    return Scores(tuple(names), tuple(cases), values, failed)


def case_of(row: Row) -> tuple[Any, ...]:
    """Return the labels that identify the data set of a run."""
    return (row["adjmat"], row["parameters"], row["data"], row["seed"])


def block_of(case: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the labels shared by dependent data sets: the true graph and the seed.

    Sample sizes, noise and parameters of one seed are variants of one draw. Given data, which
    are not drawn from parameters, are a block for each file.
    """
    adjmat, parameters, data, seed = case
    parts = () if parameters != "None" else str(data).split("/")
    return (adjmat, "/".join(part for part in parts if "=" not in part), seed)


def blocks_of(scores: Scores) -> list[list[int]]:
    """Return the positions of the data sets of each block, by first appearance."""
    blocks = grouped((block_of(case), i) for i, case in enumerate(scores.cases))
    return list(blocks.values())


def ranks(scores: Scores, better: Better, ties: Ties = "min") -> Floats:
    """Return ranks on each data set, 1 for the best, NaN for competitors that took no part.

    Parameters
    ----------
    scores
        The metric by data set and competitor.
    better
        Whether more or less of it is better.
    ties
        Equal values share the best of their ranks (``min``; failures then share the rank after
        the last success) or the mean of them (``average``, as tests need it).

    References
    ----------
    Constantinou et al. 2021, Large-scale empirical validation of Bayesian network structure
    learning algorithms with noisy data, International Journal of Approximate Reasoning 131.
    """
    if ties not in ("min", "average"):
        raise DagathlonError(f"ties are 'min' or 'average', found {ties!r}")
    if not scores.names:
        return np.empty((len(scores.cases), 0))
    cost = np.where(scores.failed, np.inf, scores.values if better == "less" else -scores.values)
    cost = np.where(scores.took_part, cost, np.nan)
    with np.errstate(invalid="ignore"):
        # One competitor after the other: all pairs at once would fill the memory.
        before = np.stack([(cost < cost[:, [j]]).sum(axis=1) for j in range(cost.shape[1])], 1)
        same = np.stack([(cost == cost[:, [j]]).sum(axis=1) for j in range(cost.shape[1])], 1)
    found = before + (1.0 if ties == "min" else (same + 1) / 2)
    result: Floats = np.where(scores.took_part, found, np.nan)
    return result


def neutral_ranks(scores: Scores, better: Better) -> Floats:
    """Return ranks with mean ranks for ties, and the mean of all ranks for absent competitors.

    This is Skillings and Mack's treatment of incomplete blocks: absence is evidence neither for
    nor against a competitor, and the ranks of the others are those among the present ones.

    References
    ----------
    Skillings and Mack 1981, On the use of a Friedman-type statistic in balanced and unbalanced
    block designs, Technometrics 23.
    """
    found = ranks(scores, better, "average")
    middle = (scores.took_part.sum(axis=1, keepdims=True) + 1) / 2
    result: Floats = np.where(np.isnan(found), middle, found)
    return result


def case_weights(scores: Scores, unit: Unit) -> Floats:
    """Return the weight of each data set in an average rank.

    Parameters
    ----------
    scores
        The metric by data set and competitor.
    unit
        Whether every data set counts the same, or every block.
    """
    if unit not in UNITS:
        raise DagathlonError(f"the unit of ranks is 'data_set' or 'block', found {unit!r}")
    blocks = [block_of(case) for case in scores.cases]
    sizes = Counter(blocks)
    return np.array([1.0 if unit == "data_set" else 1 / sizes[block] for block in blocks])


def mean_ranks(scores: Scores, better: Better, unit: Unit) -> Floats:
    """Return the average rank of each competitor, absent ones neutral (`neutral_ranks`)."""
    weights = case_weights(scores, unit)
    # Divided last, so that ranks such as 1.875 have no error that another rounding shows.
    result: Floats = weights @ neutral_ranks(scores, better) / weights.sum()
    return result


def block_ranks(scores: Scores, better: Better, ties: Ties = "average") -> Floats:
    """Return the average rank of each competitor within each block, NaN where it took no part.

    Parameters
    ----------
    scores, better, ties
        As in `ranks`.

    Returns
    -------
    array
        One row per block, in the order of their first data sets: the unit that tests count.
    """
    if not scores.names:
        return np.empty((0, 0))
    by_case, blocks = ranks(scores, better, ties), blocks_of(scores)
    result = np.full((len(blocks), len(scores.names)), np.nan)
    for place, members in enumerate(blocks):
        ranked = ~np.isnan(by_case[members])
        count, total = ranked.sum(axis=0), np.nansum(by_case[members], axis=0)
        result[place, count > 0] = total[count > 0] / count[count > 0]
    return result


class RankRow(NamedTuple):
    """Ranks of one competitor.

    Parameters
    ----------
    name
        The competitor.
    average, deviation
        Mean and (population) standard deviation of its average ranks by block.
    overall
        Its place by average rank; equal averages share one.
    n, failures
        Data sets it took part in, and on how many of them it failed.
    blocks
        How many blocks those data sets are.
    """

    name: str
    average: float
    deviation: float
    overall: int
    n: int
    failures: int
    blocks: int


def rank_table(scores: Scores, better: Better, ties: Ties = "average") -> list[RankRow]:
    """Return average and overall ranks, best first; competitors without any result are omitted.

    Parameters
    ----------
    scores, better
        As in `ranks`.
    ties
        As in `ranks`: ``average``, as the tests have it; ``min`` as in the study of 2021.
    """
    if not scores.names or not scores.cases:
        return []
    by_block = block_ranks(scores, better, ties)
    part = scores.took_part.sum(axis=0)
    present = [j for j in range(len(scores.names)) if part[j]]
    averages = {j: float(np.nanmean(by_block[:, j])) for j in present}
    rows = [
        RankRow(
            scores.names[j],
            averages[j],
            float(np.nanstd(by_block[:, j])),
            1 + sum(other < averages[j] - SAME_RANK for other in averages.values()),
            int(part[j]),
            int(scores.failed[:, j].sum()),
            int((~np.isnan(by_block[:, j])).sum()),
        )
        for j in present
    ]
    return sorted(rows, key=lambda row: row.average)
