"""``mcmc_traj_plots``: the score or the size of the graphs along each chain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dagathlon.evaluations.chains.chart import trajectories
from dagathlon.evaluations.chains.trajectories import (
    ChainEvaluation,
    Functional,
    group_figures,
    group_variants,
    series_of,
)
from dagathlon.frame import Cells
from dagathlon.modules import Natural
from dagathlon.report.charts.parts import Chart
from dagathlon.report.evaluation import Block, LongTable, TableSet
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.results import Results
from dagathlon.report.section import Figure, Section

_MOST_POINTS = 800
_CAPTION = (
    "Along each chain, after the part that is left out. Chains that have settled go up and down at "
    "the same height; a slope, or chains that keep apart, means that they are too short."
)


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
        """Return all trajectories."""
        series = series_of(results, self) if self.active else ()
        blocks = [({"sample": s.sample, "plotvalue": s.value}, s.labels()) for s in series]
        return {"trajectories": LongTable(blocks, "mcmc_filled_trajs.csv")}

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """Draw figures by sampler and by setting."""
        yield from group_figures(tables.blocks("trajectories"), _chart)

    def section(self, tables: TableSet) -> Section | None:
        """Show the chains of the setting that the reader selects."""
        variants = group_variants(tables.blocks("trajectories"), _chart)
        if not variants:
            return None
        figure = Figure("trajectories", "Have the chains settled?", _CAPTION, variants)
        return Section("trajectories", "Chains", [figure])


def _chart(group: Sequence[Block], colour: str, heading: str) -> Chart:
    rows = [point for i, item in enumerate(group) for point in _points(item, i)]
    return trajectories(rows, group[0][1]["functional"], colour, heading)


def _points(block: Block, chain: int) -> Iterator[Cells]:
    """Yield the points of a line, thinned to the resolution of a figure."""
    columns, labels = block
    shown = {"mcmc_seed": str(labels["mcmc_seed"]), "param_val": labels["param_val"]}
    count = len(columns["sample"])
    for i in np.linspace(0, count - 1, min(count, _MOST_POINTS)).astype(int).tolist():
        value = float(columns["plotvalue"][i])
        if np.isfinite(value):
            yield {"sample": int(columns["sample"][i]), "value": value, "chain": chain, **shown}
