"""Contradiction rates: how often a column differs from its prediction by others when confident."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Codes: TypeAlias = npt.NDArray[np.int64]
Counts: TypeAlias = npt.NDArray[np.int64]

_PREDICTORS = 4
_CANDIDATES = 8
_MOST_CELLS = 20_000
_TAIL = 0.025


class Certainty(NamedTuple):
    """How often a column contradicts its prediction from others, in the most predictable rows.

    Values that are wrong at random contradict the prediction too, so the rate is an upper bound
    on theirs; the two are equal where the true value is determined by the other columns.

    Parameters
    ----------
    column
        Index of the column.
    by
        Indices of the columns that predict it.
    rows, different
        Number of rows with a prediction, and of those in which the column differs from it.
    low, high
        The 95 % interval of the rate (Clopper and Pearson's).
    """

    column: int
    by: tuple[int, ...]
    rows: int
    different: int
    low: float
    high: float

    @property
    def rate(self) -> float:
        """Share of the predicted rows in which the column differs."""
        return self.different / self.rows if self.rows else 1.0


def certainties(codes: Codes, arities: Sequence[int]) -> list[Certainty]:
    """Return, for each column, how often it contradicts its prediction in the surest rows.

    Up to four predicting columns are selected stepwise (by conditional entropy with BIC's
    penalty). The combinations of their values at which the column varies least are chosen in
    one half of the rows and counted in the other, and vice versa.

    Parameters
    ----------
    codes
        Rows of codes; -1 for a missing value.
    arities
        Numbers of levels.
    """
    information = pairwise_information(codes, arities)
    return [
        _certainty(codes, arities, column, np.argsort(-information[column], kind="stable"))
        for column in range(len(arities))
    ]


def pairwise_information(codes: Codes, arities: Sequence[int]) -> npt.NDArray[np.float64]:
    """Return the mutual information of all pairs of columns, with -1 on the diagonal."""
    p = len(arities)
    information = np.full((p, p), -1.0)
    shifted = codes + 1
    sizes = [arity + 1 for arity in arities]
    for i in range(p):
        for j in range(i):
            cells = shifted[:, i] * sizes[j] + shifted[:, j]
            table = np.bincount(cells, minlength=sizes[i] * sizes[j]).reshape(sizes[i], sizes[j])
            information[i, j] = information[j, i] = _information(table[1:, 1:].astype(np.float64))
    return information


def _information(table: npt.NDArray[np.float64]) -> float:
    total = table.sum()
    if not total:
        return 0.0
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / total
    occupied = table > 0
    return float((table[occupied] * np.log(table[occupied] / expected[occupied])).sum() / total)


def _certainty(codes: Codes, arities: Sequence[int], column: int, order: Counts) -> Certainty:
    present = codes[:, column] >= 0
    target, arity = codes[present, column], arities[column]
    others = [int(j) for j in order if j != column][:_CANDIDATES]
    groups, n_groups = np.zeros(len(target), dtype=np.int64), 1
    chosen: list[int] = []
    left = _entropy(groups, target, n_groups, arity)
    while len(chosen) < _PREDICTORS:
        tries = {}
        for j in others:
            if j not in chosen and n_groups * (arities[j] + 1) * arity <= _MOST_CELLS:
                finer = groups * (arities[j] + 1) + codes[present, j] + 1
                tries[j] = _entropy(finer, target, n_groups * (arities[j] + 1), arity)
        best = min(tries, key=lambda j: tries[j], default=None)
        if best is None or tries[best] >= left:
            break
        left = tries[best]
        chosen.append(best)
        groups = groups * (arities[best] + 1) + codes[present, best] + 1
        groups, n_groups = _renumbered(groups, n_groups * (arities[best] + 1))
    rows, different = _held_out(groups, target, n_groups, arity)
    low, high = proportion(different, rows)
    return Certainty(column, tuple(chosen), rows, different, low, high)


def _entropy(groups: Codes, target: Codes, n_groups: int, arity: int) -> float:
    """Return the conditional entropy of the target given the groups, plus BIC's penalty."""
    table = _table(groups, target, n_groups, arity)
    sizes = table.sum(axis=1)
    n = max(len(target), 1)
    occupied = table > 0
    share = table[occupied] / np.broadcast_to(sizes[:, None], table.shape)[occupied]
    penalty = np.count_nonzero(sizes) * (arity - 1) * np.log(n) / 2
    return float((penalty - (table[occupied] * np.log(share)).sum()) / n)


def _table(groups: Codes, target: Codes, n_groups: int, arity: int) -> Counts:
    cells = np.bincount(groups * arity + target, minlength=n_groups * arity)
    return cells.reshape(n_groups, arity)


def _renumbered(groups: Codes, n_groups: int) -> tuple[Codes, int]:
    """Renumber the groups without the empty ones; return the groups and their number."""
    occupied = np.bincount(groups, minlength=n_groups) > 0
    return (np.cumsum(occupied) - 1)[groups], int(occupied.sum())


def _held_out(groups: Codes, target: Codes, n_groups: int, arity: int) -> tuple[int, int]:
    """Count the rows in the surest groups, and those that differ from the usual value there."""
    halves = [_table(groups[i::2], target[i::2], n_groups, arity) for i in (0, 1)]
    rows = different = 0
    for chosen_in, counted_in in (halves, halves[::-1]):
        usual = chosen_in.argmax(axis=1)
        surest = _surest(chosen_in)
        counts = counted_in[surest]
        rows += int(counts.sum())
        different += int(counts.sum() - counts[np.arange(len(surest)), usual[surest]].sum())
    return rows, different


def _surest(table: Counts) -> Counts:
    """Select the groups whose pooled rate of unusual values has the least upper bound."""
    sizes = table.sum(axis=1)
    unusual = sizes - table.max(axis=1)
    order = np.argsort((unusual + 1) / (sizes + 2), kind="stable")
    rows, different = np.cumsum(sizes[order]), np.cumsum(unusual[order])
    bounds = _upper(different, np.maximum(rows, 1))
    return order[: int(np.argmin(bounds)) + 1]


def proportion(count: int, total: int, n_together: int = 1) -> tuple[float, float]:
    """Return the 95 % interval of a share (Clopper and Pearson), corrected for `n_together`."""
    from scipy.special import betaincinv  # noqa: PLC0415 - only where files are described

    if not total:
        return 0.0, 1.0
    tail = _TAIL / n_together
    low = float(betaincinv(count, total - count + 1, tail)) if count else 0.0
    return low, float(_upper(np.array([count]), np.array([total]), tail)[0])


def _upper(counts: Counts, totals: Counts, tail: float = _TAIL) -> npt.NDArray[np.float64]:
    from scipy.special import betaincinv  # noqa: PLC0415 - only where files are described

    rest = np.maximum(totals - counts, 1)
    bounds: npt.NDArray[np.float64] = betaincinv(counts + 1, rest, 1 - tail)
    return np.where(counts >= totals, 1.0, bounds)
