"""``mcmc_traj_plots``: the score or the size of the graphs along each chain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dagathlon.evaluations.chains import ChainEvaluation, Functional, heading_lines
from dagathlon.modules import Natural
from dagathlon.report.chains import grouped, series_of
from dagathlon.report.charts.parts import headed
from dagathlon.report.charts.trajectories import trajectories
from dagathlon.report.context import Results
from dagathlon.report.evaluation import Block, Drawing, LongTable, TableSet

_MOST_POINTS = 800


@dataclass(frozen=True, kw_only=True)
class McmcTrajPlots(ChainEvaluation):
    """Plot a functional of the graphs along a chain.

    Parameters
    ----------
    thinning
        Keep every so many states; null keeps all.
    functional
        The score or the number of edges.
    """

    name = "mcmc_traj_plots"
    thinning: Natural | None = None
    functional: Functional = "score"

    def tables(self, results: Results) -> Mapping[str, LongTable]:
        """All trajectories."""
        series = series_of(results, self) if self.active else ()
        blocks = [({"sample": s.sample, "plotvalue": s.value}, s.labels()) for s in series]
        return {"trajectories": LongTable(blocks, "mcmc_filled_trajs.csv")}

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """By sampler and by setting."""
        blocks = tables.blocks("trajectories")
        for folder, single in (("multi_param_settings", False), ("single_param_settings", True)):
            for number, group in enumerate(grouped(blocks, single), 1):
                yield f"{folder}/{number}.png", _figure(group, single)


def _figure(group: Sequence[Block], single: bool) -> Drawing:
    labels = group[0][1]
    colour = "mcmc_seed" if single else "param_val"
    heading = "chain" if single else str(labels["param"])
    rows = [point for i, one in enumerate(group) for point in _points(one, i)]
    chart = trajectories(rows, labels["functional"], colour, heading)
    return headed(chart, str(labels["id"]), heading_lines(labels, single))


def _points(block: Block, chain: int) -> Iterator[dict[str, Any]]:
    """Points of a line, thinned to what a figure can show."""
    columns, labels = block
    shown = {"mcmc_seed": str(labels["mcmc_seed"]), "param_val": labels["param_val"]}
    count = len(columns["sample"])
    for i in np.linspace(0, count - 1, min(count, _MOST_POINTS)).astype(int).tolist():
        value = float(columns["plotvalue"][i])
        if np.isfinite(value):
            yield {"sample": int(columns["sample"][i]), "value": value, "chain": chain, **shown}
