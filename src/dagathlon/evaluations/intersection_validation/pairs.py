"""Every two learners compared by what just these two agree on."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.evaluate.ranking.ranks import Scores
from dagathlon.evaluate.ranking.significance import holm
from dagathlon.evaluate.ranking.significance import pairwise as signed_ranks
from dagathlon.evaluations.intersection_validation.forecast import Verdict, forecast_among
from dagathlon.evaluations.intersection_validation.ranks import standard_error
from dagathlon.evaluations.intersection_validation.types import Bools, Learned

Floats: TypeAlias = npt.NDArray[np.float64]


class Comparison(NamedTuple):
    """Two learners with one number of rows, on subsamples on which both have a graph.

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
    """Every two learners, for each size, with the agreement graph of just these two.

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
    found: list[Comparison] = []
    for size in learned.sizes:
        rows = [
            _compare(learned, size, left, right, everyone)
            for left, right in combinations(range(len(learned.learners)), 2)
        ]
        found += _adjusted(rows)
    return found


def _compare(learned: Learned, size: int, left: int, right: int, everyone: Bools) -> Comparison:
    names = learned.learners[left], learned.learners[right]
    told = forecast_among(learned, [left, right])
    own = _distances(learned, size, left, right, learned.agreed([left, right]))
    shared = _distances(learned, size, left, right, everyone)
    difference, everywhere = own[0] - own[1], shared[0] - shared[1]
    tested = signed_ranks(_scores(names, own), "less")
    p_value = tested[0].p_value if tested else None
    return Comparison(
        *names,
        size,
        told.n_connected,
        told.relative_size,
        told.verdict,
        len(difference),
        _mean(own[0]),
        _mean(own[1]),
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
    """Distances of the two on the subsamples that both have, to what is agreed on `inside`."""
    both = learned.there[size][[left, right]].all(axis=0)
    types = learned.parts[size][[left, right]][:, both]
    agreed = learned.whole[left]
    found: Floats = ((types != agreed) & inside).sum(axis=2).astype(np.float64)
    return found


def _scores(names: tuple[str, str], values: Floats) -> Scores:
    cases = tuple(("", "subsample", "", t) for t in range(values.shape[1]))
    return Scores(names, cases, values.T, np.zeros(values.T.shape, dtype=np.bool_))


def _mean(values: Floats) -> float | None:
    return float(values.mean()) if values.size else None


def _adjusted(rows: list[Comparison]) -> list[Comparison]:
    """With Holm's correction for all that were tested."""
    tested = [row.p_value for row in rows if row.p_value is not None]
    corrected = iter(holm(tested))
    return [row if row.p_value is None else row._replace(adjusted=next(corrected)) for row in rows]
