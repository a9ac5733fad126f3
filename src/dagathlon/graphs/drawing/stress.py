"""Stress layout of undirected graphs: distances on paper approximate graph distances."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from dagathlon.graphs.drawing.labels import Label
from dagathlon.graphs.drawing.layout import Box, Curve, Layout, Pair, Point, at_origin

Floats = npt.NDArray[np.float64]

_ITERATIONS = 150
_EDGE_LENGTH = 60.0
_GAP = 14.0
_BENDS = (0.0, 0.12, -0.12, 0.25, -0.25, 0.4, -0.4)
# The drawing is enlarged until at most this share of edges runs through nodes; large graphs get
# one scale at once.
_SCALES, _BEARABLE, _MANY = (1.0, 1.3, 1.7, 2.2), 0.02, 30_000
_CLOSE = 4.0
# Weights of a curve's four points at places along it.
_SHARES = np.linspace(0, 1, 26)[1:-1]
_BERNSTEIN = np.stack(
    [
        (1 - _SHARES) ** 3,
        3 * _SHARES * (1 - _SHARES) ** 2,
        3 * _SHARES**2 * (1 - _SHARES),
        _SHARES**3,
    ],
    axis=1,
)


def stress_layout(labels: Sequence[Label], edges: Sequence[Pair]) -> Layout:
    """Lay out a connected graph by stress majorisation, with straight or bent edges.

    The drawing is enlarged until its edges run clear of its nodes, within limits.
    """
    places = _turned(_majorised(_distances(len(labels), edges)))
    sizes = np.array([(label.width, label.height) for label in labels])
    # Boxes are wider than high: room is needed sideways.
    unit = np.array([_EDGE_LENGTH + sizes[:, 0].mean() * 0.6, _EDGE_LENGTH + 10])
    crowding = max(0.0, 2 * len(edges) / len(labels) - 3)
    unit *= min(1 + 0.12 * crowding, 2.0)
    small = len(labels) * len(edges) <= _MANY
    for scale in _SCALES if small else _SCALES[2:3]:
        boxes = _boxes(_separated(places * unit * scale, sizes), labels)
        routes = {(i, j): _joined(boxes, i, j) for i, j in edges}
        if sum(hits for _, hits in routes.values()) <= _BEARABLE * len(edges):
            break
    return at_origin(boxes, {pair: curve for pair, (curve, _) in routes.items()})


def _boxes(places: Floats, labels: Sequence[Label]) -> dict[int, Box]:
    return {
        node: Box(float(x), float(y), label.width, label.height)
        for node, ((x, y), label) in enumerate(zip(places, labels, strict=True))
    }


def _joined(boxes: dict[int, Box], i: int, j: int) -> tuple[Curve, int]:
    """Return a curve between two boxes, bent to avoid other boxes, and the number it still hits."""
    others = np.array([box for node, box in boxes.items() if node not in (i, j)]).reshape(-1, 4)
    best, fewest = straight(boxes[i], boxes[j]), len(boxes)
    for bend in _BENDS:
        curve = _bent(boxes[i], boxes[j], bend) if bend else best
        hits = _hits(curve, others)
        if hits < fewest:
            best, fewest = curve, hits
        if not fewest:
            break
    return best, fewest


def straight(a: Box, b: Box) -> Curve:
    """Return a straight line between two boxes."""
    start, end = _border(a, Point(b.x, b.y)), _border(b, Point(a.x, a.y))
    dx, dy = (end.x - start.x) / 3, (end.y - start.y) / 3
    inner = (Point(start.x + dx, start.y + dy), Point(end.x - dx, end.y - dy))
    return (start, *inner, end)


def _distances(n: int, edges: Sequence[Pair]) -> Floats:
    """Return the lengths of shortest paths between all nodes."""
    neighbours: list[list[int]] = [[] for _ in range(n)]
    for i, j in edges:
        neighbours[i].append(j)
        neighbours[j].append(i)
    distances = np.zeros((n, n))
    for start in range(n):
        lengths = {start: 0}
        queue = deque([start])
        while queue:
            node = queue.popleft()
            for other in neighbours[node]:
                if other not in lengths:
                    lengths[other] = lengths[node] + 1
                    queue.append(other)
        distances[start, list(lengths)] = list(lengths.values())
    return distances


def _majorised(distances: Floats) -> Floats:
    """Return positions in the plane whose distances approximate the given ones (SMACOF)."""
    n = len(distances)
    if n < 2:
        return np.zeros((n, 2))
    weights = np.divide(1.0, distances**2, out=np.zeros((n, n)), where=distances > 0)
    inverse = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
    places = _scaled(distances)
    for _ in range(_ITERATIONS):
        apart = np.linalg.norm(places[:, None] - places[None, :], axis=2)
        ratio = np.divide(weights * distances, apart, out=np.zeros((n, n)), where=apart > 1e-9)
        places = inverse @ ((np.diag(ratio.sum(axis=1)) - ratio) @ places)
    return places


def _scaled(distances: Floats) -> Floats:
    """Return classical scaling as a start, jittered so that no two nodes coincide."""
    n = len(distances)
    centring = np.eye(n) - 1 / n
    values, vectors = np.linalg.eigh(-centring @ distances**2 @ centring / 2)
    axes = vectors[:, [-1, -2]]
    # The sign of an eigenvector is arbitrary; a fixed one gives the same drawing everywhere.
    axes = axes * np.where(axes[np.abs(axes).argmax(axis=0), [0, 1]] < 0, -1, 1)
    angles = 2.399963 * np.arange(n)
    stirred = 0.01 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    result: Floats = axes * np.sqrt(np.maximum(values[[-1, -2]], 1e-9)) + stirred
    return result


def _turned(places: Floats) -> Floats:
    """Rotate the drawing so that it is widest horizontally."""
    centred = places - places.mean(axis=0)
    _, vectors = np.linalg.eigh(centred.T @ centred)
    axes = vectors[:, ::-1]
    axes = axes * np.where(axes[np.abs(axes).argmax(axis=0), [0, 1]] < 0, -1, 1)
    result: Floats = centred @ axes
    return result


def _separated(places: Floats, sizes: Floats) -> Floats:
    """Push boxes apart until none overlap; scale everything if that does not converge."""
    needed = (sizes[:, None] + sizes[None, :]) / 2 + _GAP
    above = np.tri(len(places), dtype=bool)
    for step in range(1000):
        gaps = places[:, None] - places[None, :]
        overlap = needed - np.abs(gaps)
        colliding = (overlap > 0.01).all(axis=2) & ~above
        if not colliding.any():
            return places
        places = places + _pushes(gaps, overlap, colliding)
        if step % 25 == 24:
            places = places * 1.05
    return places


def _pushes(gaps: Floats, overlap: Floats, colliding: npt.NDArray[Any]) -> Floats:
    """Return displacements: half of each overlap to either side, along the smaller axis."""
    push = np.zeros_like(gaps)
    first, second = np.nonzero(colliding)
    axis = np.argmin(overlap[first, second], axis=1)
    way = np.where(gaps[first, second, axis] < 0, -1.0, 1.0)
    amount = way * (overlap[first, second, axis] / 2 + 0.1)
    push[first, second, axis] = amount
    push[second, first, axis] = -amount
    result: Floats = push.sum(axis=1)
    return result


def _bent(a: Box, b: Box, bend: float) -> Curve:
    """Return a curve between two boxes, bent away from the line by a share of its length."""
    dx, dy = b.x - a.x, b.y - a.y
    handle = Point((a.x + b.x) / 2 - bend * dy, (a.y + b.y) / 2 + bend * dx)
    start, end = _border(a, handle), _border(b, handle)
    return (start, _towards(start, handle), _towards(end, handle), end)


def _towards(a: Point, b: Point) -> Point:
    return Point(a.x + (b.x - a.x) * 2 / 3, a.y + (b.y - a.y) * 2 / 3)


def _border(box: Box, towards: Point) -> Point:
    """Return the point where the line from a box's centre to another point leaves the box."""
    dx, dy = towards.x - box.x, towards.y - box.y
    share = 1 / max(abs(dx) * 2 / box.width, abs(dy) * 2 / box.height)
    return Point(box.x + dx * share, box.y + dy * share)


def _hits(curve: Curve, boxes: Floats) -> int:
    """Count the boxes that a curve runs through or close by."""
    points = _BERNSTEIN @ np.array(curve)
    apart = np.abs(points[:, None] - boxes[None, :, :2])
    return int((apart < boxes[:, 2:] / 2 + _CLOSE).all(axis=2).any(axis=0).sum())
