"""Overview of graphs with thousands of nodes: degrees, components and hubs as bar charts."""

from __future__ import annotations

from collections import Counter
from html import escape
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.graphs.drawing.arrange import components
from dagathlon.graphs.drawing.labels import FONT_SIZE, label, text_width
from dagathlon.graphs.graph import Graph

MOST_DRAWN = 2000
"""Number of nodes above which a graph is shown by an overview, unless a layout is requested."""

Numbers: TypeAlias = npt.NDArray[np.int64]

_MOST_BARS = 12
_BAR, _LINE, _GAP = 240.0, 20.0, 26.0


class Bars(NamedTuple):
    """Bar chart: a title, and label and length of each bar."""

    title: str
    rows: list[tuple[str, int]]


def overview(graph: Graph) -> list[Bars]:
    """Return the degree distribution, component sizes and the nodes with most edges."""
    pairs = graph.edge_arrays().pairs
    degrees = np.bincount(pairs.ravel(), minlength=len(graph))
    return [
        Bars("nodes by number of edges", _binned(degrees)),
        Bars("connected parts by number of nodes", _parts(graph, pairs)),
        Bars("nodes with most edges", _hubs(graph, degrees)),
    ]


def bars_svg(blocks: list[Bars]) -> tuple[list[str], tuple[float, float]]:
    """Render the bar charts as SVG elements, one below the other, and return their size."""
    indent = max(text_width(text) for block in blocks for text, _ in block.rows) + 8
    elements, y = [], FONT_SIZE
    for block in blocks:
        elements.append(_text(0.0, y, block.title, "text-anchor:start;font-weight:bold"))
        longest = max(length for _, length in block.rows)
        for text, length in block.rows:
            y += _LINE
            width = _BAR * length / max(longest, 1)
            elements += [
                _text(indent - 6, y, text, "text-anchor:end"),
                f'<g class="node"><rect x="{indent:g}" y="{y - 11:g}" width="{width:.1f}" '
                'height="14"/></g>',
                _text(indent + width + 6, y, f"{length:,}", "text-anchor:start"),
            ]
        y += _LINE + _GAP
    return elements, (indent + _BAR + 70.0, y - _GAP)


def _binned(degrees: Numbers) -> list[tuple[str, int]]:
    """Count nodes by degree; degrees beyond the last bar share one bar."""
    counts = np.bincount(degrees)
    rows = [(str(degree), int(count)) for degree, count in enumerate(counts[:_MOST_BARS])]
    beyond = int(counts[_MOST_BARS:].sum())
    return [*rows, (f"{_MOST_BARS} or more", beyond)] if beyond else rows


def _parts(graph: Graph, pairs: Numbers) -> list[tuple[str, int]]:
    """Count components by size, largest first."""
    sizes = Counter(map(len, components(len(graph), pairs.tolist())))
    largest = sorted(sizes, reverse=True)
    rows = [(f"{size:,}", sizes[size]) for size in largest[: _MOST_BARS - 1]]
    rest = sum(sizes[size] for size in largest[_MOST_BARS - 1 :])
    return [*rows, ("smaller", rest)] if rest else rows


def _hubs(graph: Graph, degrees: Numbers) -> list[tuple[str, int]]:
    """Return the nodes of highest degree; ties in node order."""
    highest = np.argsort(-degrees, kind="stable")[:_MOST_BARS]
    return [(label(graph.names[node]).lines[0], int(degrees[node])) for node in highest.tolist()]


def _text(x: float, y: float, text: str, style: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" style="{style}">{escape(text, quote=False)}</text>'
