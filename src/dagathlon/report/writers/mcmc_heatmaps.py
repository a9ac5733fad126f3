"""``mcmc_heatmaps``: how often each edge occurs along a chain, as matrix and as graph."""

from __future__ import annotations

from collections.abc import Sequence

from dagathlon.graphs import Graph, to_svg
from dagathlon.posteriors.drawing import weights_of
from dagathlon.posteriors.posterior import Posterior
from dagathlon.report.chains import chain_runs
from dagathlon.report.charts.matrix import frequency_plot
from dagathlon.report.charts.parts import headed
from dagathlon.report.context import Context
from dagathlon.report.drawings import Panel, side_by_side
from dagathlon.report.render import save, save_drawing
from dagathlon.study.grammar.evaluation import McmcHeatmaps

EVALUATION = McmcHeatmaps

# An edge that is rarer than this would be written 0.00.
_LEAST = 0.005


def write(context: Context, evaluations: Sequence[McmcHeatmaps]) -> None:
    """Two pictures of each chain."""
    folder = context.folder / "mcmc_heatmaps"
    number = 0
    for evaluation in evaluations:
        if not evaluation.active:
            continue
        for source in chain_runs(context, evaluation.id):
            number += 1
            late = source.posterior.after(evaluation.burn_in)
            seeds = f"seed {source.case.seed}, chain {source.values.get('mcmc_seed', 1)}"
            plot = frequency_plot(late.names, late.edge_probabilities)
            chart = headed(plot, evaluation.id, [seeds])
            save(chart, folder / "heatmaps" / f"heatmap_{number}.png")
            svg = _weighted_graph(late)
            panel = Panel(f"{evaluation.id}, {seeds}", svg)
            path = folder / "heatgraphs" / f"heatgraph_{number}.png"
            save_drawing(side_by_side([panel]), path)


def _weighted_graph(posterior: Posterior) -> str:
    """The edges that occur, as thick as they are frequent, with the frequency beside them."""
    graph = Graph.from_adjacency(posterior.names, posterior.edge_probabilities >= _LEAST)
    return to_svg(graph, weights=weights_of(graph, posterior.strengths))
