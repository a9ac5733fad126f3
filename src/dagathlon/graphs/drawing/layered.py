"""Layered (Sugiyama) layout: edges point down, are routed between nodes, and rarely cross."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from dagathlon.graphs.drawing.coordinates import horizontal
from dagathlon.graphs.drawing.labels import Label
from dagathlon.graphs.drawing.layers import Neighbours, adjacency, downward, layers, narrowed
from dagathlon.graphs.drawing.layout import Box, Curve, Layout, Pair, Point, at_origin
from dagathlon.graphs.drawing.ordering import Rows, ordered

# How far a curve may lean sideways while it passes a row: less than the gap beside it.
_MAX_LEAN = 10.0

# Layers are split if they are wider than this and than the drawing is to be by its aspect.
_WIDE_ENOUGH, _ASPECT = 900.0, 2.5
_NODE_GAP, _DUMMY_GAP = 18.0, 14.0
_MIN_RISE, _MAX_RISE = 44.0, 100.0
_PORT_GAP, _MIN_PORT_GAP = 13.0, 8.0
_MAX_DUMMIES = 20_000


class _Mesh(NamedTuple):
    """Nodes and dummy nodes of long edges, in rows; edges join adjacent rows only."""

    rows: Rows
    above: Neighbours
    below: Neighbours
    chains: dict[Pair, list[int]]


def layered_layout(
    labels: Sequence[Label], directed: Sequence[Pair], others: Sequence[Pair]
) -> Layout | None:
    """Lay out a connected graph; None if its long edges are too many to route."""
    edges = downward(len(labels), directed, others)
    widths = [label.width + _NODE_GAP for label in labels]
    area = sum(widths) * (_MIN_RISE + max(label.height for label in labels))
    limit = max(_WIDE_ENOUGH, math.sqrt(_ASPECT * area))
    layer = narrowed(layers(len(labels), edges), edges, widths, limit)
    if sum(layer[v] - layer[u] - 1 for u, v in edges) > _MAX_DUMMIES:
        return None
    mesh = _mesh(edges, layer)
    mesh = mesh._replace(rows=ordered(mesh.rows, mesh.above, mesh.below))
    n = len(labels)
    widths = [0.0] * len(mesh.above)
    for node, label in enumerate(labels):
        busiest = max(len(mesh.above[node]), len(mesh.below[node]))
        widths[node] = max(label.width, _MIN_PORT_GAP * busiest)

    def separation(left: int, right: int) -> float:
        gap = _NODE_GAP if left < n and right < n else _DUMMY_GAP
        return (widths[left] + widths[right]) / 2 + gap

    x = horizontal(mesh.rows, mesh.above, mesh.below, n, separation)
    return _drawn(
        mesh, x, [label._replace(width=w) for label, w in zip(labels, widths, strict=False)]
    )


def _mesh(edges: list[Pair], layer: list[int]) -> _Mesh:
    rows: Rows = [[] for _ in range(max(layer, default=-1) + 1)]
    for node, row in enumerate(layer):
        rows[row].append(node)
    chains: dict[Pair, list[int]] = {}
    count = len(layer)
    for u, v in edges:
        inner = list(range(count, count + layer[v] - layer[u] - 1))
        for offset, dummy in enumerate(inner, 1):
            rows[layer[u] + offset].append(dummy)
        chains[u, v] = [u, *inner, v]
        count += len(inner)
    links = [link for chain in chains.values() for link in pairwise(chain)]
    return _Mesh(rows, *adjacency(count, links), chains)


def _drawn(mesh: _Mesh, x: list[float], labels: Sequence[Label]) -> Layout:
    tops, bottoms = _vertical(mesh, x, labels)
    boxes = {
        node: Box(x[node], (tops[i] + bottoms[i]) / 2, labels[node].width, labels[node].height)
        for i, row in enumerate(mesh.rows)
        for node in row
        if node < len(labels)
    }
    row_of = {node: i for i, row in enumerate(mesh.rows) for node in row}
    leaving = _ports(mesh.below, x, boxes)
    entering = _ports(mesh.above, x, boxes)
    curves: dict[Pair, Curve] = {}
    for (u, v), chain in mesh.chains.items():
        start, end = leaving[u, chain[1]], entering[v, chain[-2]]
        xs = [start, *(x[dummy] for dummy in chain[1:-1]), end]
        inner = [(tops[row_of[node]], bottoms[row_of[node]]) for node in chain[1:-1]]
        stops = [
            Stop(start, boxes[u].y + boxes[u].height / 2, bottoms[row_of[u]]),
            *(Stop(at, *row) for at, row in zip(xs[1:-1], inner, strict=True)),
            Stop(end, tops[row_of[v]], boxes[v].y - boxes[v].height / 2),
        ]
        curves[u, v] = curve_through(stops)
    return at_origin(boxes, curves)


def _vertical(
    mesh: _Mesh, x: list[float], labels: Sequence[Label]
) -> tuple[list[float], list[float]]:
    """Return top and bottom of each row, rows spaced wider where edges run far sideways."""
    tops: list[float] = []
    bottoms: list[float] = []
    y = 0.0
    for row in mesh.rows:
        height = max((labels[node].height for node in row if node < len(labels)), default=0.0)
        tops.append(y)
        bottoms.append(y + height)
        runs = [abs(x[node] - x[other]) for node in row for other in mesh.below[node]]
        y += height + min(max(_MIN_RISE, 0.13 * max(runs, default=0.0)), _MAX_RISE)
    return tops, bottoms


def _ports(towards: Neighbours, x: list[float], boxes: dict[int, Box]) -> dict[Pair, float]:
    """Return where on a node's side each of its edges ends, ordered by the other ends."""
    ports: dict[Pair, float] = {}
    for node, box in boxes.items():
        others = sorted(towards[node], key=x.__getitem__)
        gap = min(_PORT_GAP, (box.width - 10) / max(len(others) - 1, 1))
        start = box.x - gap * (len(others) - 1) / 2
        for place, other in enumerate(others):
            ports[node, other] = start + gap * place
    return ports


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
