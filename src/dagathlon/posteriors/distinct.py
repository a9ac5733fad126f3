"""Distinct graphs among many draws, and weighted sums over them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from dagathlon import _core
from dagathlon.graphs import Graph
from dagathlon.posteriors.draws import BLOCK_BYTES, Draws
from dagathlon.posteriors.packed import Bools, Floats, Packing, Words


class DistinctGraphs:
    """Distinct graphs of positive weight, in order of first appearance, with summed weights.

    Parameters
    ----------
    chains
        Draws over the same nodes, in the same form.
    weights
        A weight for each row of each of the chains.
    """

    def __init__(self, chains: Sequence[Draws], weights: Sequence[Floats]) -> None:
        self.names = chains[0].names
        self.packing: Packing = chains[0].packing
        pieces = [
            _merged(rows, given[first : first + len(rows)])
            for chain, given in zip(chains, weights, strict=True)
            for first, rows in chain.blocks()
        ]
        self.rows, self.weights = pieces[0]
        if len(pieces) > 1:
            together = np.concatenate([rows for rows, _ in pieces])
            self.rows, self.weights = _merged(together, np.concatenate([w for _, w in pieces]))
        # The row that ends a chain may have a graph of its own, which never was a state.
        positive = self.weights > 0
        if not positive.all():
            self.rows, self.weights = self.rows[positive], self.weights[positive]

    def __len__(self) -> int:
        return len(self.rows)

    def graph(self, number: int) -> Graph:
        """Return a graph by its number."""
        return self.packing.graph(self.names, self.rows[number])

    def paths(self) -> Floats:
        """Return the total weight of graphs with a directed path from row to column."""
        arcs = np.ascontiguousarray(self.packing.arcs(self.rows))
        return _core.path_sums(arcs, len(self.names), self.weights)

    def undirected(self) -> Floats:
        """Return the total weight of graphs with an undirected edge between two nodes."""
        p = len(self.names)
        total = np.zeros((p, p))
        arcs = self.packing.arcs(self.rows)
        if _core.first_non_dag(np.ascontiguousarray(arcs), p) == len(arcs):
            return total
        for weights, rows in self._blocks():
            edges = self.packing.adjacency(rows)
            total += np.tensordot(weights, edges & edges.transpose(0, 2, 1), 1)
        return total

    def mark_pairs(self) -> Floats:
        """Return total weights of edges by mark at the row, mark at the column, row and column."""
        p = len(self.names)
        total = np.zeros((4, 4, p, p))
        for weights, rows in self._blocks():
            marks = self.packing.unpack(rows)
            turned = marks.transpose(0, 2, 1)
            for at_row in range(1, 4):
                for at_column in range(1, 4):
                    both = (turned == at_row) & (marks == at_column)
                    total[at_row, at_column] += np.tensordot(weights, both, 1)
        return total

    def weight_of(self, holds: Bools) -> float:
        """Return the total weight of the graphs selected by a mask."""
        return float(self.weights[holds].sum())

    def bit(self, number: int) -> Bools:
        """Return a mask of the graphs that have a bit set."""
        column = self.rows[:, number // 64] >> np.uint64(number % 64)
        return (column & np.uint64(1)).astype(np.bool_)

    @cached_property
    def order(self) -> list[int]:
        """Numbers of the graphs by decreasing weight; ties by first appearance."""
        order: list[int] = np.argsort(-self.weights, kind="stable").tolist()
        return order

    def _blocks(self) -> Iterator[tuple[Floats, Words]]:
        step = max(BLOCK_BYTES // max(8 * len(self.names) ** 2, 1), 1)
        for first in range(0, len(self), step):
            yield self.weights[first : first + step], self.rows[first : first + step]


def _merged(rows: Words, weights: Floats) -> tuple[Words, Floats]:
    """Merge equal rows and sum their weights."""
    number = _core.graph_numbers(np.ascontiguousarray(rows))[0]
    count = int(number.max()) + 1
    if count == len(rows):
        return rows, weights
    first = np.zeros(count, dtype=np.int64)
    first[number[::-1]] = np.arange(len(rows))[::-1]
    sums = np.bincount(number, weights=weights, minlength=count).astype(np.float64)
    return rows[first], sums
