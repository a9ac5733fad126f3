"""What noise changes, network by network and over all: Table E4, Figures 6 and 7.

As in the paper, accuracy with noise is the mean over the algorithms that finished with it, relative
to the mean over those that finished without (columns `change`). Others may have finished in either;
the columns `paired` are of the algorithms that finished in both. A loss is negative by every
metric. Changes are of each data set and then averaged: over seeds in Table E4, over networks, sizes
and seeds in Figure 7.
"""

from __future__ import annotations

import numpy as np

from dagathlon.evaluate.noise_grid import CLEAN, METRICS, NoiseGrid, Row
from dagathlon.evaluate.noise_resampling import Estimates, Resampling
from dagathlon.evaluate.ranking import Floats


def change_rows(grid: NoiseGrid, drawn: Resampling) -> list[Row]:
    """Table E4: by code, metric, network and size."""
    changes = {
        metric: (case_changes(grid, metric), paired_changes(grid, metric)) for metric in METRICS
    }
    result: list[Row] = []
    for code in _noisy(grid):
        for metric, (all_changes, paired) in changes.items():
            for (network, n), members in grid.cells(grid.with_code(code)).items():
                row: Row = {"code": code, "metric": metric, "network": network, "n": n}
                row |= drawn.estimates(_at(all_changes, members)).cells("change")
                result.append(row | drawn.estimates(_at(paired, members)).cells("paired"))
    return result


def loss_rows(grid: NoiseGrid, drawn: Resampling) -> list[Row]:
    """Figure 7: the mean of Table E4 for each code and metric."""
    result: list[Row] = []
    for metric in METRICS:
        found, paired = case_changes(grid, metric), paired_changes(grid, metric)
        for code in _noisy(grid):
            members = grid.with_code(code).tolist()
            row: Row = {"code": code, "metric": metric}
            row |= drawn.estimates(_at(found, members)).cells("change")
            row |= drawn.estimates(_at(paired, members)).cells("paired")
            result.append(row | {"n": len(members)})
    return result


def _noisy(grid: NoiseGrid) -> list[str]:
    return [code for code in grid.codes if code != CLEAN]


def _at(values: Floats, members: list[int]) -> Floats:
    found = np.full(len(values), np.nan)
    found[members] = values[members]
    return found


def case_changes(grid: NoiseGrid, metric: str) -> Floats:
    """Relative change on each data set against the same one without noise, + being better."""
    mean = _row_means(grid.values[metric])
    partner = grid.clean
    return _gain(mean, np.where(partner >= 0, mean[partner], np.nan), metric)


def paired_changes(grid: NoiseGrid, metric: str) -> Floats:
    """The same over the algorithms that finished both with and without noise."""
    values, partner = grid.values[metric], grid.clean
    before = np.where((partner >= 0)[:, None], values[partner], np.nan)
    both = ~np.isnan(values) & ~np.isnan(before)
    now, then = (_row_means(np.where(both, part, np.nan)) for part in (values, before))
    return _gain(now, then, metric)


def _gain(now: Floats, before: Floats, metric: str) -> Floats:
    """Relative change, + being better; NaN where there was nothing to lose."""
    known = np.abs(before) > 0
    change = np.divide(now - before, before, out=np.full_like(now, np.nan), where=known)
    return change if METRICS[metric] == "more" else -change


def _row_means(values: Floats) -> Floats:
    there = ~np.isnan(values)
    count = there.sum(axis=1)
    sums = np.where(there, values, 0.0).sum(axis=1)
    return np.divide(sums, count, out=np.full(len(values), np.nan), where=count > 0)


def charged(grid: NoiseGrid, limit: float) -> Floats:
    """Seconds by data set and algorithm; a failed run is charged the limit."""
    return np.where(grid.failed, limit, grid.values["time"])


def time_rows(grid: NoiseGrid, drawn: Resampling, limit: float) -> list[Row]:
    """Figure 6: run time of all algorithms with each kind of noise over that without.

    `ratio` is of sums over the same networks, sizes and seeds, failures charged the limit;
    `typical` the geometric mean of the ratios of runs that finished in both, which the slowest do
    not decide alone.
    """
    partner = grid.clean
    there = (partner >= 0)[:, None]
    time = charged(grid, limit)
    before = np.where(there, time[partner], np.nan)
    now = np.where(np.isnan(before), np.nan, time)
    before = np.where(np.isnan(now), np.nan, before)
    ended = ~grid.failed & there & ~grid.failed[partner] & (now > 0) & (before > 0)
    logs = np.log(now, out=np.full_like(now, np.nan), where=ended)
    logs -= np.log(before, out=np.full_like(now, np.nan), where=ended)
    result: list[Row] = []
    for code in _noisy(grid):
        rows = np.zeros(len(grid.cases), dtype=np.bool_)
        rows[grid.with_code(code)] = True
        sums = [_all_runs(np.where(rows[:, None], part, np.nan), drawn) for part in (now, before)]
        blocks = int(drawn.blocks(np.where(rows, _row_means(now), np.nan)))
        typical = np.exp(_all_runs(np.where(rows[:, None], logs, np.nan), drawn))
        row: Row = {"code": code} | Estimates.of(_over(*sums), blocks).cells("ratio")
        row |= Estimates.of(typical, blocks).cells("typical")
        result.append(row | {"runs": int((~np.isnan(now[rows])).sum())})
    return result


def _all_runs(values: Floats, drawn: Resampling) -> Floats:
    """Means over all runs, of the data and of each resample."""
    there = ~np.isnan(values)
    sums = np.where(there, values, 0.0).sum(axis=1)
    counts = there.sum(axis=1).astype(np.float64)
    return _over(drawn.means(sums), drawn.means(counts))


def _over(above: Floats, below: Floats) -> Floats:
    return np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0)
