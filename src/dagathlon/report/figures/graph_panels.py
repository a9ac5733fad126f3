"""Drawings of graphs side by side, with captions, and graphs against the truth."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from typing import NamedTuple

from dagathlon.evaluate.graphs.counts import on_shared_nodes
from dagathlon.graphs import Graph, to_svg
from dagathlon.graphs.drawing.picture import marked_differences
from dagathlon.wording import counted

# Many runs of a study learn the same graph.
_REMEMBERED = 256
_GAP, _CAPTION, _TEXT, _LETTER = 24.0, 26.0, 13.0, 6.8
_SIZE = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')
_KEY = (
    ("correct", "#1a1d21"),
    ("missing", "#2b7fc9"),
    ("wrong", "#dd4b26"),
)


class Panel(NamedTuple):
    """Drawing with its caption."""

    caption: str
    svg: str


def side_by_side(panels: Sequence[Panel], key: bool = False) -> str:
    """Combine several drawings into one on white, each under its caption.

    Parameters
    ----------
    panels
        The drawings, from left to right.
    key
        Whether the colours of a comparison are explained below.
    """
    sizes = [_size(panel) for panel in panels]
    width = sum(size[0] for size in sizes) + _GAP * (len(panels) + 1)
    height = max(size[1] for size in sizes) + _CAPTION + _GAP * 2
    parts, x = [], _GAP
    for panel, (panel_width, _) in zip(panels, sizes, strict=True):
        parts.append(_label(x, _CAPTION - 4, panel.caption, "#1a1d21"))
        placed = f'<svg x="{x:g}" y="{_CAPTION:g}" '
        parts.append(panel.svg.replace("<svg ", placed, 1))
        x += panel_width + _GAP
    if key:
        for i, (word, colour) in enumerate(_KEY):
            parts.append(_label(_GAP + 80 * i, height - 14, word, colour))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" '
        f'height="{height:g}" color="#1a1d21"><rect width="100%" height="100%" fill="white"/>'
        + "".join(parts)
        + "</svg>"
    )


def _size(panel: Panel) -> tuple[float, float]:
    """Return the size of a panel with its caption."""
    match = _SIZE.search(panel.svg)
    width, height = (float(match[1]), float(match[2])) if match else (0.0, 0.0)
    return max(width, len(panel.caption) * _LETTER), height


def _label(x: float, y: float, text: str, colour: str) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-family="Helvetica, Arial, sans-serif" '
        f'font-size="{_TEXT:g}" fill="{colour}">{escape(text, quote=False)}</text>'
    )


def described(graph: Graph, name: str = "graph") -> str:
    """Return a caption: kind of graph and number of edges."""
    return f"{name}: {graph.kind}, {counted(len(graph), 'node')}, {counted(graph.n_edges, 'edge')}"


@lru_cache(maxsize=_REMEMBERED)
def drawing(graph: Graph, name: str = "graph") -> str:
    """Draw a graph under its caption."""
    return side_by_side([Panel(described(graph, name), to_svg(graph))])


@lru_cache(maxsize=_REMEMBERED)
def comparison(estimate: Graph, truth: Graph) -> str:
    """Draw truth and estimate side by side, with edges coloured by correctness.

    As in Benchpress's drawings, an edge in another direction is a wrong one.
    """
    learned, true = on_shared_nodes(estimate, truth)
    together, differences = marked_differences(learned, true)
    classes = {pair: "wrong" if kind == "reversed" else kind for pair, kind in differences.items()}
    panels = [
        Panel(described(true, "truth"), to_svg(true)),
        Panel(described(learned, "estimate"), to_svg(together, highlight=classes)),
    ]
    return side_by_side(panels, key=True)
