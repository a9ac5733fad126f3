"""``mcmc_heatmaps``: how often each edge occurs along a chain, as matrix and as graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dagathlon.evaluate.chains import edge_frequencies
from dagathlon.evaluations.chains import ChainEvaluation
from dagathlon.graphs import Graph, to_svg
from dagathlon.posteriors.chain import Floats
from dagathlon.report.chains import chain_runs
from dagathlon.report.charts.matrix import frequency_plot
from dagathlon.report.charts.parts import headed
from dagathlon.report.context import Results
from dagathlon.report.drawings import Panel, side_by_side
from dagathlon.report.evaluation import Drawing, Table, TableSet

# An edge that is rarer than this would be written 0.00.
_LEAST = 0.005


@dataclass(frozen=True, kw_only=True)
class McmcHeatmaps(ChainEvaluation):
    """Draw edge frequencies of a chain as a heat map."""

    name = "mcmc_heatmaps"

    def tables(self, results: Results) -> Mapping[str, Table]:
        """The frequencies of each chain, one matrix a row."""
        rows = [
            {
                "id": self.id,
                "seeds": f"seed {source.case.seed}, chain {source.values.get('mcmc_seed', 1)}",
                "names": source.chain.names,
                "directed": source.chain.directed,
                "frequencies": edge_frequencies(source.chain, self.burn_in),
            }
            for source in (chain_runs(results, self.id) if self.active else ())
        ]
        return {"chains": Table(rows)}

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """Two pictures of each chain."""
        for number, row in enumerate(tables.rows("chains"), 1):
            names, frequencies = row["names"], row["frequencies"]
            chart = headed(frequency_plot(names, frequencies), row["id"], [row["seeds"]])
            yield f"heatmaps/heatmap_{number}.png", chart
            svg = _weighted_graph(names, frequencies, row["directed"])
            panel = Panel(f"{row['id']}, {row['seeds']}", svg)
            yield f"heatgraphs/heatgraph_{number}.png", side_by_side([panel])


def _weighted_graph(names: Sequence[str], frequencies: Floats, directed: bool) -> str:
    """The edges that occur, as thick as they are frequent, with the frequency beside them."""
    present = frequencies >= _LEAST
    graph = Graph.from_adjacency(names, present)
    weights = {}
    for i, j in np.argwhere(np.triu(present | present.T)):
        weights[names[i], names[j]] = float(
            min(1.0, frequencies[i, j] + frequencies[j, i]) if directed else frequencies[i, j]
        )
    return to_svg(graph, weights=weights)
