"""Associations of missing values, and of single states, with other columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.data.inspection.noise_sample import SampledColumn

Floats: TypeAlias = npt.NDArray[np.float64]
Bools: TypeAlias = npt.NDArray[np.bool_]

_LEAST_GAPS = 20
_LEAST_SEEN = 50
_EXPECTED = 5.0
_LEVEL = 0.01
_SEVERAL = 3


class MarkedRows(NamedTuple):
    """Rows of a column that are missing, or in one state."""

    column: str
    state: int
    rows: Bools


class Relation(NamedTuple):
    """Association: marked rows of one column are more frequent at some level of another.

    Parameters
    ----------
    marked
        The rows.
    other
        The column that they are related to.
    level
        Level of `other` with most marked rows, ``gap`` for its own missing values; empty
        for the thirds of continuous values.
    there, elsewhere
        Share of marked rows at that level and at the other levels.
    p
        P-value of Pearson's test.
    """

    marked: MarkedRows
    other: str
    level: str
    there: float
    elsewhere: float
    p: float


def gap_relations(columns: Sequence[SampledColumn]) -> tuple[list[Relation], int]:
    """Return significant associations of missing values, surest first, and the number of tests.

    Each column with at least twenty missing values is tested with each other column (its levels
    and its own missing values); levels too rare for the test are pooled. Holm's correction
    controls the family-wise error rate at 1 %.
    """
    gaps = [MarkedRows(column.name, -1, column.codes < 0) for column in columns]
    gaps = [entry for entry in gaps if np.count_nonzero(entry.rows) >= _LEAST_GAPS]
    counted = list(_counted(gaps, columns))
    places = [
        (float(p), i, j)
        for i, entry in enumerate(counted)
        for j, p in enumerate(entry.p_values)
        if not np.isnan(p)
    ]
    significant = []
    for rank, (p, i, j) in enumerate(sorted(places)):
        if p > _LEVEL / (len(places) - rank):
            break
        significant.append(_relation(gaps[j], counted[i], j))
    return significant, len(places)


def silent_states(columns: Sequence[SampledColumn]) -> dict[str, int]:
    """Return, by column, the only state associated with no other column, where the others are.

    That is what a state encoding missing values looks like, whatever its name. Fewer than three
    such columns, or less than half of those with three states or more, are considered chance.
    """
    able = [column for column in columns if column.arity >= _SEVERAL and not column.is_continuous]
    states = [
        MarkedRows(column.name, state, column.codes == state)
        for column in able
        for state in range(column.arity)
    ]
    states = [entry for entry in states if np.count_nonzero(entry.rows) >= _LEAST_SEEN]
    if not states:
        return {}
    tests = np.stack([entry.p_values for entry in _counted(states, columns)])
    level = _LEVEL / max(len(columns) - 1, 1)
    related: Bools = np.logical_or.reduce(tests <= level, axis=0)
    silent: dict[str, int] = {}
    for column in able:
        mine = [j for j, entry in enumerate(states) if entry.column == column.name]
        alone = [states[j].state for j in mine if not related[j]]
        if len(alone) == 1 < len(mine):
            silent[column.name] = alone[0]
    return silent if len(silent) >= max(_SEVERAL, len(able) / 2) else {}


class _Counted(NamedTuple):
    """Row counts of each level of a column (missing last), in total and among marked rows."""

    other: SampledColumn
    sizes: Floats
    counts: Floats
    p_values: Floats


def _counted(marked: Sequence[MarkedRows], columns: Sequence[SampledColumn]) -> Iterator[_Counted]:
    """Yield the contingency tables of each column's levels against all sets of marked rows."""
    if not marked:
        return
    marks = np.column_stack([entry.rows for entry in marked])
    marked_column = np.array([entry.column for entry in marked], dtype=object)
    for other in columns:
        groups = [other.codes == level for level in (*range(other.arity), -1)]
        sizes = np.array([np.count_nonzero(group) for group in groups], dtype=np.float64)
        counts = np.stack([np.count_nonzero(marks[group], axis=0) for group in groups])
        counts = counts.astype(np.float64)
        tests = _p_values(sizes, counts)
        tests[marked_column == other.name] = np.nan
        yield _Counted(other, sizes, counts, tests)


def _p_values(sizes: Floats, counts: Floats) -> Floats:
    """Return p-values of Pearson's test for each set of marked rows; NaN where rows are too few."""
    from scipy.special import chdtrc  # noqa: PLC0415 - only where files are described

    share = counts.sum(axis=0) / sizes.sum()
    rarer = np.minimum(share, 1 - share)
    enough = sizes[:, None] * rarer >= _EXPECTED
    n = np.vstack([np.where(enough, sizes[:, None], 0), np.where(enough, 0, sizes[:, None]).sum(0)])
    k = np.vstack([np.where(enough, counts, 0), np.where(enough, 0, counts).sum(0)])
    used = n * rarer >= _EXPECTED
    groups = used.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = (k - n * share) ** 2 / (n * share * (1 - share))
    statistic = np.where(used, each, 0).sum(axis=0)
    p_values: Floats = chdtrc(np.maximum(groups - 1, 1), statistic)
    return np.where(groups > 1, p_values, np.nan)


def _relation(marked: MarkedRows, counted: _Counted, j: int) -> Relation:
    other, sizes, counts = counted.other, counted.sizes, counted.counts[:, j]
    share = counts.sum() / sizes.sum()
    places = np.flatnonzero(sizes * min(share, 1 - share) >= _EXPECTED)
    place = int(places[np.argmax(counts[places] / sizes[places])])
    there = float(counts[place] / sizes[place])
    elsewhere = float((counts.sum() - counts[place]) / (sizes.sum() - sizes[place]))
    level = "gap" if place == other.arity else "" if other.is_continuous else other.labels[place]
    return Relation(marked, other.name, level, there, elsewhere, float(counted.p_values[j]))
