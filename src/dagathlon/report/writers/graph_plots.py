"""``graph_plots``: pictures and matrices of all estimated graphs, compared on patterns."""

from __future__ import annotations

from collections.abc import Sequence

from dagathlon.graphs import pattern
from dagathlon.report.context import Context
from dagathlon.report.graph_files import write_features
from dagathlon.study.grammar.evaluation import GraphPlots

EVALUATION = GraphPlots


def write(context: Context, evaluations: Sequence[GraphPlots]) -> None:
    """Write five files for each run, three where there is no truth."""
    folder = context.folder / "graph_plots"
    for evaluation in evaluations:
        runs = context.runs_of(evaluation.ids)
        for number, (run, graph) in enumerate(context.estimates(runs), 1):
            alone = {
                "graphs": folder / "graphs" / f"graph_{number}.png",
                "adjmats": folder / "adjmats" / f"adjmat_plot_{number}.png",
                "csvs": folder / "csvs" / f"adjmat_{number}.csv",
            }
            write_features(graph, None, alone)
            truth = context.truth(context.plan.cases[run.case])
            if truth is None:
                continue
            compared = {
                "diffplots": folder / "adjmat_diffplots" / f"diffplot_{number}.png",
                "graphvizcompare": folder / "graphvizcompare" / f"compare_{number}.pdf",
            }
            write_features(pattern(graph), pattern(truth), compared)
