"""One ranking for lead, scoreboard, tables and diagrams: average ranks over contested data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from dagathlon.evaluate.ranking.ranks import (
    SAME_RANK,
    Better,
    Bools,
    Floats,
    Scores,
    Unit,
    blocks_of,
    mean_ranks,
    neutral_ranks,
)
from dagathlon.evaluate.ranking.significance import (
    Friedman,
    Nemenyi,
    Pair,
    friedman,
    nemenyi,
    pairwise,
)


class Placed(NamedTuple):
    """A learner at its best-ranked setting: its average rank and its place.

    Parameters
    ----------
    id, setting
        The algorithm and its setting.
    average, deviation
        Average rank, and the standard deviation of its means by block.
    place
        One more than the number of lesser averages.
    n, failures, blocks
        Data sets that it took part in, on how many of them it failed, and their blocks.
    """

    id: str
    setting: str
    average: float
    deviation: float
    place: int
    n: int
    failures: int
    blocks: int


class Contest(NamedTuple):
    """Contenders ranked by one metric, over all data sets in which at least two took part.

    A contender that took no part in a data set has the mean rank there (`neutral_ranks`), so
    that its absence neither helps nor hurts it.

    Parameters
    ----------
    places
        The contenders, the best first: each algorithm at its best-ranked setting, or the settings
        where there is only one algorithm.
    settings
        All settings ranked among each other; by this each algorithm's best one is chosen.
    absent
        Algorithms that took part in less than half of the data sets, or nowhere, and in how many.
    table
        The metric by data set and contender.
    better
        Whether more or less of it is better.
    unit
        Unit that counts once in an average rank.
    n_cases, n_blocks
        Number of data sets that are ranked on, and of their blocks.
    n_all
        Number of all data sets, those included in which less than two took part.
    alpha
        Level of the critical difference.
    """

    places: tuple[Placed, ...]
    settings: tuple[Placed, ...]
    absent: Mapping[str, int]
    table: Scores
    better: Better
    unit: Unit
    n_cases: int
    n_blocks: int
    n_all: int
    alpha: float = 0.05

    @property
    def first(self) -> tuple[Placed, ...]:
        """Contenders that share the first place."""
        return tuple(placed for placed in self.places if placed.place == 1)

    @property
    def of_algorithms(self) -> bool:
        """Whether contenders are learners, each at its best setting, rather than settings."""
        return len({placed.id for placed in self.places}) == len(self.places)

    def nemenyi(self) -> Nemenyi | None:
        """Average ranks and groups of contenders without significant differences."""
        return nemenyi(self.table, self.better, self.alpha, self.unit)

    def friedman(self) -> Friedman | None:
        """Friedman's test of any difference between the contenders."""
        return friedman(self.table, self.better, self.unit)

    def pairwise(self) -> list[Pair]:
        """Wilcoxon's tests of every two contenders."""
        return pairwise(self.table, self.better)


def contest(
    scores: Scores,
    better: Better,
    ids: Mapping[str, str],
    unit: Unit = "data_set",
    alpha: float = 0.05,
) -> Contest:
    """Rank learners, each at its best-ranked setting; if there is only one, rank its settings.

    Parameters
    ----------
    scores
        The metric by data set and setting.
    better
        Whether more or less of it is better.
    ids
        The algorithm of each setting.
    unit
        Unit that counts once in an average rank.
    alpha
        Level of the critical difference.
    """
    settings = _placed(scores.contested(), better, ids, unit)
    best: dict[str, str] = {}
    for placed in settings:
        best.setdefault(placed.id, placed.setting)
    chosen = scores.of(name for name in scores.names if name in set(best.values()))
    table = (chosen if len(set(ids.values())) > 1 else scores).contested()
    ranked = {ids[name] for name in table.names}
    took_part = scores.took_part
    absent = {
        name: int(took_part[:, [ids[s] == name for s in scores.names]].any(axis=1).sum())
        for name in dict.fromkeys(ids[setting] for setting in scores.names)
        if name not in ranked
    }
    return Contest(
        _placed(table, better, ids, unit),
        settings,
        absent,
        table,
        better,
        unit,
        len(table.cases),
        len(blocks_of(table)),
        len(scores.cases),
        alpha,
    )


def _placed(
    table: Scores, better: Better, ids: Mapping[str, str], unit: Unit
) -> tuple[Placed, ...]:
    """Return average ranks and places, best first."""
    if not table.names or not table.cases:
        return ()
    ranks, took_part = neutral_ranks(table, better), table.took_part
    averages, blocks = mean_ranks(table, better, unit), blocks_of(table)
    placed = [
        Placed(
            ids[name],
            name,
            float(averages[j]),
            _deviation(ranks[:, j], took_part[:, j], blocks),
            1 + int((averages < averages[j] - SAME_RANK).sum()),
            int(took_part[:, j].sum()),
            int(table.failed[:, j].sum()),
            sum(bool(took_part[members, j].any()) for members in blocks),
        )
        for j, name in enumerate(table.names)
    ]
    return tuple(sorted(placed, key=lambda one: one.average))


def _deviation(ranks: Floats, took_part: Bools, blocks: list[list[int]]) -> float:
    """Return the standard deviation of the block means of the ranks where a contender took part."""
    present = [[i for i in members if took_part[i]] for members in blocks]
    return float(np.std([ranks[members].mean() for members in present if members]))
