"""What a layout is: boxes of nodes, and curves of edges that end at them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias


class Point(NamedTuple):
    """A place on the drawing; y grows downwards."""

    x: float
    y: float


class Box(NamedTuple):
    """A node's rectangle, by its centre and size."""

    x: float
    y: float
    width: float
    height: float

    def moved(self, dx: float, dy: float) -> Box:
        """The same box elsewhere."""
        return self._replace(x=self.x + dx, y=self.y + dy)


# Bézier curves end to end: a start, then two control points and an end for each.
Curve: TypeAlias = tuple[Point, ...]
# Row numbers of the nodes at the two ends of a curve, in its direction.
Pair: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class Layout:
    """Boxes by node and curves by pair of nodes, inside ``width`` × ``height`` from (0, 0)."""

    width: float
    height: float
    boxes: dict[int, Box]
    curves: dict[Pair, Curve]

    def moved(self, dx: float, dy: float) -> Layout:
        """The same layout elsewhere."""
        boxes = {node: box.moved(dx, dy) for node, box in self.boxes.items()}
        curves = {
            pair: tuple(Point(point.x + dx, point.y + dy) for point in curve)
            for pair, curve in self.curves.items()
        }
        return replace(self, boxes=boxes, curves=curves)


def fitted(boxes: dict[int, Box], curves: dict[Pair, Curve]) -> Layout:
    """A layout whose upper left corner is moved to (0, 0)."""
    xs = [x for box in boxes.values() for x in (box.x - box.width / 2, box.x + box.width / 2)]
    ys = [y for box in boxes.values() for y in (box.y - box.height / 2, box.y + box.height / 2)]
    xs += [point.x for curve in curves.values() for point in curve]
    ys += [point.y for curve in curves.values() for point in curve]
    left, top = min(xs, default=0.0), min(ys, default=0.0)
    width, height = max(xs, default=0.0) - left, max(ys, default=0.0) - top
    return Layout(width, height, boxes, curves).moved(-left, -top)


def packed(parts: Sequence[Layout], gap: float, aspect: float) -> Layout:
    """Several layouts side by side in rows, the tallest first, about `aspect` as wide as high."""
    area = sum((part.width + gap) * (part.height + gap) for part in parts)
    limit = max([(area * aspect) ** 0.5, *(part.width for part in parts)], default=0.0)
    boxes: dict[int, Box] = {}
    curves: dict[Pair, Curve] = {}
    x = y = row_height = 0.0
    for part in sorted(parts, key=lambda part: -part.height):
        if x and x + part.width > limit:
            x, y, row_height = 0.0, y + row_height + gap, 0.0
        placed = part.moved(x, y)
        boxes.update(placed.boxes)
        curves.update(placed.curves)
        x += part.width + gap
        row_height = max(row_height, part.height)
    return fitted(boxes, curves)
