"""Graph drawings as files, also with the differences to a true graph."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TypeAlias

import numpy as np

from dagathlon.errors import GraphError, listing, not_written
from dagathlon.graphs.drawing.arrange import LayoutName
from dagathlon.graphs.drawing.labels import text_width
from dagathlon.graphs.drawing.svg import to_svg
from dagathlon.graphs.formats.dot import write_dot
from dagathlon.graphs.graph import EdgeArrays, Graph
from dagathlon.graphs.marks import Mark

Pair: TypeAlias = tuple[str, str]

PICTURES = (".svg", ".png", ".pdf", ".dot", ".gv")
# Two pixels for each unit are sharp on paper and on fine screens.
_SCALE = 2.0
_MOST_PIXELS = 20_000
_SIZE = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)" width="[\d.]+" height="[\d.]+"')
_INK = {False: "#1a1d21", True: "#e6e8eb"}
_PAPER = {False: "#ffffff", True: "#16181c"}
_KEY_HEIGHT, _KEY_LINE = 34.0, 26.0
_KEY = {
    "correct": "right",
    "reversed": "direction differs",
    "wrong": "not in the truth",
    "missing": "missed",
}
_DOT_LOOKS: Mapping[str, Mapping[str, str]] = {
    "correct": {},
    "reversed": {"color": "#9b5fd0", "style": "dotted"},
    "missing": {"color": "#2b7fc9", "style": "dashed"},
    "wrong": {"color": "#dd4b26", "penwidth": "2"},
}


def draw(
    graph: Graph,
    path: str | os.PathLike[str],
    *,
    truth: Graph | None = None,
    layout: LayoutName = "auto",
    width: float | None = None,
    dark: bool | None = None,
    latents: Collection[str] = (),
) -> None:
    """Draw a graph to a file.

    Parameters
    ----------
    graph
        The graph.
    path
        The file; its ending chooses between ``.svg``, ``.png``, ``.pdf`` and ``.dot`` (Graphviz).
    truth
        A graph to compare with, over the same nodes: edges are coloured by whether they are right,
        and those that the graph misses are drawn too.
    layout
        ``"layered"`` (arrows point down), ``"stress"`` (distances as in the graph) or ``"grid"``;
        by default layers where there are directions, and of more than 2,000 nodes an overview:
        degrees, connected parts, hubs.
    width
        Width in pixels; by default fitted to the drawing.
    dark
        Whether the paper is dark. By default it is white, and an SVG has none: it follows the
        reader's light or dark scheme.
    latents
        Nodes that are drawn as ellipses, as latent variables are (not in Graphviz files).
    """
    file = Path(path)
    ending = file.suffix.lower()
    if ending not in PICTURES:
        raise GraphError(f"{file}: a drawing ends in one of {listing(PICTURES)}")
    if width is not None and not 1 <= width <= _MOST_PIXELS:
        raise GraphError(f"a width is from 1 to {_MOST_PIXELS} pixels, found {width:g}")
    shown, classes = (graph, {}) if truth is None else marked_differences(graph, truth)
    if ending in (".dot", ".gv"):
        looks = {frozenset(pair): _DOT_LOOKS[edge_class] for pair, edge_class in classes.items()}
        content = write_dot(shown, looks).encode()
    else:
        paper = dark if ending == ".svg" or dark is not None else False
        content = _converted(_drawing(shown, classes, layout, paper, latents), ending, width)
    try:
        file.write_bytes(content)
    except OSError as error:
        raise GraphError(not_written(file, error)) from None


def marked_differences(graph: Graph, truth: Graph) -> tuple[Graph, Mapping[Pair, str]]:
    """Add the true edges that a graph misses, and classify each edge.

    ``correct``; ``reversed``, which joins the right nodes with other marks; ``wrong``;
    ``missing``.
    """
    if set(graph.names) != set(truth.names):
        odd = sorted(set(graph.names) ^ set(truth.names))
        raise GraphError(f"the graph and the truth have different nodes: {listing(odd)}")
    found, true = graph.native, truth.subgraph(graph.names).native
    pairs = found.joined_pairs(true)
    ends, wanted = found.marks_of_pairs(pairs), true.marks_of_pairs(pairs)
    learned = ends[:, :1] != Mark.NONE
    together = EdgeArrays(pairs, np.where(learned, ends, wanted))
    classes: dict[Pair, str] = {}
    for (i, j), mine, theirs in zip(pairs.tolist(), ends.tolist(), wanted.tolist(), strict=True):
        kind = "correct" if mine == theirs else "reversed" if theirs[0] else "wrong"
        classes[graph.names[i], graph.names[j]] = kind if mine[0] else "missing"
    return Graph.from_edge_arrays(graph.names, together), classes


def _drawing(
    graph: Graph,
    classes: Mapping[Pair, str],
    layout: LayoutName,
    dark: bool | None,
    latents: Collection[str],
) -> str:
    """Render the graph as SVG, with its background and a legend of edge classes where needed."""
    ink = None if dark is None else _INK[dark]
    inner = to_svg(graph, classes, layout=layout, ink=ink, latents=latents)
    if not classes and dark is None:
        return inner
    width, height = _size(inner)
    key, key_width = _key(classes)
    full = (max(width, key_width), height + (_KEY_HEIGHT if key else 0.0))
    paper = "" if dark is None else f'<rect width="100%" height="100%" fill="{_PAPER[dark]}"/>'
    colour = "" if ink is None else f' color="{ink}"'
    size = f'viewBox="0 0 {full[0]:g} {full[1]:g}" width="{full[0]:g}" height="{full[1]:g}"'
    placed = inner.replace("<svg ", f'<svg x="{(full[0] - width) / 2:g}" y="0" ', 1)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="dagathlon-graph" {size}{colour}>{paper}'
        f'{placed}<g transform="translate(0 {height:g})">{key}</g></svg>'
    )


def _key(classes: Mapping[Pair, str]) -> tuple[str, float]:
    """Render the legend of edge colours with their numbers of edges; return it with its width."""
    counts = Counter(classes.values())
    parts, x = [], 16.0
    for name, words in _KEY.items():
        if classes:
            text = f"{words}: {counts[name]}"
            parts.append(
                f'<g class="edge {name}"><path class="line" d="M{x:g} 12 h{_KEY_LINE:g}"/></g>'
                f'<text x="{x + _KEY_LINE + 6:g}" y="16" style="text-anchor:start">{text}</text>'
            )
            x += _KEY_LINE + 6 + text_width(text) + 14
    return "".join(parts), x


def _size(svg: str) -> tuple[float, float]:
    match = _SIZE.search(svg)
    assert match is not None
    return float(match[1]), float(match[2])


def _converted(svg: str, ending: str, width: float | None) -> bytes:
    own_width, height = _size(svg)
    if ending == ".svg":
        if width is not None:
            size = f'width="{width:g}" height="{height * width / own_width:g}"'
            svg = re.sub(r'width="[\d.]+" height="[\d.]+"', size, svg, count=1)
        return svg.encode()
    import vl_convert  # noqa: PLC0415 - only when a picture is made

    scale = _SCALE if width is None else width / own_width
    scale = min(scale, _MOST_PIXELS / max(own_width, height))
    if ending == ".pdf":
        return bytes(vl_convert.svg_to_pdf(svg, scale=1.0 if width is None else scale))
    return bytes(vl_convert.svg_to_png(svg, scale=scale))
