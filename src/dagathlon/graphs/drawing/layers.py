"""Assignment of nodes to layers: break cycles, direct edges down, minimise edge lengths."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from dagathlon.graphs.drawing.layout import Pair

Neighbours: TypeAlias = list[list[int]]

_MAX_PASSES = 20


def downward(n: int, directed: Sequence[Pair], others: Sequence[Pair]) -> list[Pair]:
    """Return all edges oriented acyclically, directed ones keeping their direction if possible."""
    position = _positions(n, directed, others)
    return [(u, v) if position[u] < position[v] else (v, u) for u, v in [*directed, *others]]


def _positions(n: int, directed: Sequence[Pair], others: Sequence[Pair]) -> list[int]:
    """Order the nodes so that parents come first and neighbours are close together."""
    parents, children = adjacency(n, directed)
    near, far = adjacency(n, [*directed, *others])
    waiting = [len(above) for above in parents]
    position = [-1] * n
    # A node's rank is the position of the first of its neighbours that has one.
    rank = [n] * n
    remaining = set(range(n))
    for step in range(n):
        ready = [node for node in remaining if not waiting[node]]
        if ready:
            chosen = min(ready, key=lambda node: (rank[node], node))
        else:
            chosen = min(remaining, key=lambda node: (waiting[node] - len(children[node]), node))
        remaining.remove(chosen)
        position[chosen] = step
        for child in children[chosen]:
            waiting[child] -= 1
        for neighbour in near[chosen] + far[chosen]:
            rank[neighbour] = min(rank[neighbour], step)
    return position


def adjacency(n: int, edges: Iterable[Pair]) -> tuple[Neighbours, Neighbours]:
    """Return, for each node, the nodes above and the nodes below it."""
    above: Neighbours = [[] for _ in range(n)]
    below: Neighbours = [[] for _ in range(n)]
    for u, v in edges:
        above[v].append(u)
        below[u].append(v)
    return above, below


def layers(n: int, edges: list[Pair]) -> list[int]:
    """Return each node's layer, 0 at the top; every edge points down and few are long."""
    above, below = adjacency(n, edges)
    order = _topological(above, below)
    layer = [0] * n
    for node in order:
        layer[node] = max((layer[parent] + 1 for parent in above[node]), default=0)
    for _ in range(_MAX_PASSES):
        if not _tightened(layer, order, above, below):
            break
    lowest = min(layer, default=0)
    return [place - lowest for place in layer]


def narrowed(
    layer: list[int], edges: list[Pair], widths: Sequence[float], limit: float
) -> list[int]:
    """Split layers that are wider than `limit`, keeping all edges downward.

    Of the new layers, the upper ones get the nodes with more edges above, the lower ones those
    with more edges below.
    """
    above, below = adjacency(len(layer), edges)
    rows: list[list[int]] = [[] for _ in range(max(layer, default=-1) + 1)]
    for node, row_number in enumerate(layer):
        rows[row_number].append(node)
    result = [0] * len(layer)
    depth = 0
    for row in rows:
        parts = math.ceil(sum(widths[node] for node in row) / limit)
        row.sort(key=lambda node: (len(below[node]) - len(above[node]), node))
        share = math.ceil(len(row) / max(parts, 1))
        for place, node in enumerate(row):
            result[node] = depth + place // share
        depth += math.ceil(len(row) / share)
    return result


def _topological(above: Neighbours, below: Neighbours) -> list[int]:
    waiting = [len(parents) for parents in above]
    order = [node for node, count in enumerate(waiting) if not count]
    for node in order:
        for child in below[node]:
            waiting[child] -= 1
            if not waiting[child]:
                order.append(child)
    return order


def _tightened(layer: list[int], order: list[int], above: Neighbours, below: Neighbours) -> bool:
    """Move nodes to the end of their range that shortens their edges; return whether any moved."""
    has_changed = False
    for node in [*reversed(order), *order]:
        pull = len(below[node]) - len(above[node])
        if pull > 0:
            target = min(layer[child] for child in below[node]) - 1
        elif pull < 0:
            target = max(layer[parent] for parent in above[node]) + 1
        else:
            continue
        has_changed = has_changed or target != layer[node]
        layer[node] = target
    return has_changed
