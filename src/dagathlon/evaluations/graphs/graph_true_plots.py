"""``graph_true_plots``: pictures and matrices of the true graphs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dagathlon.evaluations.graphs.graph_files import adjacency_picture, graph_picture
from dagathlon.report.evaluation import Evaluation
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.results import Results


@dataclass(frozen=True, kw_only=True)
class GraphTruePlots(Evaluation):
    """Draw the true graphs."""

    name = "graph_true_plots"
    shape = "flag"

    def files(self, results: Results) -> Iterator[tuple[str, Drawing]]:
        """Draw two pictures per true graph; graphs shared by data sets are drawn once."""
        first = {case.graph: case for case in reversed(results.cases)}
        positions = dict.fromkeys(case.graph for case in results.cases if case.graph is not None)
        for number, position in enumerate(positions, 1):
            truth = results.truth(first[position])
            if truth is not None:
                yield f"graph_true_{number}.png", graph_picture(truth)
                yield f"adjmat_true_{number}.png", adjacency_picture(truth)
