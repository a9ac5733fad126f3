"""Scores by network and size, and each algorithm between the worst and the best.

Tables D1 to D5 and E5 (scores), 10, D6 and E6 (worst and best), 11, D7 and E7 (between them).
An algorithm's mean over the experiments counts where it failed in none of them; the worst and the
best are of these means.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon.evaluate.noise_grid import METRICS, NoiseGrid, Places, Row, Which
from dagathlon.evaluate.noise_ranks import means
from dagathlon.evaluate.noise_resampling import Resampling, bounds, estimate
from dagathlon.evaluate.ranking import Better, Floats

_COLUMNS = (*METRICS, "precision", "recall", "n_edges")


def score_rows(grid: NoiseGrid, drawn: Resampling, code: str) -> list[Row]:
    """Means over seeds of all metrics with one kind of noise.

    Means are over the runs that finished; `failures` says how many did not.
    """
    result: list[Row] = []
    rows = grid.where(lambda case: case.code == code)
    for (network, n), members in grid.cells(rows).items():
        parts = {name: _cell(grid, drawn, name, np.array(members)) for name in _COLUMNS}
        for j in _taking_part(grid, members):
            row: Row = {"algorithm": grid.algorithms[j], "network": network, "n": n}
            for name, cell in parts.items():
                row |= estimate(name, cell.mean[j], cell.low[j], cell.high[j])
            result.append(row | _counts(grid, members, j))
    return result


class _Cell(NamedTuple):
    """A metric on the data sets of one network and size, by algorithm."""

    mean: Floats
    low: Floats
    high: Floats


def _cell(grid: NoiseGrid, drawn: Resampling, name: str, members: Places) -> _Cell:
    part = np.full(grid.failed.shape, np.nan)
    part[members] = grid.values[name][members]
    return _Cell(means(part), *bounds(drawn.means(part), drawn.blocks(part)))


def _taking_part(grid: NoiseGrid, members: list[int]) -> list[int]:
    return [int(j) for j in np.flatnonzero(grid.took_part[members].any(axis=0))]


def _counts(grid: NoiseGrid, members: list[int], j: int) -> Row:
    return {
        "runs": int(grid.took_part[members, j].sum()),
        "failures": int(grid.failed[members, j].sum()),
    }


class Span(NamedTuple):
    """Means of algorithms on the data sets of one network and size, and who is at the ends.

    Parameters
    ----------
    network, n, metric
        Where.
    members
        The data sets.
    average, averages
        Mean by algorithm, and in each resample (row); NaN for one that failed or took no part.
    blocks
        How many networks and seeds stand behind them.
    """

    network: str
    n: int
    metric: str
    members: list[int]
    average: Floats
    averages: Floats
    blocks: int

    @property
    def better(self) -> Better:
        """Whether more or less is better."""
        return METRICS[self.metric]

    def ends(self, values: Floats) -> tuple[Floats, Floats]:
        """The worst and the best over the last axis; NaN where nobody has a mean."""
        cost = -values if self.better == "more" else values
        nobody = np.isnan(values).all(axis=-1)
        filled = np.where(nobody[..., None], 0.0, cost)
        worst, best = np.nanmax(filled, axis=-1), np.nanmin(filled, axis=-1)
        sign = -1.0 if self.better == "more" else 1.0
        return np.where(nobody, np.nan, sign * worst), np.where(nobody, np.nan, sign * best)

    def share(self, values: Floats) -> Floats:
        """0 for the worst, 1 for the best; 1 where all are equal."""
        worst, best = (end[..., None] for end in self.ends(values))
        width = best - worst
        found = np.divide(values - worst, width, out=np.ones_like(values), where=width != 0)
        return np.where(np.isnan(values), np.nan, found)


def spans(grid: NoiseGrid, drawn: Resampling, which: Which) -> list[Span]:
    """All of a metric, network and size; an algorithm with a failure there has no mean."""
    result = []
    for (network, n), members in grid.cells(grid.of(which)).items():
        out = _out(grid, members)
        for metric in METRICS:
            part = np.full(grid.failed.shape, np.nan)
            part[members] = grid.values[metric][members]
            part[:, out] = np.nan
            blocks = int(drawn.blocks(part).max(initial=0))
            result.append(Span(network, n, metric, members, means(part), drawn.means(part), blocks))
    return result


def _out(grid: NoiseGrid, members: list[int]) -> npt.NDArray[np.bool_]:
    """Who failed somewhere, or did not take part everywhere."""
    found: npt.NDArray[np.bool_] = np.isnan(grid.values["shd"][members]).any(axis=0)
    return found


def extreme_rows(grid: NoiseGrid, drawn: Resampling, which: Which) -> list[Row]:
    """The worst and the best mean, and whose they are."""
    result: list[Row] = []
    for span in spans(grid, drawn, which):
        known = [(span.average[j], name) for j, name in enumerate(grid.algorithms)]
        row: Row = {"metric": span.metric, "network": span.network, "n": span.n}
        ends = zip(span.ends(span.average[None]), span.ends(span.averages), strict=True)
        for label, (value, drawn_values) in zip(("worst", "best"), ends, strict=True):
            low, high = bounds(drawn_values, span.blocks)
            end = float(value[0])
            row |= estimate(label, end, float(low), float(high))
            row[f"{label}_by"] = ", ".join(name for mean, name in known if mean == end)
        result.append(row)
    return result


def relative_rows(grid: NoiseGrid, drawn: Resampling, which: Which) -> list[Row]:
    """Where each algorithm lies between the worst and the best."""
    result: list[Row] = []
    for span in spans(grid, drawn, which):
        share = span.share(span.average[None])[0]
        low, high = bounds(span.share(span.averages), span.blocks)
        for j in _taking_part(grid, span.members):
            result.append(
                {
                    "metric": span.metric,
                    "algorithm": grid.algorithms[j],
                    "network": span.network,
                    "n": span.n,
                }
                | estimate("share", share[j], low[j], high[j])
                | _counts(grid, span.members, j)
            )
    return result
