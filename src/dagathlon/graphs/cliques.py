"""Maximal cliques of graphs of any kind; those of chordal ones are quicker in `chordal`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from dagathlon.graphs.graph import Graph


def all_maximal_cliques(graph: Graph) -> Iterator[tuple[str, ...]]:
    """The maximal cliques of the skeleton of any graph."""
    return map(graph.nodes_at, cliques_of_pairs(graph.marks != 0))


def cliques_of_pairs(joined: npt.NDArray[np.bool_]) -> Iterator[tuple[int, ...]]:
    """The maximal cliques of a symmetric matrix of pairs (Bron and Kerbosch, with pivots)."""
    near = [_mask(np.flatnonzero(row).tolist()) for row in joined]
    stack: list[tuple[tuple[int, ...], int, int]] = []
    if near:
        stack.append(((), _mask(range(len(near))), 0))
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
    """A node with as many candidates near as any: only those that are not have to be tried."""
    best, most = -1, -1
    for node in _members(candidates | done):
        count = (near[node] & candidates).bit_count()
        if count > most:
            best, most = node, count
    return best


def _mask(nodes: Iterable[int]) -> int:
    """A set of nodes as the bits of a number."""
    return sum(1 << node for node in nodes)


def _members(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
