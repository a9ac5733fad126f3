"""``mcmc_heatmaps``: how often each edge occurs along a chain, as matrix and as graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dagathlon.evaluations.chains.trajectories import ChainEvaluation, chain_runs
from dagathlon.graphs import Graph, to_svg
from dagathlon.posteriors.drawing import weights_of
from dagathlon.posteriors.edge_strength import EdgeStrengths
from dagathlon.posteriors.packed import Floats
from dagathlon.report.charts.matrix import frequency_plot
from dagathlon.report.charts.parts import headed
from dagathlon.report.evaluation import Table, TableSet
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.figures.graph_panels import Panel, side_by_side
from dagathlon.report.results import Results

# An edge that is rarer than this would be written 0.00.
_LEAST = 0.005


@dataclass(frozen=True, kw_only=True)
class McmcHeatmaps(ChainEvaluation):
    """Draw edge frequencies of a chain as a heat map."""

    name = "mcmc_heatmaps"

    def tables(self, results: Results) -> Mapping[str, Table]:
        """Return the edge frequencies of each chain, one matrix per row."""
        rows = []
        for source in chain_runs(results, self.id) if self.active else ():
            late = source.posterior.after(self.burn_in)
            rows.append(
                {
                    "id": self.id,
                    "seeds": f"seed {source.case.seed}, chain {source.values.get('mcmc_seed', 1)}",
                    "names": late.names,
                    "frequencies": late.edge_probabilities,
                    "strengths": late.strengths,
                }
            )
        return {"chains": Table(rows)}

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """Draw two pictures per chain: matrix and graph."""
        for number, row in enumerate(tables.rows("chains"), 1):
            names, frequencies = row["names"], row["frequencies"]
            chart = headed(frequency_plot(names, frequencies), row["id"], [row["seeds"]])
            yield f"heatmaps/heatmap_{number}.png", chart
            svg = _weighted_graph(names, frequencies, row["strengths"])
            panel = Panel(f"{row['id']}, {row['seeds']}", svg)
            yield f"heatgraphs/heatgraph_{number}.png", side_by_side([panel])


def _weighted_graph(names: Sequence[str], frequencies: Floats, strengths: EdgeStrengths) -> str:
    """Draw the visited edges, with line widths and labels by frequency."""
    graph = Graph.from_adjacency(names, frequencies >= _LEAST)
    return to_svg(graph, weights=weights_of(graph, strengths))
