"""Values that are wrong at random: an upper bound on their rate, and evidence for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from dagathlon.data.inspection.certainty import (
    Certainty,
    certainties,
    pairwise_information,
    proportion,
)
from dagathlon.data.inspection.noise_sample import SampledColumn
from dagathlon.data.inspection.surprises import Surprise, surprises

Verdict: TypeAlias = Literal["hardly any", "probably", "possibly", "cannot be told"]

# Below this share, wrong values are of no account.
_NEGLIGIBLE = 0.01
_LEAST_SURE = 2
# How many columns stop at one rate by chance was measured on networks without noise
# (docs/how-to/noise-in-my-file.md): seldom seven, and of a few columns often some.
_FREQUENT = 0.02
_MANY, _SEVERAL, _SHARE = 7, 3, 1 / 3
# A column is predictable if it differs from the prediction clearly less than from its mode.
_FORETOLD = 0.7
# Values are seldom wrong more often than this, and columns often as random as that.
_MOST, _BELIEVABLE = 0.2, 0.15
# Columns of which nearly all pairs are related follow one thing, each with a randomness of its own.
_ONE_THING, _RELATED = 0.9, 1e-4
_LEAST_ROWS = 200


class Misrecorded(NamedTuple):
    """Conclusion about values that are wrong at random.

    Parameters
    ----------
    verdict
        ``hardly any``: predictable columns hardly ever contradict their predictions; ``probably``:
        many of them contradict these at one common rate; ``possibly``: several of few columns do,
        or columns that are all related; else it cannot be determined.
    at_most
        The largest rate that can be, if it is the same in all columns.
    rate, low, high
        The common rate and its 95 % interval, where there is one; else None.
    columns
        The columns on which the verdict is based.
    n_columns
        How many columns were looked at.
    rows, different
        Rows in which these columns are predicted, and in which they differ.
    surprises
        For ``hardly any``, the values that are most likely wrong all the same.
    """

    verdict: Verdict
    at_most: float
    rate: float | None
    low: float | None
    high: float | None
    columns: tuple[str, ...]
    n_columns: int
    rows: int
    different: int
    surprises: tuple[Surprise, ...] = ()


def misrecorded(columns: Sequence[SampledColumn]) -> Misrecorded | None:
    """Estimate the rate of wrong values; None with too few rows or columns.

    A value that is wrong at random contradicts its prediction from other columns, however good
    the prediction is. A column's contradiction rate is therefore at least its rate of wrong
    values, which bounds that rate. If the rate is the same in all columns, the columns that are
    determined by others all have the same contradiction rate.
    """
    if len(columns) < 2 or len(columns[0].codes) < _LEAST_ROWS:
        return None
    coded = [_outer_thirds(column) if column.is_continuous else column for column in columns]
    codes = np.column_stack([column.codes for column in coded])
    rates = certainties(codes, [column.arity for column in coded])
    at_most = min(_largest_rate(certainty, columns, len(rates)) for certainty in rates)
    sure = [certainty for certainty in rates if _largest_rate(certainty, columns) < _NEGLIGIBLE]
    if at_most < _NEGLIGIBLE and len(sure) >= _LEAST_SURE:
        conclusion = _conclusion("hardly any", columns, sure, at_most)
        return conclusion._replace(surprises=surprises(coded, sure))
    levels = [certainty for certainty in rates if not columns[certainty.column].is_continuous]
    least = min((certainty.high for certainty in levels), default=0.0)
    floor = [
        certainty
        for certainty in levels
        if certainty.low <= least and _is_predictable(certainty, columns)
    ]
    verdict = _verdict(floor, len(levels))
    if verdict == "probably" and _all_related(floor, columns):
        verdict = "possibly"
    return _conclusion(verdict, columns, floor, at_most)


def _outer_thirds(column: SampledColumn) -> SampledColumn:
    """Recode a continuous column as lowest and highest third; the middle third becomes missing."""
    codes = np.where(column.codes == 1, -1, column.codes // 2)
    return column._replace(codes=codes, arity=2, labels=("in the lowest third", "in the highest"))


def _largest_rate(
    certainty: Certainty, columns: Sequence[SampledColumn], n_together: int = 1
) -> float:
    """Return the largest rate of wrong values consistent with a column's contradiction rate.

    If wrong continuous values are drawn from the same column, only those that land in the
    opposite third contradict (which is smaller where many values are equal).
    """
    column, high = (
        columns[certainty.column],
        proportion(certainty.different, certainty.rows, n_together)[1],
    )
    if not column.is_continuous:
        return high
    known = column.codes[column.codes >= 0]
    outer = min(np.mean(known == third) for third in (0, 2))
    return min(high / outer, 1.0) if outer > 0 else 1.0


def _is_predictable(certainty: Certainty, columns: Sequence[SampledColumn]) -> bool:
    """Whether other columns predict a column clearly better than its most frequent value does."""
    codes = columns[certainty.column].codes
    counts = np.bincount(codes[codes >= 0])
    unusual = 1 - counts.max() / counts.sum()
    return bool(certainty.by) and certainty.rate < _FORETOLD * unusual


def _all_related(floor: Sequence[Certainty], columns: Sequence[SampledColumn]) -> bool:
    """Whether nearly all pairs of columns are associated, as children of one class variable are.

    Such children differ from their class at some rate by nature, and look as if they were
    wrong.
    """
    from scipy.special import chdtri  # noqa: PLC0415 - only where files are described

    chosen = [columns[certainty.column] for certainty in floor]
    codes = np.column_stack([column.codes for column in chosen])
    arities = np.array([column.arity for column in chosen])
    known = (codes >= 0).astype(np.float64)
    statistic = 2 * (known.T @ known) * pairwise_information(codes, arities.tolist())
    related = statistic > chdtri(np.outer(arities - 1, arities - 1), _RELATED)
    return bool(related[np.triu_indices(len(chosen), 1)].mean() >= _ONE_THING)


def _rate(certainties: Sequence[Certainty]) -> float:
    return sum(certainty.different for certainty in certainties) / max(
        sum(certainty.rows for certainty in certainties), 1
    )


def _verdict(floor: Sequence[Certainty], n_columns: int) -> Verdict:
    most = len(floor) > _SHARE * n_columns
    rate = _rate(floor)
    if not _NEGLIGIBLE <= rate <= _MOST or len(floor) < _SEVERAL:
        return "cannot be told"
    if len(floor) >= _MANY and rate <= _BELIEVABLE and (most or rate >= _FREQUENT):
        return "probably"
    return "possibly" if most else "cannot be told"


def _conclusion(
    verdict: Verdict, columns: Sequence[SampledColumn], by: Sequence[Certainty], at_most: float
) -> Misrecorded:
    by = sorted(by, key=lambda certainty: certainty.rate)
    rows, different = (
        sum(certainty.rows for certainty in by),
        sum(certainty.different for certainty in by),
    )
    names = tuple(columns[certainty.column].name for certainty in by)
    rate = low = high = None
    if verdict in ("probably", "possibly"):
        # Some of them are a little less sure by nature, which the surest quarter shows.
        surer = by[: (len(by) + 3) // 4]
        total = sum(certainty.rows for certainty in surer)
        low = min(proportion(sum(certainty.different for certainty in surer), total)[0], at_most)
        rate, high = min(_rate(by), at_most), at_most
    return Misrecorded(verdict, at_most, rate, low, high, names, len(columns), rows, different)
