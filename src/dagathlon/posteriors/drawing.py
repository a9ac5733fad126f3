"""How a posterior shows itself: one line, or a drawing with edges as thick as they are probable."""

from __future__ import annotations

from html import escape

from dagathlon.graphs import Graph
from dagathlon.graphs.drawing.summary import html as graph_html
from dagathlon.posteriors.edge_strength import EdgeStrengths
from dagathlon.posteriors.posterior import Posterior

# Edges that are rarer make a drawing that nobody can read.
LEAST_DRAWN = 0.05
# An arrow with a 1 beside it would else be read as a certain arrow.
_NUMBERS = "numbers and widths: probability that two nodes are joined, in whatever direction"


def summary_line(posterior: Posterior) -> str:
    """Nodes, draws, chains and expected edges."""
    parts = [f"{len(posterior.names)} nodes"]
    if posterior.chains:
        parts.append(f"{posterior.n_draws:,} draws")
    if len(posterior.chains) > 1:
        parts[-1] += f" of {len(posterior.chains)} chains"
    return ", ".join([*parts, f"{posterior.expected_edges:.3g} edges expected"])


def html(posterior: Posterior) -> str:
    """The edges that are not rare, each as it is most often, and a caption."""
    drawing = weighted_html(posterior.consensus(LEAST_DRAWN), posterior)
    note = f"edges where that is above {LEAST_DRAWN:g}, each in its most probable form"
    return f"<div>{drawing}<p>{escape(summary_line(posterior))}; {note}</p></div>"


def weighted_html(graph: Graph, posterior: Posterior) -> str:
    """A graph whose edges are as thick as their nodes are likely to be joined, and what that is."""
    drawing = graph_html(graph, weights_of(graph, posterior.strengths))
    return f"{drawing}<p>{_NUMBERS}</p>"


def weights_of(graph: Graph, strengths: EdgeStrengths) -> dict[tuple[str, str], float]:
    """For each edge of a graph the probability that its nodes are joined."""
    place = {name: i for i, name in enumerate(strengths.names)}
    return {
        (edge.left, edge.right): float(strengths.strength[place[edge.left], place[edge.right]])
        for edge in graph.edges()
    }
