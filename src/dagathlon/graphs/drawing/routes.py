"""Curves of edges in a layered layout: smooth, passing between the nodes of the rows."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

from dagathlon.graphs.drawing.layout import Curve, Point

# How far a curve may lean sideways while it passes a row: less than the gap beside it.
_MAX_LEAN = 10.0


class Stop(NamedTuple):
    """Crossing of an edge with a row: centre `x`, and the row's `top` and `bottom`."""

    x: float
    top: float
    bottom: float


def curve_through(stops: list[Stop]) -> Curve:
    """Return a smooth curve that is vertical at its ends and straight within each row."""
    slopes = [0.0, *_slopes(stops), 0.0]
    points = [_passage(stop, slope) for stop, slope in zip(stops, slopes, strict=True)]
    curve = [points[0][0]]
    for number, ((_, bottom), (top, _)) in enumerate(pairwise(points)):
        if curve[-1] != bottom:
            curve += _straight(curve[-1], bottom)
        half = (top.y - bottom.y) / 2
        curve += [
            Point(bottom.x + slopes[number] * half, bottom.y + half),
            Point(top.x - slopes[number + 1] * half, top.y - half),
            top,
        ]
    if curve[-1] != points[-1][1]:
        curve += _straight(curve[-1], points[-1][1])
    return tuple(curve)


def _slopes(stops: list[Stop]) -> list[float]:
    """Return dx/dy at each inner stop: the smaller slope of the two sides.

    The smaller one keeps a curve from overshooting its next stop; where it turns back, the
    curve is vertical.
    """
    sides = [
        (b.x - a.x) / ((b.top + b.bottom) / 2 - (a.top + a.bottom) / 2) for a, b in pairwise(stops)
    ]
    slopes = []
    for stop, (before, after) in zip(stops[1:], pairwise(sides), strict=False):
        limit = _MAX_LEAN / max((stop.bottom - stop.top) / 2, 1.0)
        size = 0.0 if before * after <= 0 else min(abs(before), abs(after), limit)
        slopes.append(math.copysign(size, before))
    return slopes


def _passage(stop: Stop, slope: float) -> tuple[Point, Point]:
    lean = slope * (stop.bottom - stop.top) / 2
    return Point(stop.x - lean, stop.top), Point(stop.x + lean, stop.bottom)


def _straight(a: Point, b: Point) -> list[Point]:
    third = Point(a.x + (b.x - a.x) / 3, a.y + (b.y - a.y) / 3)
    return [third, Point(b.x - (b.x - a.x) / 3, b.y - (b.y - a.y) / 3), b]
