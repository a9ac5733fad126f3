"""How time grows with the size of a problem: fitted powers, drawn on logarithmic axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dagathlon.report.figures.palette import PALETTE


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
    """Time above memory for each axis; a learner has one colour, and its powers behind its name."""
    axes = list(dict.fromkeys(point.axis for point in points))
    names = _names(points)
    return {
        "hconcat": [
            {"vconcat": [_panel(points, axis, field, names) for field in _TITLES]} for axis in axes
        ]
    }


_TITLES = {"seconds": "CPU seconds", "mebibytes": "memory of the search (MiB)"}


def _panel(points: Sequence[Point], axis: str, field: str, names: dict[str, str]) -> dict[str, Any]:
    values = [
        {"size": point.size, field: max(getattr(point, field), 1e-3), "line": names[point.learner]}
        for point in points
        if point.axis == axis
    ]
    return {
        "data": {"values": values},
        "mark": {"type": "line", "point": True},
        "width": 320,
        "height": 260,
        "encoding": {
            "x": _logarithmic("size", axis),
            "y": _logarithmic(field, _TITLES[field]),
            "color": {
                "field": "line",
                "type": "nominal",
                "title": "power of each axis",
                "scale": {"domain": list(names.values()), "range": list(PALETTE)},
                "legend": {"labelLimit": 250},
            },
        },
    }


def _names(points: Sequence[Point]) -> dict[str, str]:
    """Each learner with the fitted powers of its lines, in the order of the axes."""
    powers: dict[str, list[str]] = {}
    for (_, learner), mine in lines(points).items():
        power = exponent(mine)
        powers.setdefault(learner, []).extend([] if power is None else [f"{power:.1f}"])
    return {learner: f"{learner}: {', '.join(found)}" for learner, found in powers.items()}


def _logarithmic(field: str, title: str) -> dict[str, Any]:
    return {"field": field, "type": "quantitative", "scale": {"type": "log"}, "title": title}
