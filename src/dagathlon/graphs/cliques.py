"""Maximal cliques of arbitrary graphs; for chordal ones `chordal` is faster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from dagathlon.graphs.graph import Graph


def all_maximal_cliques(graph: Graph) -> Iterator[tuple[str, ...]]:
    """Yield the maximal cliques of the skeleton of any graph."""
    return map(graph.nodes_at, cliques_of_pairs(graph.marks != 0))


def cliques_of_pairs(joined: npt.NDArray[np.bool_]) -> Iterator[tuple[int, ...]]:
    """Yield the maximal cliques of a symmetric adjacency matrix (Bron–Kerbosch with pivots)."""
    near = [_bit_mask(np.flatnonzero(row).tolist()) for row in joined]
    stack: list[tuple[tuple[int, ...], int, int]] = []
    if near:
        stack.append(((), _bit_mask(range(len(near))), 0))
    while stack:
        clique, candidates, done = stack.pop()
        if not candidates and not done:
            yield clique
            continue
        open_nodes = candidates & ~near[_pivot(near, candidates, done)]
        for node in _members(open_nodes):
            stack.append(((*clique, node), candidates & near[node], done & near[node]))
            candidates &= ~(1 << node)
            done |= 1 << node


def _pivot(near: Sequence[int], candidates: int, done: int) -> int:
    """Return the pivot: a node with the most neighbours among the candidates."""
    best, most = -1, -1
    for node in _members(candidates | done):
        count = (near[node] & candidates).bit_count()
        if count > most:
            best, most = node, count
    return best


def _bit_mask(nodes: Iterable[int]) -> int:
    """Return a set of nodes as a bit mask."""
    return sum(1 << node for node in nodes)


def _members(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
