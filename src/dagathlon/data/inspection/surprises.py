"""Single values that contradict a near-certain prediction from other columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dagathlon.data.inspection.certainty import Certainty, Counts
from dagathlon.data.inspection.noise_sample import SampledColumn

# A value is surprising where at most one in so many rows like it has it.
_RARE = 200
_MOST = 3


class Surprise(NamedTuple):
    """A value that differs from that of nearly all similar rows.

    Parameters
    ----------
    row
        Its place among the rows that were looked at.
    column, value, usual
        The column, its value in this row, and that in similar rows.
    given
        Predicting columns, with their values in this row.
    alike, rows
        Number of similar rows with this value, and of all similar rows.
    """

    row: int
    column: str
    value: str
    usual: str
    given: tuple[tuple[str, str], ...]
    alike: int
    rows: int


def surprises(
    columns: Sequence[SampledColumn], certainties: Sequence[Certainty]
) -> tuple[Surprise, ...]:
    """Return the most surprising values, at most one per row and column, rarest first."""
    candidates = [
        candidate for certain in certainties for candidate in _of_column(columns, certain)
    ]
    candidates.sort(key=lambda candidate: (candidate.alike / candidate.rows, candidate.row))
    chosen: list[Surprise] = []
    for candidate in candidates:
        if all(candidate.row != other.row and candidate.column != other.column for other in chosen):
            chosen.append(candidate)
    return tuple(chosen[:_MOST])


def _of_column(columns: Sequence[SampledColumn], certain: Certainty) -> list[Surprise]:
    target, by = columns[certain.column], [columns[j] for j in certain.by]
    if not by:
        return []
    groups = np.zeros(len(target.codes), dtype=np.int64)
    for column in by:
        groups = groups * (column.arity + 1) + column.codes + 1
    known = np.flatnonzero(np.all([column.codes >= 0 for column in (target, *by)], axis=0))
    places, groups = np.unique(groups[known], return_inverse=True)
    cells = groups * target.arity + target.codes[known]
    table = np.bincount(cells, minlength=len(places) * target.arity).reshape(-1, target.arity)
    sizes = table.sum(axis=1)
    rare = (table > 0) & (table * _RARE <= sizes[:, None])
    rows = known[rare[groups, target.codes[known]]]
    group_of = dict(zip(known.tolist(), groups.tolist(), strict=True))
    return [_surprise(int(row), target, by, table[group_of[int(row)]]) for row in rows[:_MOST]]


def _surprise(
    row: int, target: SampledColumn, by: Sequence[SampledColumn], counts: Counts
) -> Surprise:
    given = tuple((column.name, column.labels[column.codes[row]]) for column in by)
    code = int(target.codes[row])
    labels = (target.labels[code], target.labels[int(counts.argmax())])
    return Surprise(row, target.name, *labels, given, int(counts[code]), int(counts.sum()))
