"""Ranks and scores of algorithms with and without noise: Tables 8 to 11, D1 to E7, Figures 1 and 4.

Algorithms are ranked within each data set. Equal scores share the best of their ranks, and failures
share the rank after the last that finished: if five of 15 fail, all five have rank 11. Over several
codes the average is that of the averages of each code, which all count the same although some could
not be run on every network: so Table 9 follows from Tables E1 to E3. The overall rank is that of
the average; equal averages share it. Changes are without minus with noise, so that + is better.

Tables D1 to D5 and E5 (scores), 10, D6 and E6 (worst and best), 11, D7 and E7 (between them).
An algorithm's mean over the experiments counts where it failed in none of them; the worst and the
best are of these means.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from dagathlon.evaluate.ranking.ranks import Better, Floats, ranks
from dagathlon.evaluations.noise.grid import CLEAN, METRICS, NoiseGrid, Places, Which
from dagathlon.evaluations.noise.resampling import Counts, Estimates, Resampling, known_mean, number
from dagathlon.frame import Cells, grouped

# Averages that differ by less are equal but for rounding.
_SAME = 1e-9


class Standing(NamedTuple):
    """Ranks of all algorithms by one metric on a set of data sets.

    Parameters
    ----------
    ranks
        By data set and algorithm; NaN on data sets of other kinds and where one did not take part.
    averages, places
        Average ranks and places by them, by algorithm (column), of the data and of each resample;
        NaN for one that took no part.
    blocks
        How many blocks stand behind each average.
    """

    ranks: Floats
    averages: Floats
    places: Floats
    blocks: Counts

    @property
    def present(self) -> list[int]:
        """Return the algorithms that took part."""
        return [int(j) for j in np.flatnonzero(~np.isnan(self.averages[0]))]


def standing(grid: NoiseGrid, metric: str, rows: Places, drawn: Resampling) -> Standing:
    """Rank all algorithms by one metric on some of the data sets."""
    result = np.full(grid.failed.shape, np.nan)
    if len(rows):
        result[rows] = ranks(grid.scores(metric).at(rows.tolist()), METRICS[metric], "min")
    by_code = grouped((grid.cases[i].code, i) for i in rows.tolist())
    parts = [drawn.means(_only(result, some)) for some in by_code.values()]
    averages = over_codes(parts or [drawn.means(result)])
    return Standing(result, averages, _places(averages), drawn.blocks(result))


def _only(values: Floats, rows: list[int]) -> Floats:
    result = np.full(values.shape, np.nan)
    result[rows] = values[rows]
    return result


def over_codes(averages: Sequence[Floats]) -> Floats:
    """Return means over codes of average ranks, over codes in which an algorithm took part."""
    return known_mean(np.stack(averages), 0)


def _places(averages: Floats) -> Floats:
    """Return places within each row, 1 for the least; ties share the better place."""
    result = [(averages < item[:, None] - _SAME).sum(axis=1) + 1.0 for item in averages.T]
    return np.where(np.isnan(averages), np.nan, np.stack(result, 1))


def rank_rows(grid: NoiseGrid, drawn: Resampling, *, noisy: bool) -> list[Cells]:
    """Return Table 8 (without noise) or 9 (with noise, and the changes against none)."""
    result: list[Cells] = []
    for metric in METRICS:
        clean = standing(grid, metric, grid.of("N"), drawn)
        if noisy:
            loud = standing(grid, metric, grid.of("noisy"), drawn)
            result += _changed_rows(grid, metric, clean, loud)
        else:
            result += _rows(grid, metric, clean)
    return result


def _rows(grid: NoiseGrid, metric: str, ranked: Standing) -> list[Cells]:
    average = Estimates.of(ranked.averages, ranked.blocks)
    overall = Estimates.of(ranked.places, ranked.blocks)
    result = []
    for j in ranked.present:
        known = ~np.isnan(ranked.ranks[:, j])
        result.append(
            {"metric": metric, "algorithm": grid.algorithms[j]}
            | average.cells("average", j)
            | {"deviation": float(np.std(ranked.ranks[known, j]))}
            | overall.cells("overall", j)
            | {
                "overall": int(overall.value[j]),
                "n": int(known.sum()),
                "failures": int(grid.failed[known, j].sum()),
            }
        )
    return result


def _changed_rows(grid: NoiseGrid, metric: str, clean: Standing, loud: Standing) -> list[Cells]:
    """Return rank rows with noise, with the improvement over no noise."""
    blocks = np.minimum(clean.blocks, loud.blocks)
    average = Estimates.of(clean.averages - loud.averages, blocks)
    overall = Estimates.of(clean.places - loud.places, blocks)
    rows = zip(loud.present, _rows(grid, metric, loud), strict=True)
    return [
        row | average.cells("change", j) | overall.cells("overall_change", j) for j, row in rows
    ]


def rank_rows_by_code(grid: NoiseGrid, drawn: Resampling) -> list[Cells]:
    """Return Tables E1 to E3 and figure 4: changes of the overall rank against no noise."""
    result: list[Cells] = []
    for metric in METRICS:
        clean = standing(grid, metric, grid.of("N"), drawn)
        for code in grid.codes:
            if code != CLEAN:
                ranked = standing(grid, metric, grid.with_code(code), drawn)
                rows = _changed_rows(grid, metric, clean, ranked)
                result += [{"code": code} | row for row in rows]
    return result


def rank_rows_by_density(grid: NoiseGrid) -> list[Cells]:
    """Return figures 1 and D1: ranks without noise by data set, ordered by rows per free parameter.

    Ranks are averaged over seeds.
    """
    rows = grid.of("N")
    found = {metric: np.full(grid.failed.shape, np.nan) for metric in METRICS}
    for metric, better in METRICS.items():
        found[metric][rows] = ranks(grid.scores(metric).at(rows.tolist()), better, "min")
    result: list[Cells] = []
    for (network, n), members in grid.cells(rows).items():
        for j in grid.taking_part(members):
            row: Cells = {"algorithm": grid.algorithms[j]} | place(grid, network, n)
            for metric in METRICS:
                row[metric] = number(np.nanmean(found[metric][members, j]))
            result.append(row)
    return by_density(result)


def place(grid: NoiseGrid, network: str, n: int) -> Cells:
    """Return the cells that describe a data set: network, nodes, rows, rows per free parameter."""
    parameters = grid.n_parameters.get(network)
    return {
        "network": network,
        "n_nodes": grid.n_nodes.get(network),
        "n": n,
        "rows_per_parameter": n / parameters if parameters else None,
    }


def by_density(rows: Iterable[Cells]) -> list[Cells]:
    """Sort rows by algorithm, then by data rows per parameter."""
    return sorted(
        rows,
        key=lambda row: (
            row["algorithm"].casefold(),
            row["rows_per_parameter"] or 0.0,
            row["network"],
            row["n"],
        ),
    )


# Means that differ by less are equal but for rounding.
_COLUMNS = (*METRICS, "precision", "recall", "n_edges")


def score_rows(grid: NoiseGrid, drawn: Resampling, code: str) -> list[Cells]:
    """Return means over seeds of all metrics with one kind of noise.

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
    """Means of all algorithms on the data sets of one network and size.

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
        """Return whether more or less is better."""
        return METRICS[self.metric]

    @property
    def ends(self) -> tuple[Floats, Floats]:
        """Return the worst and the best mean of each row; NaN without any."""
        nobody = np.array(np.isnan(self.averages).all(axis=1))
        filled = np.where(nobody[:, None], 0.0, self.averages)
        least, most = (
            np.where(nobody, np.nan, end(filled, axis=1)) for end in (np.nanmin, np.nanmax)
        )
        return (least, most) if self.better == "more" else (most, least)

    @property
    def shares(self) -> Floats:
        """Scale each row to 0 for the worst and 1 for the best; 1 where all are equal."""
        worst, best = (end[:, None] for end in self.ends)
        width = np.broadcast_to(best - worst, self.averages.shape)
        result = np.ones_like(self.averages)
        np.divide(self.averages - worst, width, out=result, where=np.abs(width) > _SAME)
        return np.where(np.isnan(self.averages), np.nan, result)


def spans(grid: NoiseGrid, drawn: Resampling, which: Which) -> list[Span]:
    """Return a `Span` per network, size and metric; a failed algorithm has no mean there."""
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
    """Return the worst and the best mean with their algorithms."""
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
    """Return the position of each algorithm between the worst and the best."""
    result: list[Cells] = []
    for span in spans(grid, drawn, which):
        share = Estimates.of(span.shares, span.blocks)
        where = {"network": span.network, "n": span.n}
        for j in grid.taking_part(span.members):
            known = {"metric": span.metric, "algorithm": grid.algorithms[j]} | where
            result.append(known | share.cells("share", j) | _counts(grid, span.members, j))
    return result
