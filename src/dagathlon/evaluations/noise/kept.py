"""What each algorithm keeps under each kind of noise: Figures 8 and 9, and by network.

Figures 8 and 9 are over the data sets that an algorithm finished without noise. Where it failed
with noise, or where there is no such experiment (Table A1), its result without noise stands in; so
means of one algorithm compare over codes, but not those of two algorithms over the same code.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dagathlon.evaluate.ranking.ranks import Floats
from dagathlon.evaluations.noise.grid import CLEAN, NoiseGrid
from dagathlon.evaluations.noise.resampling import Counts, Estimates, Resampling, divided
from dagathlon.frame import Cells

ALL_NOISY = "all noisy"
"""The mean over all codes with noise."""


def accuracy(grid: NoiseGrid) -> Floats:
    """The mean of F1 and BSF by data set and algorithm, the combined score of Figure 8."""
    return (grid.values["f1"] + grid.values["bsf"]) / 2


def imputed(grid: NoiseGrid, values: Floats, code: str) -> Floats:
    """Results with one kind of noise, in the places of the same data sets without noise.

    Where there is no result its own without noise stands in; NaN where there is none either, and on
    all noisy data sets.
    """
    places = {case: i for i, case in enumerate(grid.cases)}
    found = np.full(values.shape, np.nan)
    for i in grid.of("N"):
        j = places.get(grid.cases[i]._replace(code=code))
        found[i] = values[i] if j is None else np.where(np.isnan(values[j]), values[i], values[j])
        found[i, np.isnan(values[i])] = np.nan
    return found


def kept_rows(grid: NoiseGrid, drawn: Resampling) -> list[Cells]:
    """Figures 8 and 9: mean accuracy and mean number of edges by algorithm and code.

    `score` is the mean of F1 and BSF, `edges` the mean number of edges; `score_kept` and
    `edges_kept` are relative to no noise. `imputed` counts the data sets where the result without
    noise stands in.
    """
    score, edges = accuracy(grid), grid.values["n_edges"]
    clean = grid.of("N")
    result: list[Cells] = []
    for code in grid.codes:
        columns: dict[str, Estimates] = {}
        for name, values in {"score": score, "edges": edges}.items():
            now, before = imputed(grid, values, code), imputed(grid, values, CLEAN)
            columns[name] = drawn.estimates(now)
            columns[f"{name}_kept"] = ratio(now, before, drawn)
        there = (~np.isnan(score[clean])).sum(axis=0)
        stand_in = there - finished_both(grid, score, code)
        for j, name in enumerate(grid.algorithms):
            if there[j]:
                row: Cells = {"algorithm": name, "code": code}
                for label, column in columns.items():
                    row |= column.cells(label, j)
                result.append(row | {"n": int(there[j]), "imputed": int(stand_in[j])})
    return result


def finished_both(grid: NoiseGrid, values: Floats, code: str) -> Counts:
    """How many data sets each algorithm finished both with and without the noise."""
    rows, partner = grid.with_code(code), grid.clean
    rows = rows[partner[rows] >= 0]
    both = ~np.isnan(values[rows]) & ~np.isnan(values[partner[rows]])
    counts: Counts = both.sum(axis=0)
    return counts


def ratio(now: Floats, before: Floats, drawn: Resampling) -> Estimates:
    """Mean with noise over mean without, of the data sets that have both."""
    both = np.where(np.isnan(now), np.nan, before)
    return Estimates.of(ratios(now, before, drawn), drawn.blocks(both))


def ratios(now: Floats, before: Floats, drawn: Resampling) -> Floats:
    """The same of the data and of each resample."""
    both = ~np.isnan(now) & ~np.isnan(before)
    above, below = (drawn.means(np.where(both, part, np.nan)) for part in (now, before))
    return divided(above, below)


def edge_rows(grid: NoiseGrid, drawn: Resampling) -> list[Cells]:
    """Figure 9 over all algorithms: edges with noise over edges without, by code and over all."""
    before = _totals(imputed(grid, grid.values["n_edges"], CLEAN))
    return [
        {"code": code} | ratio(now, before, drawn).cells("ratio")
        for code, now in _edges(grid).items()
    ]


def edge_ratios(grid: NoiseGrid, drawn: Resampling) -> dict[str, Floats]:
    """The same of the data and of each resample."""
    before = _totals(imputed(grid, grid.values["n_edges"], CLEAN))
    return {code: ratios(now, before, drawn) for code, now in _edges(grid).items()}


def _edges(grid: NoiseGrid) -> dict[str, Floats]:
    """Edges of all algorithms on each data set by code, and their mean over codes."""
    edges = grid.values["n_edges"]
    found = {c: _totals(imputed(grid, edges, c)) for c in grid.codes if c != CLEAN}
    return found | ({ALL_NOISY: np.mean(list(found.values()), axis=0)} if found else {})


def _totals(values: Floats) -> Floats:
    """Edges of all algorithms on each data set; NaN where nobody finished."""
    sums = np.nansum(values, axis=1)
    return np.where(np.isnan(values).all(axis=1), np.nan, sums)


def accuracy_rows(grid: NoiseGrid, drawn: Resampling) -> list[Cells]:
    """Accuracy kept by algorithm, network and code: the figure to remember.

    `kept` is the mean of F1 and BSF with noise over that without, both over the sizes and seeds
    that the algorithm finished in both; `f1_kept` and `bsf_kept` are of one metric, `least` and
    `most` the extremes over sizes. Nothing stands in for failures: they are counted.
    """
    columns = {"kept": accuracy(grid)} | {f"{m}_kept": grid.values[m] for m in ("f1", "bsf")}
    partner = grid.clean
    result: list[Cells] = []
    for network in grid.networks:
        for code in grid.codes:
            rows = grid.having(network=network, code=code)
            rows = rows[partner[rows] >= 0]
            if code != CLEAN and len(rows):
                found = _network_rows(grid, drawn, rows.tolist(), columns)
                result += [{"network": network, "code": code} | row for row in found]
    return result


def _network_rows(
    grid: NoiseGrid, drawn: Resampling, rows: list[int], columns: Mapping[str, Floats]
) -> list[Cells]:
    before_rows = grid.clean[rows]
    kept: dict[str, Estimates] = {}
    for name, values in columns.items():
        now, before = (np.full(values.shape, np.nan) for _ in range(2))
        now[rows], before[rows] = values[rows], values[before_rows]
        kept[name] = ratio(now, before, drawn)
    by_size = _by_size(grid, columns["kept"], rows)
    result: list[Cells] = []
    for j in grid.taking_part(rows):
        row: Cells = {"algorithm": grid.algorithms[j]}
        for name, column in kept.items():
            row |= column.cells(name, j)
        known = [size[j] for size in by_size if not np.isnan(size[j])]
        row |= {"least": min(known, default=None), "most": max(known, default=None)}
        both = ~np.isnan(columns["kept"][rows, j]) & ~np.isnan(columns["kept"][before_rows, j])
        failures = int(grid.failed[rows, j].sum())
        result.append(row | {"n": int(both.sum()), "runs": len(rows), "failures": failures})
    return result


def _by_size(grid: NoiseGrid, values: Floats, rows: list[int]) -> list[list[float]]:
    """For each size and algorithm, the mean with noise over the mean without."""
    partner = grid.clean
    result = []
    for n in grid.sizes:
        some = [i for i in rows if grid.cases[i].n == n]
        both = ~np.isnan(values[some]) & ~np.isnan(values[partner[some]])
        above = np.where(both, values[some], 0.0).sum(axis=0)
        below = np.where(both, values[partner[some]], 0.0).sum(axis=0)
        result.append(divided(above, below).tolist())
    return result
