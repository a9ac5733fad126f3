"""Representations of a posterior in a session: one line, or a drawing with weighted edges."""

from __future__ import annotations

from html import escape

from dagathlon.graphs import Graph
from dagathlon.graphs.drawing.summary import html as graph_html
from dagathlon.posteriors.edge_strength import EdgeStrengths
from dagathlon.posteriors.posterior import Posterior
from dagathlon.wording import counted

# Rarer edges would make the drawing unreadable.
LEAST_DRAWN = 0.05
# An arrow with a 1 beside it would else be read as a certain arrow.
_NUMBERS = "numbers and widths: probability that two nodes are joined, in whatever direction"


def summary_line(posterior: Posterior) -> str:
    """Return one line with numbers of nodes, draws, chains and expected edges."""
    parts = [counted(len(posterior.names), "node")]
    if posterior.chains:
        parts.append(counted(posterior.n_draws, "draw"))
    if len(posterior.chains) > 1:
        parts[-1] += f" of {len(posterior.chains)} chains"
    return ", ".join([*parts, f"{posterior.expected_edges:.3g} edges expected"])


def html(posterior: Posterior) -> str:
    """Return HTML: the edges that are not rare, each in its most frequent form, and a caption."""
    drawing = weighted_html(posterior.consensus(LEAST_DRAWN), posterior)
    note = f"edges where that is above {LEAST_DRAWN:g}, each in its most probable form"
    return f"<div>{drawing}<p>{escape(summary_line(posterior))}; {note}</p></div>"


def weighted_html(graph: Graph, posterior: Posterior) -> str:
    """Return HTML: a graph with edges as thick as their probability of adjacency, and a caption."""
    drawing = graph_html(graph, weights_of(graph, posterior.strengths))
    return f"{drawing}<p>{_NUMBERS}</p>"


def weights_of(graph: Graph, strengths: EdgeStrengths) -> dict[tuple[str, str], float]:
    """Return, for each edge of a graph, the probability that its nodes are adjacent."""
    place = {name: i for i, name in enumerate(strengths.names)}
    return {
        (edge.left, edge.right): float(strengths.strength[place[edge.left], place[edge.right]])
        for edge in graph.edges()
    }
