"""What noise changes, network by network and over all: Table E4, Figures 6 and 7.

As in the paper, accuracy with noise is the mean over the algorithms that finished with it, relative
to the mean over those that finished without (columns `change`). Others may have finished in either;
the columns `paired` are of the algorithms that finished in both. A loss is negative by every
metric. Changes are of each data set and then averaged: over seeds in Table E4, over networks, sizes
and seeds in Figure 7.
"""

from __future__ import annotations

import numpy as np

from dagathlon.evaluate.ranking.ranks import Floats
from dagathlon.evaluations.noise.grid import CLEAN, METRICS, NoiseGrid
from dagathlon.evaluations.noise.resampling import Estimates, Resampling, divided, known_mean
from dagathlon.frame import Cells


def change_rows(grid: NoiseGrid, drawn: Resampling) -> list[Cells]:
    """Table E4: by code, metric, network and size."""
    changes = {
        metric: (case_changes(grid, metric), paired_changes(grid, metric)) for metric in METRICS
    }
    result: list[Cells] = []
    for code in _noisy(grid):
        for metric, (all_changes, paired) in changes.items():
            for (network, n), members in grid.cells(grid.with_code(code)).items():
                row: Cells = {"code": code, "metric": metric, "network": network, "n": n}
                row |= drawn.estimates(_at(all_changes, members)).cells("change")
                result.append(row | drawn.estimates(_at(paired, members)).cells("paired"))
    return result


def loss_rows(grid: NoiseGrid, drawn: Resampling) -> list[Cells]:
    """Figure 7: the mean of Table E4 for each code and metric."""
    result: list[Cells] = []
    for metric in METRICS:
        found, paired = case_changes(grid, metric), paired_changes(grid, metric)
        for code in _noisy(grid):
            members = grid.with_code(code).tolist()
            row: Cells = {"code": code, "metric": metric}
            row |= drawn.estimates(_at(found, members)).cells("change")
            row |= drawn.estimates(_at(paired, members)).cells("paired")
            result.append(row | {"n": len(members)})
    return result


def mean_changes(grid: NoiseGrid, drawn: Resampling, metric: str) -> dict[str, Floats]:
    """By code, the mean of Table E4: of the data and of each resample."""
    found = case_changes(grid, metric)
    return {code: drawn.means(_at(found, grid.with_code(code).tolist())) for code in _noisy(grid)}


def _noisy(grid: NoiseGrid) -> list[str]:
    return [code for code in grid.codes if code != CLEAN]


def _at(values: Floats, members: list[int]) -> Floats:
    found = np.full(values.shape, np.nan)
    found[members] = values[members]
    return found


def case_changes(grid: NoiseGrid, metric: str) -> Floats:
    """Relative change on each data set against the same one without noise, + being better."""
    mean = known_mean(grid.values[metric], 1)
    partner = grid.clean
    return _gain(mean, np.where(partner >= 0, mean[partner], np.nan), metric)


def paired_changes(grid: NoiseGrid, metric: str) -> Floats:
    """The same over the algorithms that finished both with and without noise."""
    values, partner = grid.values[metric], grid.clean
    before = np.where((partner >= 0)[:, None], values[partner], np.nan)
    both = ~np.isnan(values) & ~np.isnan(before)
    now, then = (known_mean(np.where(both, part, np.nan), 1) for part in (values, before))
    return _gain(now, then, metric)


def _gain(now: Floats, before: Floats, metric: str) -> Floats:
    """Relative change, + being better; NaN where there was nothing to lose.

    BSF may be negative before, and a loss is a loss then too.
    """
    known = np.abs(before) > 0
    change = np.divide(now - before, np.abs(before), out=np.full_like(now, np.nan), where=known)
    gain: Floats = change if METRICS[metric] == "more" else -change
    return gain


def charged(grid: NoiseGrid, limit: float) -> Floats:
    """Seconds by data set and algorithm; a failed run, or start, is charged the limit."""
    time = grid.values["time"]
    started: Floats = time + (limit - time) * grid.failed_starts / grid.starts
    return np.where(grid.failed, limit, started)


def time_rows(grid: NoiseGrid, drawn: Resampling, limit: float) -> list[Cells]:
    """Figure 6: run time of all algorithms with each kind of noise over that without.

    `ratio` is of sums over the same networks, sizes and seeds, failures charged the limit;
    `typical` the geometric mean of the ratios of runs that finished in both, which the slowest do
    not decide alone.
    """
    now, before = _times(grid, limit)
    ended = ~grid.failed & ~grid.failed[grid.clean] & (now > 0) & (before > 0)
    logs = np.log(now, out=np.full_like(now, np.nan), where=ended)
    logs -= np.log(before, out=np.full_like(now, np.nan), where=ended)
    ratios = time_ratios(grid, drawn, limit)
    result: list[Cells] = []
    for code in _noisy(grid):
        rows = grid.with_code(code).tolist()
        blocks = int(drawn.blocks(_at(known_mean(now, 1), rows)))
        typical = np.exp(_all_runs(_at(logs, rows), drawn))
        row: Cells = {"code": code} | Estimates.of(ratios[code], blocks).cells("ratio")
        row |= Estimates.of(typical, blocks).cells("typical")
        result.append(row | {"runs": int((~np.isnan(now[rows])).sum())})
    return result


def time_ratios(grid: NoiseGrid, drawn: Resampling, limit: float) -> dict[str, Floats]:
    """By code, run time with noise over that without: of the data and of each resample."""
    now, before = _times(grid, limit)
    found = {}
    for code in _noisy(grid):
        rows = grid.with_code(code).tolist()
        above, below = (_all_runs(_at(part, rows), drawn) for part in (now, before))
        found[code] = divided(above, below)
    return found


def _times(grid: NoiseGrid, limit: float) -> tuple[Floats, Floats]:
    """Seconds with noise and without, where there are both."""
    time = charged(grid, limit)
    before = np.where((grid.clean >= 0)[:, None], time[grid.clean], np.nan)
    both = ~np.isnan(time) & ~np.isnan(before)
    return np.where(both, time, np.nan), np.where(both, before, np.nan)


def _all_runs(values: Floats, drawn: Resampling) -> Floats:
    """Means over all runs, of the data and of each resample."""
    there = ~np.isnan(values)
    sums = np.where(there, values, 0.0).sum(axis=1)
    counts = there.sum(axis=1).astype(np.float64)
    return divided(drawn.means(sums), drawn.means(counts))
