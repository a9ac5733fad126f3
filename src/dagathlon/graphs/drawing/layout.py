"""Layouts: boxes of nodes, and curves of edges that end at them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias


class Point(NamedTuple):
    """Point of a drawing; y grows downwards."""

    x: float
    y: float


class Box(NamedTuple):
    """Rectangle of a node, by its centre and size."""

    x: float
    y: float
    width: float
    height: float

    def translated(self, dx: float, dy: float) -> Box:
        """Return a copy of the box, translated."""
        return self._replace(x=self.x + dx, y=self.y + dy)


# Bézier curves end to end: a start, then two control points and an end for each.
Curve: TypeAlias = tuple[Point, ...]
# Row numbers of the nodes at the two ends of a curve, in its direction.
Pair: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class Layout:
    """Layout: boxes by node and curves by node pair, within ``width`` × ``height`` from (0, 0)."""

    width: float
    height: float
    boxes: dict[int, Box]
    curves: dict[Pair, Curve]

    def translated(self, dx: float, dy: float) -> Layout:
        """Return a copy of the layout, translated."""
        boxes = {node: box.translated(dx, dy) for node, box in self.boxes.items()}
        curves = {
            pair: tuple(Point(point.x + dx, point.y + dy) for point in curve)
            for pair, curve in self.curves.items()
        }
        return replace(self, boxes=boxes, curves=curves)


def at_origin(boxes: dict[int, Box], curves: dict[Pair, Curve]) -> Layout:
    """Return a layout translated so that its upper left corner is at (0, 0)."""
    xs = [x for box in boxes.values() for x in (box.x - box.width / 2, box.x + box.width / 2)]
    ys = [y for box in boxes.values() for y in (box.y - box.height / 2, box.y + box.height / 2)]
    xs += [point.x for curve in curves.values() for point in curve]
    ys += [point.y for curve in curves.values() for point in curve]
    left, top = min(xs, default=0.0), min(ys, default=0.0)
    width, height = max(xs, default=0.0) - left, max(ys, default=0.0) - top
    return Layout(width, height, boxes, curves).translated(-left, -top)


def side_by_side(parts: Sequence[Layout], gap: float, aspect: float) -> Layout:
    """Arrange layouts in rows, tallest first, with an aspect ratio of about `aspect`."""
    area = sum((part.width + gap) * (part.height + gap) for part in parts)
    limit = max([(area * aspect) ** 0.5, *(part.width for part in parts)], default=0.0)
    boxes: dict[int, Box] = {}
    curves: dict[Pair, Curve] = {}
    x = y = row_height = 0.0
    for part in sorted(parts, key=lambda part: -part.height):
        if x and x + part.width > limit:
            x, y, row_height = 0.0, y + row_height + gap, 0.0
        placed = part.translated(x, y)
        boxes.update(placed.boxes)
        curves.update(placed.curves)
        x += part.width + gap
        row_height = max(row_height, part.height)
    return at_origin(boxes, curves)
