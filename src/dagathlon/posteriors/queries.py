"""Queries of edges in many packed graphs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from dagathlon.graphs import Edge, Graph, Mark
from dagathlon.graphs.marks import marks_of
from dagathlon.posteriors.distinct import DistinctGraphs
from dagathlon.posteriors.packed import Bools

Place = tuple[int, int, Mark, Mark]


def written_edges(
    edges: Iterable[str | tuple[str, str] | tuple[str, str, str]], names: tuple[str, ...]
) -> Iterator[Place]:
    """Yield, for each written edge, the row numbers of its nodes and the marks at them."""
    index = {name: i for i, name in enumerate(names)}
    for edge in edges:
        parsed: Edge = Graph.from_edges([edge], names).edges()[0]
        yield index[parsed.left], index[parsed.right], *marks_of(parsed.connector)


def has_edge(graphs: DistinctGraphs, edge: Place) -> Bools:
    """Return a mask of the graphs that have an edge with exactly these marks."""
    i, j, at_left, at_right = edge
    packing = graphs.packing
    forward = graphs.bit(packing.bit(i, j))
    if packing.form == "undirected":
        return forward & (at_left == at_right == Mark.TAIL)
    backward = graphs.bit(packing.bit(j, i))
    if packing.form == "marks":
        high = len(packing.cells)
        marks_right = forward + 2 * graphs.bit(packing.bit(i, j) + high).astype(np.uint8)
        marks_left = backward + 2 * graphs.bit(packing.bit(j, i) + high).astype(np.uint8)
        return np.equal(marks_right, at_right) & np.equal(marks_left, at_left)
    wanted = {
        (Mark.TAIL, Mark.ARROW): forward & ~backward,
        (Mark.ARROW, Mark.TAIL): backward & ~forward,
        (Mark.TAIL, Mark.TAIL): forward & backward,
    }
    return wanted.get((at_left, at_right), np.zeros_like(forward))
