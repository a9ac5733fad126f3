"""How time grows with the size of a problem: fitted powers, drawn on logarithmic axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np


class Point(NamedTuple):
    """One measured size; points with the same `axis` and `learner` are one line."""

    axis: str
    learner: str
    size: int
    seconds: float
    mebibytes: float


def exponent(points: Sequence[Point]) -> float | None:
    """The power of the size with which the time grows, by least squares of the logarithms.

    None where there are fewer than two sizes.
    """
    sizes = [point.size for point in points]
    if len(set(sizes)) < 2:
        return None
    seconds = [max(point.seconds, 1e-6) for point in points]
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def lines(points: Sequence[Point]) -> dict[tuple[str, str], list[Point]]:
    """The points of each axis and learner, in the order in which these come."""
    found: dict[tuple[str, str], list[Point]] = {}
    for point in points:
        found.setdefault((point.axis, point.learner), []).append(point)
    return found


def chart(points: Sequence[Point]) -> dict[str, Any]:
    """Time above memory for each axis; a name has the fitted power of its line behind it."""
    axes = list(dict.fromkeys(point.axis for point in points))
    return {
        "hconcat": [
            {"vconcat": [_panel(points, axis, "seconds"), _panel(points, axis, "mebibytes")]}
            for axis in axes
        ]
    }


def _panel(points: Sequence[Point], axis: str, field: str) -> dict[str, Any]:
    titles = {"seconds": "CPU seconds", "mebibytes": "memory of the search (MiB)"}
    values = [
        {"size": point.size, field: max(getattr(point, field), 1e-3), "line": _name(mine)}
        for (of, _), mine in lines(points).items()
        if of == axis
        for point in mine
    ]
    return {
        "data": {"values": values},
        "mark": {"type": "line", "point": True},
        "width": 320,
        "height": 260,
        "encoding": {
            "x": _logarithmic("size", axis),
            "y": _logarithmic(field, titles[field]),
            "color": {"field": "line", "type": "nominal", "title": None},
        },
    }


def _name(mine: Sequence[Point]) -> str:
    power = exponent(mine)
    return mine[0].learner if power is None else f"{mine[0].learner}: power {power:.1f}"


def _logarithmic(field: str, title: str) -> dict[str, Any]:
    return {"field": field, "type": "quantitative", "scale": {"type": "log"}, "title": title}
