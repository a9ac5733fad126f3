"""``graph_plots``: pictures and matrices of all estimated graphs, compared on patterns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dagathlon.evaluations.graphs.graph_files import features
from dagathlon.graphs import pattern
from dagathlon.report.evaluation import OfLearners
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.results import Results


@dataclass(frozen=True, kw_only=True)
class GraphPlots(OfLearners):
    """Draw estimated graphs and compare them with the truth (the older form of graph_estimation).

    Parameters
    ----------
    ids
        Algorithms whose graphs are wanted.
    """

    name = "graph_plots"
    shape = "ids"
    ids: tuple[str, ...] = ()

    def files(self, results: Results) -> Iterator[tuple[str, bytes | Drawing]]:
        """Write five files per run, three without a truth."""
        for number, (run, graph) in enumerate(results.estimates(results.runs_of(self.ids)), 1):
            alone = {
                "graphs": f"graphs/graph_{number}.png",
                "adjmats": f"adjmats/adjmat_plot_{number}.png",
                "csvs": f"csvs/adjmat_{number}.csv",
            }
            yield from features(graph, None, alone)
            truth = results.truth(results.case(run))
            if truth is None:
                continue
            compared = {
                "diffplots": f"adjmat_diffplots/diffplot_{number}.png",
                "graphvizcompare": f"graphvizcompare/compare_{number}.pdf",
            }
            yield from features(pattern(graph), pattern(truth), compared)
