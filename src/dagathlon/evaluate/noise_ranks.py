"""Average and overall ranks with and without noise: Tables 8, 9, E1 to E3, Figures 1, 4 and D1.

Algorithms are ranked within each data set. Equal scores share the best of their ranks, and failures
share the rank after the last that finished: if five of 15 fail, all five have rank 11. The overall
rank is that of the average; equal averages share it. Changes are without minus with noise, so that
+ is better.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from dagathlon.evaluate.noise_grid import CLEAN, METRICS, NoiseGrid, Places, Row
from dagathlon.evaluate.noise_resampling import Resampling, bounds, estimate, number
from dagathlon.evaluate.ranking import Floats, ranks

# Averages that differ by less are equal but for rounding.
_SAME = 1e-9


class Standing(NamedTuple):
    """Ranks of all algorithms by one metric on the data sets of one kind.

    Parameters
    ----------
    ranks
        By data set and algorithm; NaN on data sets of other kinds and where one did not take part.
    average, overall
        Average rank and its place, by algorithm; NaN for one that took no part.
    averages, places
        The same in each resample (row).
    """

    ranks: Floats
    average: Floats
    overall: Floats
    averages: Floats
    places: Floats


def standing(grid: NoiseGrid, metric: str, rows: Places, drawn: Resampling) -> Standing:
    """Rank all algorithms by one metric on some of the data sets."""
    found = np.full(grid.failed.shape, np.nan)
    found[rows] = ranks(grid.scores(metric).at(rows.tolist()), METRICS[metric], "min")
    average = means(found)
    averages = drawn.means(found)
    return Standing(found, average, _places(average[None])[0], averages, _places(averages))


def means(values: Floats) -> Floats:
    """Means over data sets, NaN without any."""
    there = ~np.isnan(values)
    count = there.sum(axis=0)
    sums = np.where(there, values, 0.0).sum(axis=0)
    return np.divide(sums, count, out=np.full(sums.shape, np.nan), where=count > 0)


def _places(averages: Floats) -> Floats:
    """Places within each row, 1 for the least; equal ones share the better."""
    found = np.stack([(averages < one[:, None] - _SAME).sum(axis=1) + 1.0 for one in averages.T], 1)
    return np.where(np.isnan(averages), np.nan, found)


def rank_rows(grid: NoiseGrid, drawn: Resampling, *, noisy: bool) -> list[Row]:
    """Tables 8 (without noise) and 9 (with noise, and the changes against none)."""
    result = []
    for metric in METRICS:
        clean = standing(grid, metric, grid.of("N"), drawn)
        if not noisy:
            result += _rows(grid, metric, clean, drawn)
            continue
        loud = standing(grid, metric, grid.of("noisy"), drawn)
        changes = _changes(clean, loud, drawn)
        rows = zip(_rows(grid, metric, loud, drawn), _kept(loud, changes), strict=True)
        result += [row | change for row, change in rows]
    return result


def _rows(grid: NoiseGrid, metric: str, one: Standing, drawn: Resampling) -> list[Row]:
    blocks = drawn.blocks(one.ranks)
    low, high = bounds(one.averages, blocks)
    worst, best = bounds(one.places, blocks)
    result = []
    for j in _present(one):
        column = one.ranks[:, j]
        there = ~np.isnan(column)
        result.append(
            {"metric": metric, "algorithm": grid.algorithms[j]}
            | estimate("average", one.average[j], low[j], high[j])
            | {"deviation": float(np.std(column[there]))}
            | estimate("overall", one.overall[j], worst[j], best[j])
            | {
                "overall": int(one.overall[j]),
                "n": int(there.sum()),
                "failures": int(grid.failed[there, j].sum()),
            }
        )
    return result


def _present(one: Standing) -> list[int]:
    return [int(j) for j in np.flatnonzero(~np.isnan(one.average))]


def _changes(clean: Standing, loud: Standing, drawn: Resampling) -> list[Row]:
    """By algorithm, how much better its average and its overall rank are with noise."""
    blocks = np.minimum(drawn.blocks(clean.ranks), drawn.blocks(loud.ranks))
    low, high = bounds(clean.averages - loud.averages, blocks)
    least, most = bounds(clean.places - loud.places, blocks)
    average, overall = clean.average - loud.average, clean.overall - loud.overall
    return [
        estimate("change", average[j], low[j], high[j])
        | estimate("overall_change", overall[j], least[j], most[j])
        for j in range(len(average))
    ]


def _kept(one: Standing, rows: list[Row]) -> list[Row]:
    return [rows[j] for j in _present(one)]


def rank_rows_by_code(grid: NoiseGrid, drawn: Resampling) -> list[Row]:
    """Tables E1 to E3, and Figure 4: the changes of the overall rank against no noise."""
    result = []
    for metric in METRICS:
        clean = standing(grid, metric, grid.of("N"), drawn)
        for code in grid.codes:
            if code == CLEAN:
                continue
            one = standing(grid, metric, _of_code(grid, code), drawn)
            changes = _kept(one, _changes(clean, one, drawn))
            rows = zip(_rows(grid, metric, one, drawn), changes, strict=True)
            result += [{"code": code} | row | change for row, change in rows]
    return result


def _of_code(grid: NoiseGrid, code: str) -> Places:
    return grid.where(lambda case: case.code == code)


def rank_rows_by_density(grid: NoiseGrid) -> list[Row]:
    """Figures 1 and D1: ranks without noise by data set, ordered by rows per free parameter.

    Ranks are averaged over seeds.
    """
    found = {
        metric: np.full(grid.failed.shape, np.nan) for metric in METRICS
    }  # by data set and algorithm
    rows = grid.of("N")
    for metric, better in METRICS.items():
        found[metric][rows] = ranks(grid.scores(metric).at(rows.tolist()), better, "min")
    result: list[Row] = []
    for (network, n), members in grid.cells(rows).items():
        parts = {metric: means(found[metric][members]) for metric in METRICS}
        for j, name in enumerate(grid.algorithms):
            if not np.isnan(parts["shd"][j]):
                known = {"algorithm": name} | place(grid, network, n)
                result.append(known | {metric: number(parts[metric][j]) for metric in METRICS})
    return by_density(result)


def place(grid: NoiseGrid, network: str, n: int) -> Row:
    """Network, its nodes, rows, and rows per free parameter where the parameters are known."""
    parameters = grid.n_parameters.get(network)
    return {
        "network": network,
        "n_nodes": grid.n_nodes.get(network),
        "n": n,
        "rows_per_parameter": n / parameters if parameters else None,
    }


def by_density(rows: Iterable[Row]) -> list[Row]:
    """Rows of a table by algorithm, then from few to many data rows per parameter."""
    return sorted(
        rows,
        key=lambda row: (
            row["algorithm"].casefold(),
            row["rows_per_parameter"] or 0.0,
            row["network"],
            row["n"],
        ),
    )
