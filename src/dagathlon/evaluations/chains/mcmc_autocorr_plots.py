"""``mcmc_autocorr_plots``: autocorrelation of the score or the size along each chain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dagathlon.evaluate.posteriors.chains import autocorrelation
from dagathlon.evaluations.chains.chart import autocorrelations, stems
from dagathlon.evaluations.chains.trajectories import (
    ChainEvaluation,
    Functional,
    group_figures,
    group_variants,
    heading_lines,
    series_of,
)
from dagathlon.frame import Cells
from dagathlon.modules import Count, Natural
from dagathlon.report.charts.parts import Chart, headed
from dagathlon.report.evaluation import AnyTable, Block, LongTable, Table, TableSet
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.results import Results
from dagathlon.report.section import Figure, Section

_DEFAULT_LAGS = 50
# Benchpress spells the folder of single chains so.
_INDIVIDUAL = "induvidual"
_WHITE_NOISE = 1.96
_CAPTION = (
    "Correlation of a state with the one so many steps later. The sooner it is near 0, the more "
    "the chain is worth."
)


@dataclass(frozen=True, kw_only=True)
class McmcAutocorrPlots(ChainEvaluation):
    """Plot the autocorrelation of a functional of the graphs along a chain.

    Parameters
    ----------
    thinning
        Keep every so many states; null keeps all.
    lags
        Largest lag, after thinning; null means 50.
    functional
        The score or the number of edges.
    """

    name = "mcmc_autocorr_plots"
    thinning: Natural | None = None
    lags: Count | None = None
    functional: Functional = "score"

    def tables(self, results: Results) -> Mapping[str, AnyTable]:
        """Return autocorrelations at lags 1, 2, …, in states of the chain, and chain lengths."""
        blocks: list[Block] = []
        lengths = []
        for series in series_of(results, self) if self.active else ():
            value = autocorrelation(series.value, self.lags or _DEFAULT_LAGS)
            lag = np.arange(1, len(value) + 1, dtype=np.int64) * (self.thinning or 1)
            blocks.append(({"lag": lag, "autocorr": value}, series.labels()))
            lengths.append({"states": len(series.sample)})
        joined = LongTable(blocks, "joined_autocorr.csv")
        return {"autocorrelations": joined, "lengths": Table(lengths)}

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """Draw figures by sampler, by setting and by chain."""
        blocks = tables.blocks("autocorrelations")
        yield from group_figures(blocks, _chart)
        lengths = tables.rows("lengths")
        for number, (block, length) in enumerate(zip(blocks, lengths, strict=True), 1):
            labels = block[1]
            chart = stems(_points(block, 0), _WHITE_NOISE / max(length["states"], 1) ** 0.5)
            lines = [*heading_lines(labels, single=True), f"chain {labels['mcmc_seed']}"]
            name = f"{_INDIVIDUAL}/mcmc_autocorr_{number}.png"
            yield name, headed(chart, str(labels["id"]), lines)

    def section(self, tables: TableSet) -> Section | None:
        """Show the chains of the setting that the reader selects."""
        variants = group_variants(tables.blocks("autocorrelations"), _chart)
        if not variants:
            return None
        heading = "How far apart are states that tell something new?"
        figure = Figure("autocorrelations", heading, _CAPTION, variants)
        return Section("autocorrelations", "Autocorrelations", [figure])


def _chart(group: Sequence[Block], colour: str, heading: str) -> Chart:
    rows = [point for i, item in enumerate(group) for point in _points(item, i)]
    return autocorrelations(rows, colour, heading)


def _points(block: Block, chain: int) -> list[Cells]:
    columns, labels = block
    shown = {"mcmc_seed": str(labels["mcmc_seed"]), "param_val": labels["param_val"]}
    return [
        {"lag": int(lag), "value": float(value), "chain": chain, **shown}
        for lag, value in zip(columns["lag"], columns["autocorr"], strict=True)
        if np.isfinite(value)
    ]
