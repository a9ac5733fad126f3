"""A scatter plot of curves as inline SVG."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

Point: TypeAlias = tuple[float, float, str]

# Okabe and Ito's colours, told apart by colour-blind readers; symbols tell them apart in print.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999999")
_SHAPES = (
    "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0",
    "M-4,-4h8v8h-8z",
    "M0,-5L5,4H-5z",
    "M0,-5L5,0L0,5L-5,0z",
)
_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 640.0, 420.0, 60.0, 50.0, 12.0
_PLOT = 420.0


def scatter(series: Mapping[str, Sequence[Point]], x_title: str, y_title: str) -> str:
    """Draw each series as a line through its points, x from 0, y from 0 to 1.

    Parameters
    ----------
    series
        Points (x, y, label) by name.
    x_title, y_title
        What the axes show.
    """
    reach = max((x for points in series.values() for x, _, _ in points), default=1.0)
    limit = max(1.0, math.ceil(reach * 2.1) / 2)
    height = _HEIGHT - _BOTTOM - _TOP

    def place(x: float, y: float) -> tuple[float, float]:
        return _LEFT + x / limit * _PLOT, _TOP + (1 - y) * height

    lines = [
        f'<svg role="img" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" width="100%" '
        f'style="max-width:{_WIDTH:g}px" aria-label="{html.escape(y_title)} against '
        f'{html.escape(x_title)}" font-family="system-ui" font-size="12" fill="currentColor">'
    ]
    for step in range(6):
        x, y = place(limit * step / 5, step / 5)
        lines.append(
            f'<path d="M{x:.1f},{_TOP}V{_TOP + height}M{_LEFT},{y:.1f}H{_LEFT + _PLOT}" '
            'stroke="currentColor" opacity=".15"/>'
            f'<text x="{x:.1f}" y="{_TOP + height + 16}" text-anchor="middle">'
            f"{limit * step / 5:.2g}</text>"
            f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{step / 5:.1f}</text>'
        )
    lines += [
        f'<text x="{_LEFT + _PLOT / 2}" y="{_HEIGHT - 12}" text-anchor="middle">'
        f"{html.escape(x_title)}</text>",
        f'<text transform="translate(16 {_TOP + height / 2}) rotate(-90)" text-anchor="middle">'
        f"{html.escape(y_title)}</text>",
    ]
    for i, (name, points) in enumerate(series.items()):
        colour, shape = COLOURS[i % len(COLOURS)], _SHAPES[i % len(_SHAPES)]
        ends = [place(x, y) for x, y, _ in points]
        path = "L".join(f"{x:.1f},{y:.1f}" for x, y in ends)
        lines.append(f'<path d="M{path}" fill="none" stroke="{colour}" opacity=".5"/>')
        for (x, y), (_, _, label) in zip(ends, points, strict=True):
            lines.append(
                f'<path d="{shape}" transform="translate({x:.1f} {y:.1f})" fill="{colour}">'
                f"<title>{html.escape(label)}</title></path>"
            )
        key = _TOP + 10 + 20 * i
        lines.append(
            f'<path d="{shape}" transform="translate({_LEFT + _PLOT + 20} {key})" '
            f'fill="{colour}"/><text x="{_LEFT + _PLOT + 32}" y="{key + 4}">'
            f"{html.escape(name)}</text>"
        )
    return "".join([*lines, "</svg>"])
