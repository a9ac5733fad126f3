"""Drawings of graphs in looks of their own: as large as there is room, with a key."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from dagathlon.graphs.drawing.labels import text_width

_SIZE = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)" width="[\d.]+" height="[\d.]+" style="[^"]*"')
_LEAST_WIDTH = 580.0
_SAMPLE, _ROW, _GAP, _MARGIN = 34.0, 22.0, 22.0, 12.0
# Small graphs are drawn larger than life, but not so large that letters look like a headline; large
# ones shrink on a narrow page until letters are small, and are scrolled from there on.
_LARGEST, _SMALLEST = 1.7, 0.72
_TALL = 620.0


class Key(NamedTuple):
    """Line of a key: a line style and its meaning."""

    words: str
    colour: str
    width: float
    dashed: bool = False


class Keyed(NamedTuple):
    """Drawing with its key.

    Parameters
    ----------
    svg
        What `to_svg` gives.
    keys
        What is explained.
    """

    svg: str
    keys: Sequence[Key]

    def for_page(self) -> str:
        """Return HTML of the drawing above its key, which wraps on narrow screens."""
        width, height = _size(self.svg)
        grown = max(1.0, min(_LARGEST, _TALL / height))
        style = (
            f"width:100%;max-width:{width * grown:.0f}px;min-width:{width * _SMALLEST:.0f}px;"
            "height:auto"
        )
        svg = _SIZE.sub(rf'viewBox="0 0 \1 \2" style="{style}"', self.svg, count=1)
        samples = "".join(
            f'<span><svg width="{_SAMPLE:g}" height="12" aria-hidden="true">'
            f"{_line(key, 0, 6)}</svg> {escape(key.words, quote=False)}</span>"
            for key in self.keys
        )
        return f'{svg}<p class="key">{samples}</p>' if samples else svg

    def for_file(self) -> str:
        """Return one SVG element of the drawing with the key below."""
        width, height = _size(self.svg)
        room = max(width, _LEAST_WIDTH)
        lines, rows = _placed(self.keys, room)
        inner = _SIZE.sub(
            rf'viewBox="0 0 \1 \2" x="{(room - width) / 2:g}" width="\1" height="\2"',
            self.svg,
            count=1,
        )
        total = height + _ROW * rows + _MARGIN
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="dagathlon-graph" '
            f'viewBox="0 0 {room:g} {total:g}" width="{room:g}" height="{total:g}">{inner}'
            f'<g transform="translate(0 {height + _MARGIN / 2:g})">{"".join(lines)}</g></svg>'
        )


def _size(svg: str) -> tuple[float, float]:
    match = _SIZE.search(svg)
    return (max(float(match[1]), 1.0), max(float(match[2]), 1.0)) if match else (1.0, 1.0)


def _placed(keys: Sequence[Key], width: float) -> tuple[list[str], int]:
    """Arrange the lines of a key in rows; return them with the number of rows."""
    x, row, parts = _MARGIN, 0, list[str]()
    for key in keys:
        needed = _SAMPLE + 8 + text_width(key.words)
        if x > _MARGIN and x + needed > width - _MARGIN:
            x, row = _MARGIN, row + 1
        y = row * _ROW + _ROW / 2
        words = f'<text x="{x + _SAMPLE + 8:g}" y="{y + 4:g}" style="text-anchor:start">'
        parts.append(f"{_line(key, x, y)}{words}{escape(key.words, quote=False)}</text>")
        x += needed + _GAP
    return parts, row + 1 if keys else 0


def _line(key: Key, x: float, y: float) -> str:
    dashes = ' stroke-dasharray="7 5"' if key.dashed else ""
    return (
        f'<path d="M{x:g} {y:g} h{_SAMPLE:g}" stroke="{key.colour}" fill="none" '
        f'stroke-width="{key.width:g}"{dashes}/>'
    )
