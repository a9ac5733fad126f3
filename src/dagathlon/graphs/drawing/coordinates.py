"""Horizontal positions: long edges straight, nodes near the middle of their neighbours.

First the method of Brandes and Köpf (2001): align each node with a median neighbour, in four ways
(upwards or downwards, from the left or from the right), place the resulting blocks as tightly as
the boxes allow, and take the mean of the two middle positions of the four. That keeps long edges
straight but leaves wide gaps, so rows are then drawn towards their neighbours, which is a least
squares problem with an order to keep: isotonic regression.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate, pairwise
from typing import NamedTuple

from dagathlon.graphs.drawing.layers import Neighbours
from dagathlon.graphs.drawing.ordering import Rows

Separation = Callable[[int, int], float]
Pull = tuple[int, float]

_SWEEPS, _MANY = 100, 4000
_STILL = 0.2
# Weight of a node without neighbours, which goes where the others want it.
_FREE = 1e-3
# Strength of an edge with none, one or two ends that are bends of a long edge.
_STRAIGHT = (1.0, 3.0, 12.0)


def horizontal(
    rows: Rows, above: Neighbours, below: Neighbours, first_dummy: int, separation: Separation
) -> list[float]:
    """Return the x of every node; `separation` gives the least distance of adjacent centres."""
    n = len(above)
    marked = _conflicts(rows, above, first_dummy)
    results: list[list[float]] = []
    for upwards in (True, False):
        vertical = rows if upwards else rows[::-1]
        towards = above if upwards else below
        for mirrored in (False, True):
            lines = [row[::-1] for row in vertical] if mirrored else vertical
            root = _aligned(lines, towards, marked, n)
            x = _compacted(lines, root, separation, n)
            results.append([-value for value in x] if mirrored else x)
    relaxing = [
        _row(row, [_pulls(v, above[v] + below[v], first_dummy) for v in row], separation)
        for row in rows
    ]
    return _relaxed(_balanced(results), relaxing)


class _Row(NamedTuple):
    """Constants of one row used in every relaxation sweep."""

    nodes: list[int]
    pulls: list[list[Pull]]
    strength: list[float]
    gaps: list[float]


def _row(nodes: list[int], pulls: list[list[Pull]], separation: Separation) -> _Row:
    strength = [sum(weight for _, weight in node_pulls) for node_pulls in pulls]
    return _Row(nodes, pulls, strength, [separation(a, b) for a, b in pairwise(nodes)])


def _pulls(node: int, neighbours: list[int], first_dummy: int) -> list[Pull]:
    """Return the neighbours with the weights of their pull; long edges pull more."""
    bends = node >= first_dummy
    return [(other, _STRAIGHT[bends + (other >= first_dummy)]) for other in neighbours]


def _relaxed(x: list[float], rows: list[_Row]) -> list[float]:
    """Move nodes towards their neighbours, sweeping rows down and up until converged."""
    sweeps = _SWEEPS if len(x) <= _MANY else _SWEEPS // 4
    for sweep in range(sweeps):
        furthest = 0.0
        for row in rows if sweep % 2 == 0 else reversed(rows):
            wanted = [
                sum([weight * x[other] for other, weight in pulls]) / total if total else x[node]
                for node, pulls, total in zip(row.nodes, row.pulls, row.strength, strict=True)
            ]
            for node, place in zip(row.nodes, spaced(wanted, row.strength, row.gaps), strict=True):
                furthest = max(furthest, abs(place - x[node]))
                x[node] = place
        if furthest < _STILL:
            break
    return x


def spaced(wanted: list[float], strength: list[float], gaps: list[float]) -> list[float]:
    """Return positions at least `gaps` apart nearest to `wanted` by weighted least squares."""
    offsets = list(accumulate(gaps, initial=0.0))
    blocks: list[tuple[float, float, int]] = []
    for place, weight, offset in zip(wanted, strength, offsets, strict=True):
        mean, total, count = place - offset, weight or _FREE, 1
        while blocks and blocks[-1][0] >= mean:
            before, heavy, members = blocks.pop()
            mean = (before * heavy + mean * total) / (heavy + total)
            total, count = total + heavy, count + members
        blocks.append((mean, total, count))
    means = [mean for mean, _, count in blocks for _ in range(count)]
    return [mean + offset for mean, offset in zip(means, offsets, strict=True)]


def _conflicts(rows: Rows, above: Neighbours, first_dummy: int) -> set[tuple[int, int]]:
    """Return the edges that cross an inner segment of a long edge, which is kept straight."""
    marked: set[tuple[int, int]] = set()
    for upper, lower in pairwise(rows):
        position = {node: i for i, node in enumerate(upper)}
        start, left = 0, 0
        for i, node in enumerate(lower):
            inner = node >= first_dummy and bool(above[node]) and above[node][0] >= first_dummy
            if not inner and i < len(lower) - 1:
                continue
            right = position[above[node][0]] if inner else len(upper)
            for other in lower[start : i + 1]:
                for parent in above[other]:
                    is_inner = other >= first_dummy and parent >= first_dummy
                    if not left <= position[parent] <= right and not is_inner:
                        marked.add((parent, other))
            start, left = i + 1, right
    return marked


def _aligned(rows: Rows, towards: Neighbours, marked: set[tuple[int, int]], n: int) -> list[int]:
    """Align each node with a median neighbour; return the first node of each node's block."""
    root = list(range(n))
    position = {node: i for row in rows for i, node in enumerate(row)}
    for row in rows[1:]:
        furthest = -1
        for node in row:
            neighbours = sorted(towards[node], key=position.__getitem__)
            count = len(neighbours)
            for other in neighbours[(count - 1) // 2 : count // 2 + 1]:
                crossing = (other, node) in marked or (node, other) in marked
                if root[node] == node and not crossing and furthest < position[other]:
                    root[node] = root[other]
                    furthest = position[other]
    return root


def _compacted(rows: Rows, root: list[int], separation: Separation, n: int) -> list[float]:
    """Place blocks as far left as possible, then as far right as the others allow."""
    after: dict[int, dict[int, float]] = {block: {} for block in sorted(set(root))}
    waiting = dict.fromkeys(after, 0)
    for row in rows:
        for left, right in pairwise(row):
            a, b = root[left], root[right]
            waiting[b] += b not in after[a]
            after[a][b] = max(after[a].get(b, 0.0), separation(left, right))
    order = [block for block in after if not waiting[block]]
    x = dict.fromkeys(after, 0.0)
    for block in order:
        for other, distance in after[block].items():
            x[other] = max(x[other], x[block] + distance)
            waiting[other] -= 1
            if not waiting[other]:
                order.append(other)
    for block in reversed(order):
        if after[block]:
            x[block] = min(x[other] - distance for other, distance in after[block].items())
    return [x[root[node]] for node in range(n)]


def _balanced(results: list[list[float]]) -> list[float]:
    """Return the mean of the two middle positions, after shifting all onto the narrowest layout."""
    spans = [(min(x, default=0.0), max(x, default=0.0)) for x in results]
    low, high = min(spans, key=lambda span: span[1] - span[0])
    shifted = []
    for number, (x, span) in enumerate(zip(results, spans, strict=True)):
        shift = low - span[0] if number % 2 == 0 else high - span[1]
        shifted.append([value + shift for value in x])
    middles = (sorted(values)[1:3] for values in zip(*shifted, strict=True))
    return [(first + second) / 2 for first, second in middles]
