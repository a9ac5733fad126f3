"""Crossing reduction: order of nodes within layers, by barycentre sweeps and exchanges."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from itertools import pairwise

from dagathlon.graphs.drawing.layers import Neighbours

Rows = list[list[int]]

_SWEEPS, _MANY = 24, 5000
_PATIENCE = 6
# Exchanging neighbours is quadratic in the crossings it looks at: only for drawings one can read.
_MAX_EXCHANGED = 600


def ordered(rows: Rows, above: Neighbours, below: Neighbours) -> Rows:
    """Reorder the rows so that few edges cross between adjacent rows."""
    best = rows = _depth_first(rows, below)
    fewest, since = crossings(rows, below), 0
    size = sum(map(len, rows))
    for sweep in range(_SWEEPS if size <= _MANY else _SWEEPS // 3):
        if not fewest or since > _PATIENCE:
            break
        rows = _swept(rows, above, below, down=sweep % 2 == 0)
        if size <= _MAX_EXCHANGED:
            rows = _exchanged(rows, above, below)
        count = crossings(rows, below)
        since = 0 if count < fewest else since + 1
        if count < fewest:
            best, fewest = rows, count
    return best


def crossings(rows: Rows, below: Neighbours) -> int:
    """Return the number of edge crossings between adjacent rows."""
    total = 0
    for upper, lower in pairwise(rows):
        position = {node: i for i, node in enumerate(lower)}
        seen: list[int] = []
        for node in upper:
            ends = sorted(position[child] for child in below[node])
            total += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


def _depth_first(rows: Rows, below: Neighbours) -> Rows:
    """Order each row by a depth-first walk, which keeps children of a node together."""
    row_of = {node: i for i, row in enumerate(rows) for node in row}
    result: Rows = [[] for _ in rows]
    seen: set[int] = set()
    for start in (node for row in rows for node in row):
        stack = [start]
        while stack:
            node = stack.pop()
            if node not in seen:
                seen.add(node)
                result[row_of[node]].append(node)
                stack.extend(reversed(below[node]))
    return result


def _swept(rows: Rows, above: Neighbours, below: Neighbours, *, down: bool) -> Rows:
    """Sort each row by the mean position of its neighbours in the previous row of the sweep."""
    result = [list(row) for row in rows]
    towards = above if down else below
    steps = range(1, len(rows)) if down else range(len(rows) - 2, -1, -1)
    for i in steps:
        fixed = {node: x for x, node in enumerate(result[i - 1 if down else i + 1])}
        result[i] = _by_barycentre(result[i], fixed, towards)
    return result


def _by_barycentre(row: Sequence[int], fixed: dict[int, int], towards: Neighbours) -> list[int]:
    """Sort a row by barycentres; nodes without neighbours keep their position."""
    weights = {
        node: sum(fixed[other] for other in towards[node]) / len(towards[node])
        for node in row
        if towards[node]
    }
    in_order = iter(sorted(weights, key=weights.__getitem__))
    return [next(in_order) if node in weights else node for node in row]


def _exchanged(rows: Rows, above: Neighbours, below: Neighbours) -> Rows:
    """Exchange adjacent nodes in rows as long as that removes crossings."""
    position = {node: x for row in rows for x, node in enumerate(row)}
    for _ in range(_PATIENCE):
        gained = 0
        for row in rows:
            gained += _exchanged_row(row, position, above, below)
        if not gained:
            break
    return rows


def _exchanged_row(
    row: list[int], position: dict[int, int], above: Neighbours, below: Neighbours
) -> int:
    total = 0
    for x in range(len(row) - 1):
        left, right = row[x], row[x + 1]
        gain = sum(
            _pair_gain(towards[left], towards[right], position) for towards in (above, below)
        )
        if gain > 0:
            row[x], row[x + 1] = right, left
            position[left], position[right] = x + 1, x
            total += gain
    return total


def _pair_gain(of_left: list[int], of_right: list[int], position: dict[int, int]) -> int:
    """Return how many crossings are removed by exchanging two adjacent nodes."""
    gain = 0
    for a in of_left:
        at = position[a]
        for b in of_right:
            gain += (at > position[b]) - (at < position[b])
    return gain
