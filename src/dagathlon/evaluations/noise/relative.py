"""Scores by network and size, and each algorithm between the worst and the best.

Tables D1 to D5 and E5 (scores), 10, D6 and E6 (worst and best), 11, D7 and E7 (between them).
An algorithm's mean over the experiments counts where it failed in none of them; the worst and the
best are of these means.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dagathlon.evaluate.ranking.ranks import Better, Floats
from dagathlon.evaluations.noise.grid import METRICS, NoiseGrid, Which
from dagathlon.evaluations.noise.resampling import Estimates, Resampling
from dagathlon.frame import Cells

# Means that differ by less are equal but for rounding.
_SAME = 1e-9
_COLUMNS = (*METRICS, "precision", "recall", "n_edges")


def score_rows(grid: NoiseGrid, drawn: Resampling, code: str) -> list[Cells]:
    """Means over seeds of all metrics with one kind of noise.

    Means are over the runs that finished; `failures` says how many did not.
    """
    result: list[Cells] = []
    for (network, n), members in grid.cells(grid.with_code(code)).items():
        parts = {name: drawn.estimates(grid.only(name, members)) for name in _COLUMNS}
        for j in grid.taking_part(members):
            row: Cells = {"algorithm": grid.algorithms[j], "network": network, "n": n}
            for name, part in parts.items():
                row |= part.cells(name, j)
            result.append(row | _counts(grid, members, j))
    return result


def _counts(grid: NoiseGrid, members: list[int], j: int) -> Cells:
    return {
        "runs": int(grid.took_part[members, j].sum()),
        "failures": int(grid.failed[members, j].sum()),
    }


class Span(NamedTuple):
    """Means of algorithms on the data sets of one network and size.

    Parameters
    ----------
    network, n, metric
        Where.
    members
        The data sets.
    averages
        Mean by algorithm (column), of the data and of each resample; NaN for one that failed or
        did not take part everywhere.
    blocks
        How many networks and seeds stand behind them.
    """

    network: str
    n: int
    metric: str
    members: list[int]
    averages: Floats
    blocks: int

    @property
    def better(self) -> Better:
        """Whether more or less is better."""
        return METRICS[self.metric]

    @property
    def ends(self) -> tuple[Floats, Floats]:
        """The worst and the best of each row; NaN where nobody has a mean."""
        nobody = np.array(np.isnan(self.averages).all(axis=1))
        filled = np.where(nobody[:, None], 0.0, self.averages)
        least, most = (
            np.where(nobody, np.nan, end(filled, axis=1)) for end in (np.nanmin, np.nanmax)
        )
        return (least, most) if self.better == "more" else (most, least)

    @property
    def shares(self) -> Floats:
        """In each row 0 for the worst and 1 for the best; 1 where all are equal."""
        worst, best = (end[:, None] for end in self.ends)
        width = np.broadcast_to(best - worst, self.averages.shape)
        found = np.ones_like(self.averages)
        np.divide(self.averages - worst, width, out=found, where=np.abs(width) > _SAME)
        return np.where(np.isnan(self.averages), np.nan, found)


def spans(grid: NoiseGrid, drawn: Resampling, which: Which) -> list[Span]:
    """One for each network, size and metric; an algorithm with a failure there has no mean."""
    result = []
    for (network, n), members in grid.cells(grid.of(which)).items():
        out = np.isnan(grid.values["shd"][members]).any(axis=0)
        for metric in METRICS:
            part = grid.only(metric, members)
            part[:, out] = np.nan
            blocks = int(drawn.blocks(part).max(initial=0))
            result.append(Span(network, n, metric, members, drawn.means(part), blocks))
    return result


def extreme_rows(grid: NoiseGrid, drawn: Resampling, which: Which) -> list[Cells]:
    """The worst and the best mean, and whose they are."""
    result: list[Cells] = []
    for span in spans(grid, drawn, which):
        row: Cells = {"metric": span.metric, "network": span.network, "n": span.n}
        for label, ends in zip(("worst", "best"), span.ends, strict=True):
            row |= Estimates.of(ends, span.blocks).cells(label)
            whose = np.flatnonzero(np.abs(span.averages[0] - ends[0]) < _SAME)
            row[f"{label}_by"] = ", ".join(grid.algorithms[j] for j in whose)
        result.append(row)
    return result


def relative_rows(grid: NoiseGrid, drawn: Resampling, which: Which) -> list[Cells]:
    """Where each algorithm lies between the worst and the best."""
    result: list[Cells] = []
    for span in spans(grid, drawn, which):
        share = Estimates.of(span.shares, span.blocks)
        where = {"network": span.network, "n": span.n}
        for j in grid.taking_part(span.members):
            known = {"metric": span.metric, "algorithm": grid.algorithms[j]} | where
            result.append(known | share.cells("share", j) | _counts(grid, span.members, j))
    return result
