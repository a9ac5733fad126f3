"""Failures, edges learned and run times: Tables C1 and C2, Figures 2, 3 and 5."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from dagathlon.errors import DagathlonError
from dagathlon.evaluations.noise.change import charged
from dagathlon.evaluations.noise.grid import FAILURES, NoiseGrid
from dagathlon.evaluations.noise.ranks import by_density, place
from dagathlon.evaluations.noise.resampling import Resampling
from dagathlon.frame import Cells

By: TypeAlias = Literal["code", "network", "n"]


def failure_rows(grid: NoiseGrid, by: By) -> list[Cells]:
    """Tables C1 and C2: failures by kind, algorithm, and code, network or size.

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
    """Figure 2: learned over true edges without noise, by rows per free parameter.

    Failed runs are left out; means are over seeds.
    """
    share = grid.edge_shares
    result: list[Cells] = []
    for (network, n), members in grid.cells(grid.of("N")).items():
        part = np.full(share.shape, np.nan)
        part[members] = share[members]
        learned, found = drawn.estimates(grid.only("n_edges", members)), drawn.estimates(part)
        for j in grid.taking_part(members):
            row = {"algorithm": grid.algorithms[j]} | place(grid, network, n)
            row |= learned.cells("learned", j) | {"true": float(grid.true_edges[members].mean())}
            result.append(row | found.cells("ratio", j))
    return by_density(result)


def run_time_rows(grid: NoiseGrid, drawn: Resampling, limit: float, *, noisy: bool) -> list[Cells]:
    """Figures 3 and 5: cumulative run time, failures charged the limit; the quickest first.

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
