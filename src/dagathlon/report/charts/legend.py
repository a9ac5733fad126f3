"""Drawings of graphs for the page: as large as there is room, with a key below."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

from dagathlon.graphs.drawing.labels import text_width

_SIZE = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)" width="[\d.]+" height="[\d.]+" style="[^"]*"')
_LEAST_WIDTH = 580.0
_SAMPLE, _ROW, _GAP, _MARGIN = 34.0, 22.0, 22.0, 12.0
# Small graphs are drawn larger than life, but not so large that letters look like a headline.
_LARGEST = 1.6
_ROOM = 1100.0
_READABLE = 560.0


class Key(NamedTuple):
    """One line of a key: what a line of that look means."""

    words: str
    colour: str
    width: float
    dashed: bool = False


def enlarged(svg: str) -> str:
    """The drawing without a size of its own, so that it fills what it stands in."""
    return _SIZE.sub(r'viewBox="0 0 \1 \2"', svg, count=1)


def with_legend(svg: str, keys: Sequence[Key]) -> str:
    """A drawing that `enlarged` has made, above the lines of its key.

    Parameters
    ----------
    svg
        The drawing.
    keys
        What is explained, from left to right.

    Returns
    -------
    str
        An SVG element that grows with the page, and that a narrow page scrolls rather than
        shrinking it until nobody can read it.
    """
    found = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    size = (float(found[1]), float(found[2])) if found else (0.0, 0.0)
    width = max(size[0], _LEAST_WIDTH)
    lines, rows = _lines(keys, width)
    height = size[1] + _ROW * rows + _MARGIN
    inner = svg.replace(
        "<svg ", f'<svg x="{(width - size[0]) / 2:g}" width="{size[0]:g}" height="{size[1]:g}" ', 1
    )
    scale = min(_LARGEST, max(_ROOM / width, 1.0))
    style = (
        f"width:100%;max-width:{width * scale:.0f}px;min-width:{min(width, _READABLE):.0f}px;"
        "height:auto"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="dagathlon-graph" '
        f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" '
        f'style="{style}">{inner}<g transform="translate(0 {size[1] + _MARGIN / 2:g})">'
        f"{''.join(lines)}</g></svg>"
    )


def _lines(keys: Sequence[Key], width: float) -> tuple[list[str], int]:
    """The lines of a key in rows, and the number of rows."""
    x, row, parts = _MARGIN, 0, []
    for key in keys:
        needed = _SAMPLE + 8 + text_width(key.words)
        if x > _MARGIN and x + needed > width - _MARGIN:
            x, row = _MARGIN, row + 1
        parts.append(_line(key, x, row * _ROW + _ROW / 2))
        x += needed + _GAP
    return parts, row + 1 if keys else 0


def _line(key: Key, x: float, y: float) -> str:
    dashes = ' stroke-dasharray="7 5"' if key.dashed else ""
    return (
        f'<path d="M{x:g} {y:g} h{_SAMPLE:g}" stroke="{key.colour}" fill="none" '
        f'stroke-width="{key.width:g}"{dashes}/>'
        f'<text x="{x + _SAMPLE + 8:g}" y="{y + 4:g}" style="text-anchor:start">'
        f"{escape(key.words)}</text>"
    )
