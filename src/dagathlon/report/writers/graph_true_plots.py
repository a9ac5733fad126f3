"""``graph_true_plots``: pictures and matrices of the true graphs."""

from __future__ import annotations

from collections.abc import Sequence

from dagathlon.report.context import Context
from dagathlon.report.graph_files import write_adjacency_plot, write_graph_picture
from dagathlon.study.grammar.evaluation import GraphTruePlots

EVALUATION = GraphTruePlots


def write(context: Context, evaluations: Sequence[GraphTruePlots]) -> None:
    """Two pictures of each true graph; one that several data sets share is drawn once."""
    folder = context.folder / "graph_true_plots"
    positions = dict.fromkeys(case.graph for case in context.cases if case.graph is not None)
    for number, position in enumerate(positions, 1):
        truth = context.result(position)
        if truth is not None:
            write_graph_picture(truth, folder / f"graph_true_{number}.png")
            write_adjacency_plot(truth, folder / f"adjmat_true_{number}.png")
