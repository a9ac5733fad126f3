"""Changes of accuracy, edges, failures and run times with noise: Tables C1, C2, E4, Figures 2–9.

As in the paper, accuracy with noise is the mean over the algorithms that finished with it, relative
to the mean over those that finished without (columns `change`). Others may have finished in either;
the columns `paired` are of the algorithms that finished in both. A loss is negative by every
metric. Changes are of each data set and then averaged: over seeds in Table E4, over networks, sizes
and seeds in Figure 7.

Figures 8 and 9 are over the data sets that an algorithm finished without noise. Where it failed
with noise, or where there is no such experiment (Table A1), its result without noise stands in; so
means of one algorithm compare over codes, but not those of two algorithms over the same code.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

import numpy as np

from dagathlon.errors import DagathlonError
from dagathlon.evaluate.ranking.ranks import Floats
from dagathlon.evaluations.noise.grid import CLEAN, FAILURES, METRICS, NoiseGrid
from dagathlon.evaluations.noise.ranks import by_density, place
from dagathlon.evaluations.noise.resampling import (
    Counts,
    Estimates,
    Resampling,
    divided,
    known_mean,
)
from dagathlon.frame import Cells


def change_rows(grid: NoiseGrid, drawn: Resampling) -> list[Cells]:
    """Return Table E4: relative changes by code, metric, network and size."""
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
    """Return figure 7: the mean of Table E4 for each code and metric."""
    result: list[Cells] = []
    for metric in METRICS:
        changes, paired = case_changes(grid, metric), paired_changes(grid, metric)
        for code in _noisy(grid):
            members = grid.with_code(code).tolist()
            row: Cells = {"code": code, "metric": metric}
            row |= drawn.estimates(_at(changes, members)).cells("change")
            row |= drawn.estimates(_at(paired, members)).cells("paired")
            result.append(row | {"n": len(members)})
    return result


def mean_changes(grid: NoiseGrid, drawn: Resampling, metric: str) -> dict[str, Floats]:
    """Return the means of Table E4 by code, for the data and for each resample."""
    changes = case_changes(grid, metric)
    return {code: drawn.means(_at(changes, grid.with_code(code).tolist())) for code in _noisy(grid)}


def _noisy(grid: NoiseGrid) -> list[str]:
    return [code for code in grid.codes if code != CLEAN]


def _at(values: Floats, members: list[int]) -> Floats:
    result = np.full(values.shape, np.nan)
    result[members] = values[members]
    return result


def case_changes(grid: NoiseGrid, metric: str) -> Floats:
    """Return relative changes against the same data set without noise, positive if better."""
    mean = known_mean(grid.values[metric], 1)
    partner = grid.clean
    return _gain(mean, np.where(partner >= 0, mean[partner], np.nan), metric)


def paired_changes(grid: NoiseGrid, metric: str) -> Floats:
    """Return `case_changes` over the algorithms that finished both with and without noise."""
    values, partner = grid.values[metric], grid.clean
    before = np.where((partner >= 0)[:, None], values[partner], np.nan)
    both = ~np.isnan(values) & ~np.isnan(before)
    now, then = (known_mean(np.where(both, part, np.nan), 1) for part in (values, before))
    return _gain(now, then, metric)


def _gain(now: Floats, before: Floats, metric: str) -> Floats:
    """Return the relative change, positive if better; NaN where the value before was 0.

    BSF may be negative before, and a loss is a loss then too.
    """
    known = np.abs(before) > 0
    change = np.divide(now - before, np.abs(before), out=np.full_like(now, np.nan), where=known)
    gain: Floats = change if METRICS[metric] == "more" else -change
    return gain


def charged(grid: NoiseGrid, limit: float) -> Floats:
    """Return seconds by data set and algorithm; a failed run or start is charged the limit."""
    time = grid.values["time"]
    started: Floats = time + (limit - time) * grid.failed_starts / grid.starts
    return np.where(grid.failed, limit, started)


def time_rows(grid: NoiseGrid, drawn: Resampling, limit: float) -> list[Cells]:
    """Return figure 6: run time of all algorithms with each kind of noise over that without.

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
    """Return ratios of run times with and without noise by code, for the data and each resample."""
    now, before = _times(grid, limit)
    result = {}
    for code in _noisy(grid):
        rows = grid.with_code(code).tolist()
        above, below = (_all_runs(_at(part, rows), drawn) for part in (now, before))
        result[code] = divided(above, below)
    return result


def _times(grid: NoiseGrid, limit: float) -> tuple[Floats, Floats]:
    """Return seconds with noise and without, on data sets that have both."""
    time = charged(grid, limit)
    before = np.where((grid.clean >= 0)[:, None], time[grid.clean], np.nan)
    both = ~np.isnan(time) & ~np.isnan(before)
    return np.where(both, time, np.nan), np.where(both, before, np.nan)


def _all_runs(values: Floats, drawn: Resampling) -> Floats:
    """Return means over all runs, for the data and each resample."""
    known = ~np.isnan(values)
    sums = np.where(known, values, 0.0).sum(axis=1)
    counts = known.sum(axis=1).astype(np.float64)
    return divided(drawn.means(sums), drawn.means(counts))


ALL_NOISY = "all noisy"
"""The mean over all codes with noise."""


def accuracy(grid: NoiseGrid) -> Floats:
    """Return the mean of F1 and BSF by data set and algorithm, the combined score of Figure 8."""
    return (grid.values["f1"] + grid.values["bsf"]) / 2


def imputed(grid: NoiseGrid, values: Floats, code: str) -> Floats:
    """Align noisy results with the clean data sets; missing ones are replaced by clean results.

    Where there is no result its own without noise stands in; NaN where there is none either, and on
    all noisy data sets.
    """
    places = {case: i for i, case in enumerate(grid.cases)}
    result = np.full(values.shape, np.nan)
    for i in grid.of("N"):
        j = places.get(grid.cases[i]._replace(code=code))
        result[i] = values[i] if j is None else np.where(np.isnan(values[j]), values[i], values[j])
        result[i, np.isnan(values[i])] = np.nan
    return result


def kept_rows(grid: NoiseGrid, drawn: Resampling) -> list[Cells]:
    """Return figures 8 and 9: mean accuracy and mean number of edges by algorithm and code.

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
        known = (~np.isnan(score[clean])).sum(axis=0)
        stand_in = known - finished_both(grid, score, code)
        for j, name in enumerate(grid.algorithms):
            if known[j]:
                row: Cells = {"algorithm": name, "code": code}
                for label, column in columns.items():
                    row |= column.cells(label, j)
                result.append(row | {"n": int(known[j]), "imputed": int(stand_in[j])})
    return result


def finished_both(grid: NoiseGrid, values: Floats, code: str) -> Counts:
    """Count the data sets that each algorithm finished both with and without the noise."""
    rows, partner = grid.with_code(code), grid.clean
    rows = rows[partner[rows] >= 0]
    both = ~np.isnan(values[rows]) & ~np.isnan(values[partner[rows]])
    counts: Counts = both.sum(axis=0)
    return counts


def ratio(now: Floats, before: Floats, drawn: Resampling) -> Estimates:
    """Return the mean with noise over that without, with its interval, on data sets with both."""
    both = np.where(np.isnan(now), np.nan, before)
    return Estimates.of(ratios(now, before, drawn), drawn.blocks(both))


def ratios(now: Floats, before: Floats, drawn: Resampling) -> Floats:
    """Return the ratio of means for the data and for each resample."""
    both = ~np.isnan(now) & ~np.isnan(before)
    above, below = (drawn.means(np.where(both, part, np.nan)) for part in (now, before))
    return divided(above, below)


def edge_rows(grid: NoiseGrid, drawn: Resampling) -> list[Cells]:
    """Return edges with noise over edges without, by code and over all codes (figure 9)."""
    before = _totals(imputed(grid, grid.values["n_edges"], CLEAN))
    return [
        {"code": code} | ratio(now, before, drawn).cells("ratio")
        for code, now in _edges(grid).items()
    ]


def edge_ratios(grid: NoiseGrid, drawn: Resampling) -> dict[str, Floats]:
    """Return the ratios of edge numbers for the data and for each resample."""
    before = _totals(imputed(grid, grid.values["n_edges"], CLEAN))
    return {code: ratios(now, before, drawn) for code, now in _edges(grid).items()}


def _edges(grid: NoiseGrid) -> dict[str, Floats]:
    """Return edges of all algorithms on each data set by code, and their mean over codes."""
    edges = grid.values["n_edges"]
    result = {c: _totals(imputed(grid, edges, c)) for c in grid.codes if c != CLEAN}
    return result | ({ALL_NOISY: np.mean(list(result.values()), axis=0)} if result else {})


def _totals(values: Floats) -> Floats:
    """Return edges of all algorithms on each data set; NaN where none finished."""
    sums = np.nansum(values, axis=1)
    return np.where(np.isnan(values).all(axis=1), np.nan, sums)


def accuracy_rows(grid: NoiseGrid, drawn: Resampling) -> list[Cells]:
    """Return the share of the clean accuracy that is kept, by algorithm, network and code.

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
                network_rows = _network_rows(grid, drawn, rows.tolist(), columns)
                result += [{"network": network, "code": code} | row for row in network_rows]
    return result


def _network_rows(
    grid: NoiseGrid, drawn: Resampling, rows: list[int], columns: Mapping[str, Floats]
) -> list[Cells]:
    before_rows = grid.clean[rows]
    retained: dict[str, Estimates] = {}
    for name, values in columns.items():
        now, before = (np.full(values.shape, np.nan) for _ in range(2))
        now[rows], before[rows] = values[rows], values[before_rows]
        retained[name] = ratio(now, before, drawn)
    by_size = _by_size(grid, columns["kept"], rows)
    result: list[Cells] = []
    for j in grid.taking_part(rows):
        row: Cells = {"algorithm": grid.algorithms[j]}
        for name, column in retained.items():
            row |= column.cells(name, j)
        known = [size[j] for size in by_size if not np.isnan(size[j])]
        row |= {"least": min(known, default=None), "most": max(known, default=None)}
        both = ~np.isnan(columns["kept"][rows, j]) & ~np.isnan(columns["kept"][before_rows, j])
        failures = int(grid.failed[rows, j].sum())
        result.append(row | {"n": int(both.sum()), "runs": len(rows), "failures": failures})
    return result


def _by_size(grid: NoiseGrid, values: Floats, rows: list[int]) -> list[list[float]]:
    """Return, for each size and algorithm, the mean with noise over the mean without."""
    partner = grid.clean
    result = []
    for n in grid.sizes:
        some = [i for i in rows if grid.cases[i].n == n]
        both = ~np.isnan(values[some]) & ~np.isnan(values[partner[some]])
        above = np.where(both, values[some], 0.0).sum(axis=0)
        below = np.where(both, values[partner[some]], 0.0).sum(axis=0)
        result.append(divided(above, below).tolist())
    return result


By: TypeAlias = Literal["code", "network", "n"]


def failure_rows(grid: NoiseGrid, by: By) -> list[Cells]:
    """Return Tables C1 and C2: failures by kind, algorithm, and code, network or size.

    A run of several starts counts as failed where all of them did; `failed_starts` are those of
    finished runs.
    """
    groups = {"code": grid.codes, "network": grid.networks, "n": grid.sizes}
    if by not in groups:
        raise DagathlonError(f"by is 'code', 'network' or 'n', found {by!r}")
    result: list[Cells] = []
    for j, name in enumerate(grid.algorithms):
        for value in groups[by]:
            rows = grid.having(**{by: value})
            runs = int(grid.took_part[rows, j].sum())
            if runs:
                kinds = {
                    kind: int((grid.kinds[rows, j] == k).sum()) for k, kind in enumerate(FAILURES)
                }
                starts = {"failed_starts": int(grid.failed_starts[rows, j].sum())}
                result.append({"algorithm": name, by: value} | kinds | starts | {"runs": runs})
    return result


def edge_density_rows(grid: NoiseGrid, drawn: Resampling) -> list[Cells]:
    """Return figure 2: learned over true edges without noise, by rows per free parameter.

    Failed runs are left out; means are over seeds.
    """
    share = grid.edge_shares
    result: list[Cells] = []
    for (network, n), members in grid.cells(grid.of("N")).items():
        part = np.full(share.shape, np.nan)
        part[members] = share[members]
        learned, shares = drawn.estimates(grid.only("n_edges", members)), drawn.estimates(part)
        for j in grid.taking_part(members):
            row = {"algorithm": grid.algorithms[j]} | place(grid, network, n)
            row |= learned.cells("learned", j) | {"true": float(grid.true_edges[members].mean())}
            result.append(row | shares.cells("ratio", j))
    return by_density(result)


def run_time_rows(grid: NoiseGrid, drawn: Resampling, limit: float, *, noisy: bool) -> list[Cells]:
    """Return rows of figures 3 and 5: run times, failures charged the limit, the quickest first.

    `total` is over all runs, `mean` per run. An algorithm that did not run everywhere (`complete`
    is False) has a smaller total for that reason alone.
    """
    rows = grid.of("noisy" if noisy else "N")
    time = np.full(grid.failed.shape, np.nan)
    time[rows] = charged(grid, limit)[rows]
    mean = drawn.estimates(time)
    result: list[Cells] = []
    for j in grid.taking_part(rows.tolist()):
        runs = int(grid.took_part[rows, j].sum())
        row = {"algorithm": grid.algorithms[j], "total": float(np.nansum(time[:, j]))}
        row |= mean.cells("mean", j)
        row |= {"runs": runs, "failures": int(grid.failed[rows, j].sum())}
        result.append(row | {"complete": runs == len(rows)})
    return sorted(result, key=lambda row: (not row["complete"], row["total"], row["algorithm"]))
