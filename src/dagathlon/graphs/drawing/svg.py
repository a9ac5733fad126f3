"""Drawings of graphs as SVG."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from html import escape
from typing import NamedTuple

from dagathlon.errors import GraphError, unknown
from dagathlon.graphs.drawing.arrange import LayoutName, arrange
from dagathlon.graphs.drawing.labels import FONT_SIZE, LINE_HEIGHT, Label, label
from dagathlon.graphs.drawing.layout import Box, Curve, Layout, Point
from dagathlon.graphs.drawing.overview import MOST_DRAWN, bars_svg, overview
from dagathlon.graphs.graph import Graph
from dagathlon.graphs.marks import Mark, connector
from dagathlon.wording import counted

HIGHLIGHTS = ("correct", "reversed", "missing", "wrong")

_MARGIN = 12.0
_ARROW_LENGTH, _ARROW_WIDTH = 9.0, 7.0
_CIRCLE_RADIUS = 3.5
# Arrows that are less opaque are left out.
_FAINTEST = 0.05
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# Ink is the colour of the text around the drawing; as a file of its own the drawing follows the
# reader's light or dark scheme. Blue and vermilion differ to colour-blind eyes and are readable on
# both; missing edges are dashed and wrong ones thick besides, reversed ones purple and dotted.
_SCHEMES = """\
svg:root.dagathlon-graph { color: #1a1d21 }
@media (prefers-color-scheme: dark) { svg:root.dagathlon-graph { color: #e6e8eb } }
"""
_STYLE = f"""\
.dagathlon-graph text {{ font: {FONT_SIZE:g}px Helvetica, Arial, sans-serif; fill: currentColor; \
text-anchor: middle }}
.dagathlon-graph .node rect {{ fill: #4c8fd6; fill-opacity: .13; stroke: currentColor; \
stroke-opacity: .55 }}
.dagathlon-graph .latent ellipse {{ fill: #e8a33d; fill-opacity: .2; stroke: currentColor; \
stroke-opacity: .7 }}
.dagathlon-graph .edge {{ fill: none; stroke: currentColor; stroke-opacity: .8; \
stroke-width: 1.2; stroke-linecap: round }}
.dagathlon-graph .edge .arrow {{ fill: currentColor; fill-opacity: .8; stroke: none }}
.dagathlon-graph .styled .arrow {{ fill-opacity: 1 }}
.dagathlon-graph .weight {{ font-size: {FONT_SIZE * 0.75:g}px; paint-order: stroke; \
stroke: #ffffff; stroke-opacity: .85; stroke-width: 3px }}
.dagathlon-graph .correct {{ stroke-opacity: 1; stroke-width: 1.6 }}
.dagathlon-graph .correct .arrow {{ fill-opacity: 1 }}
.dagathlon-graph .missing {{ stroke: #2b7fc9; stroke-opacity: 1; stroke-width: 1.6 }}
.dagathlon-graph .missing .line {{ stroke-dasharray: 6 4 }}
.dagathlon-graph .missing .arrow {{ fill: #2b7fc9; fill-opacity: 1 }}
.dagathlon-graph .reversed {{ stroke: #9b5fd0; stroke-opacity: 1; stroke-width: 2 }}
.dagathlon-graph .reversed .line {{ stroke-dasharray: 1.5 4 }}
.dagathlon-graph .reversed .arrow {{ fill: #9b5fd0; fill-opacity: 1 }}
.dagathlon-graph .wrong {{ stroke: #dd4b26; stroke-opacity: 1; stroke-width: 2.2 }}
.dagathlon-graph .wrong .arrow {{ fill: #dd4b26; fill-opacity: 1 }}
"""


class EdgeStyle(NamedTuple):
    """Style of one edge.

    Parameters
    ----------
    colour
        A colour of CSS; ``currentColor`` is that of the text around the drawing.
    width
        Thickness of the line in pixels; arrows grow with it.
    opacity
        From 0 to 1.
    dashed
        Whether the line is dashed.
    words
        Tooltip of the edge.
    heads
        In place of the marks of the graph: how opaque an arrow is at the first and at the second
        of the two names, from 0 to 1.
    """

    colour: str = "currentColor"
    width: float = 1.2
    opacity: float = 1.0
    dashed: bool = False
    words: str = ""
    heads: tuple[float, float] | None = None


def to_svg(
    graph: Graph,
    highlight: Mapping[tuple[str, str], str] | None = None,
    width: float | None = None,
    weights: Mapping[tuple[str, str], float] | None = None,
    styles: Mapping[tuple[str, str], EdgeStyle] | None = None,
    *,
    layout: LayoutName = "auto",
    ink: str | None = None,
    latents: Collection[str] = (),
) -> str:
    """Draw a graph as SVG text.

    Graphs with directions are drawn in layers from top to bottom, others so that distances on
    paper follow distances in the graph. The same graph always gives the same text. For more
    than 2,000 nodes the result is an overview instead, unless a layout is named: the
    distribution of degrees, the sizes of connected components, and the nodes with most edges.

    Parameters
    ----------
    graph
        The graph.
    highlight
        Class of an edge by its two names, in either order: ``"correct"`` (black), ``"reversed"``
        (purple, dotted), ``"missing"`` (blue, dashed) or ``"wrong"`` (red).
    width
        Width in pixels; by default fitted to the drawing, shrunk to the page.
    weights
        A number from 0 to 1 for an edge by its two names, in either order: the edge is as thick as
        the number is large, and carries it.
    styles
        How an edge is drawn, by its two names in either order, in place of the usual look.
    layout
        ``"layered"``, ``"stress"`` or ``"grid"``; by default chosen by the graph.
    ink
        Colour of lines and letters; by default that of the text around, or of the reader's light or
        dark scheme.
    latents
        Nodes that are drawn as ellipses rather than boxes, as latent variables are.

    Returns
    -------
    str
        A self-contained ``<svg>`` element that fits light and dark pages.
    """
    if layout == "auto" and len(graph) > MOST_DRAWN:
        return _overview(graph, width, ink)
    labels = [label(name) for name in graph.names]
    placed = arrange(graph, labels, layout).translated(_MARGIN, _MARGIN)
    edges = _edges(graph, placed, highlight or {}, weights or {}, styles or {})
    nodes = [
        _node(name, labels[node], placed.boxes[node], name in latents)
        for node, name in enumerate(graph.names)
    ]
    size = (placed.width + 2 * _MARGIN, placed.height + 2 * _MARGIN)
    return "\n".join([_opening(size, width), *_description(graph, ink), *edges, *nodes, "</svg>"])


def _edges(
    graph: Graph,
    placed: Layout,
    highlight: Mapping[tuple[str, str], str],
    weights: Mapping[tuple[str, str], float],
    styles: Mapping[tuple[str, str], EdgeStyle],
) -> list[str]:
    """Return the edges as SVG elements; a pair with a style of its own has that."""
    classes = _edge_classes(graph, highlight)
    numbers = {frozenset(graph.positions(pair)): w for pair, w in weights.items()}
    given: dict[tuple[int, int], EdgeStyle] = {}
    for (left, right), style in styles.items():
        i, j = graph.position(left), graph.position(right)
        given |= {(i, j): style, (j, i): _turned(style)}
    return [
        _styled_edge(graph, pair, curve, given[pair])
        if pair in given
        else _edge(
            graph, pair, curve, classes.get(frozenset(pair), ""), numbers.get(frozenset(pair))
        )
        for pair, curve in sorted(placed.curves.items())
    ]


def _overview(graph: Graph, width: float | None, ink: str | None) -> str:
    """Render the overview in place of a drawing that would be too dense to read."""
    elements, (wide, high) = bars_svg(overview(graph))
    size = (wide + 2 * _MARGIN, high + 2 * _MARGIN)
    group = f'<g transform="translate({_MARGIN:g} {_MARGIN:g})">'
    opening, described = _opening(size, width), _description(graph, ink)
    return "\n".join([opening, *described, group, *elements, "</g>", "</svg>"])


def _turned(style: EdgeStyle) -> EdgeStyle:
    """Return the style with its ends exchanged, for the edge named from its other end."""
    return style if style.heads is None else style._replace(heads=style.heads[::-1])


def _opening(size: tuple[float, float], width: float | None) -> str:
    shown = size[0] if width is None else width
    height = shown * size[1] / size[0]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="dagathlon-graph" role="img" '
        f'viewBox="0 0 {_number(size[0])} {_number(size[1])}" width="{_number(shown)}" '
        f'height="{_number(height)}" style="max-width:100%;height:auto">'
    )


def _description(graph: Graph, ink: str | None) -> list[str]:
    edges = "; ".join(str(edge) for edge in graph.edges()[:200]) or "none"
    counts = f"{counted(len(graph), 'node')} and {counted(graph.n_edges, 'edge')}"
    scheme = _SCHEMES if ink is None else f".dagathlon-graph {{ color: {ink} }}\n"
    return [
        f"<title>Graph of {counts}</title>",
        f"<desc>Edges: {_text(edges)}</desc>",
        f"<style>\n{scheme}{_STYLE}</style>",
    ]


def _edge_classes(
    graph: Graph, highlight: Mapping[tuple[str, str], str]
) -> dict[frozenset[int], str]:
    classes: dict[frozenset[int], str] = {}
    for (left, right), name in highlight.items():
        i, j = graph.position(left), graph.position(right)
        if name not in HIGHLIGHTS:
            raise GraphError(unknown("highlight", name, HIGHLIGHTS))
        if not graph.marks[i, j]:
            raise GraphError(f"highlight: no edge joins {left!r} and {right!r}")
        classes[frozenset((i, j))] = name
    return classes


def _node(name: str, shown: Label, box: Box, latent: bool) -> str:
    left, top = box.x - box.width / 2, box.y - box.height / 2
    first = box.y - (len(shown.lines) - 1) * LINE_HEIGHT / 2 + FONT_SIZE * 0.35
    texts = "".join(
        f'<text x="{_number(box.x)}" y="{_number(first + i * LINE_HEIGHT)}">{_text(line)}</text>'
        for i, line in enumerate(shown.lines)
    )
    shape = (
        f'<rect x="{_number(left)}" y="{_number(top)}" width="{_number(box.width)}" '
        f'height="{_number(box.height)}" rx="7"/>'
    )
    if latent:
        shape = (
            f'<ellipse cx="{_number(box.x)}" cy="{_number(box.y)}" rx="{_number(box.width / 2)}" '
            f'ry="{_number(box.height / 2)}"/>'
        )
    kind = "node latent" if latent else "node"
    return f'<g class="{kind}"><title>{_text(name)}</title>{shape}{texts}</g>'


def _edge(
    graph: Graph, pair: tuple[int, int], curve: Curve, highlight: str, weight: float | None
) -> str:
    i, j = pair
    at_i, at_j = Mark(int(graph.marks[j, i])), Mark(int(graph.marks[i, j]))
    ends = [(curve, at_i), (curve[::-1], at_j)]
    shapes = "".join(_end_mark(path, mark) for path, mark in ends)
    line = (_shortened(curve[::-1], at_j))[::-1]
    line = _shortened(line, at_i)
    written = f"{graph.names[i]} {connector(at_i, at_j)} {graph.names[j]}"
    style = "" if weight is None else f' style="stroke-width:{_number(0.6 + 4 * weight)}"'
    return (
        f'<g class="{f"edge {highlight}".strip()}"{style}><title>{_text(written)}</title>'
        f'<path class="line" d="{_path(line)}"/>{shapes}</g>'
        f"{_weight_label(curve, weight)}"
    )


def _styled_edge(graph: Graph, pair: tuple[int, int], curve: Curve, style: EdgeStyle) -> str:
    """Render an edge with its own style, with a wide invisible line for the pointer's tooltip."""
    i, j = pair
    at_i, at_j = Mark(int(graph.marks[j, i])), Mark(int(graph.marks[i, j]))
    if style.heads is not None:
        at_i, at_j = (Mark.ARROW if head >= _FAINTEST else Mark.TAIL for head in style.heads)
    scale = max(1.0, 0.7 + style.width / 4)
    shapes = [_end_mark(curve, at_i, scale), _end_mark(curve[::-1], at_j, scale)]
    if style.heads is not None:
        pairs = zip(shapes, style.heads, strict=True)
        shapes = [f'<g opacity="{head:.2f}">{shape}</g>' for shape, head in pairs if shape]
    line = _shortened(_shortened(curve[::-1], at_j, scale)[::-1], at_i, scale)
    written = f"{graph.names[i]} {connector(at_i, at_j)} {graph.names[j]}"
    look = f"stroke:{style.colour};stroke-width:{_number(style.width)};stroke-opacity:1"
    dashes = ' stroke-dasharray="7 5"' if style.dashed else ""
    return (
        f'<g class="edge styled" style="{look};opacity:{style.opacity:.2f};color:{style.colour}">'
        f"<title>{_text(style.words or written)}</title>"
        f'<path d="{_path(curve)}" style="stroke:transparent;stroke-width:14"/>'
        f'<path class="line" d="{_path(line)}"{dashes} stroke-linecap="butt"/>{"".join(shapes)}</g>'
    )


def _weight_label(curve: Curve, weight: float | None) -> str:
    """Render an edge's weight at the middle of its curve."""
    if weight is None:
        return ""
    at = len(curve) // 2
    x, y = ((curve[at - 1].x + curve[at].x) / 2, (curve[at - 1].y + curve[at].y) / 2)
    return f'<text class="weight" x="{_number(x)}" y="{_number(y + 3)}">{weight:.2f}</text>'


def _end_mark(curve: Curve, mark: Mark, scale: float = 1.0) -> str:
    """Render the mark at the start of a curve; a tail has no shape."""
    tip = curve[0]
    dx, dy = _direction(curve)
    if mark == Mark.CIRCLE:
        radius = _CIRCLE_RADIUS * scale
        x, y = tip.x + dx * radius, tip.y + dy * radius
        return f'<circle cx="{_number(x)}" cy="{_number(y)}" r="{_number(radius)}"/>'
    if mark == Mark.ARROW:
        x, y = tip.x + dx * _ARROW_LENGTH * scale, tip.y + dy * _ARROW_LENGTH * scale
        half = _ARROW_WIDTH * scale / 2
        corners = (tip, Point(x - dy * half, y + dx * half), Point(x + dy * half, y - dx * half))
        points = " ".join(f"{_number(point.x)},{_number(point.y)}" for point in corners)
        return f'<polygon class="arrow" points="{points}"/>'
    return ""


def _shortened(curve: Curve, mark: Mark, scale: float = 1.0) -> Curve:
    """Shorten the curve at its start to make room for the mark."""
    room = {Mark.ARROW: _ARROW_LENGTH * scale - 1, Mark.CIRCLE: 2 * _CIRCLE_RADIUS * scale}.get(
        mark, 0.0
    )
    dx, dy = _direction(curve)
    return (Point(curve[0].x + dx * room, curve[0].y + dy * room), *curve[1:])


def _direction(curve: Curve) -> tuple[float, float]:
    """Return the unit vector of a curve's initial direction."""
    start = curve[0]
    for point in curve[1:]:
        dx, dy = point.x - start.x, point.y - start.y
        length = math.hypot(dx, dy)
        if length > 1e-6:
            return dx / length, dy / length
    return 0.0, 1.0


def _path(curve: Curve) -> str:
    numbers = [f"{_number(point.x)} {_number(point.y)}" for point in curve]
    return f"M{numbers[0]} C" + " ".join(numbers[1:])


def _number(value: float) -> str:
    return (
        f"{value:.1f}".removesuffix(".0").replace("-0", "0")
        if abs(value) < 0.05
        else (f"{value:.1f}".removesuffix(".0"))
    )


def _text(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", text), quote=False)
