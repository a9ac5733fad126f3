"""Representations of a graph in a session: one line of text, or a drawing with a caption."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from html import escape

from dagathlon.graphs.drawing.svg import to_svg
from dagathlon.graphs.graph import Graph

_LINE_LENGTH = 100
# A notebook is no place for the drawing of a larger graph: ask for `to_svg`.
_MAX_DRAWN = 300


def summary(graph: Graph) -> str:
    """Return one line: the number of nodes and edges, and as many edges as fit."""
    counts = f"Graph({_plural(len(graph), 'node')}, {_plural(graph.n_edges, 'edge')}"
    edges = [" ".join(str(edge).split()) for edge in graph.edges()]
    line = f"{counts}: {', '.join(edges)})" if edges else f"{counts})"
    if len(line) <= _LINE_LENGTH:
        return line
    line = f"{counts}: "
    for edge in edges:
        if len(line) + len(edge) + len(", …)") > _LINE_LENGTH:
            break
        line += f"{edge}, "
    return line + "…)"


def html(graph: Graph, weights: Mapping[tuple[str, str], float] | None = None) -> str:
    """Return HTML: a drawing, unless the graph is too large, and a caption.

    Parameters
    ----------
    graph
        The graph.
    weights
        A number from 0 to 1 for an edge by its two names, by which it is thick; see `to_svg`.
    """
    kinds = Counter(edge.connector for edge in graph.edges())
    edges = ", ".join(f"{count} {text}" for text, count in kinds.most_common())
    caption = f"{_plural(len(graph), 'node')}, {_plural(graph.n_edges, 'edge')}"
    caption += f" ({edges})" if edges else ""
    drawing = to_svg(graph, weights=weights) if len(graph) <= _MAX_DRAWN else ""
    return f'<figure style="margin:0">{drawing}<figcaption>{escape(caption)}</figcaption></figure>'


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
