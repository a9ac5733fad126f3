"""`GraphPath`: undirected graphs along decreasing penalties, one of which may be selected."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
import numpy.typing as npt

from dagathlon.errors import GraphError
from dagathlon.graphs.graph import Graph
from dagathlon.immutable import Immutable

Bools = npt.NDArray[np.bool_]


class GraphPath(Immutable):
    """Undirected graphs that a learner estimated for a decreasing sequence of penalties.

    Graphs are packed, one bit for each pair of nodes, so that a path over a thousand nodes
    takes some megabytes.

    Parameters
    ----------
    names
        The nodes, in order.
    penalties
        The penalties (or thresholds), finite and strictly decreasing: the first graph has the
        fewest edges as a rule.
    graphs
        For each penalty a symmetric 0/1 matrix without a diagonal: (penalties, nodes, nodes). None
        for graphs without edges.
    chosen
        Place of the penalty that was selected; None where none was.
    """

    __slots__ = ("__dict__", "_bits", "_chosen", "_names", "_penalties")

    def __init__(
        self,
        names: Iterable[str],
        penalties: npt.ArrayLike,
        graphs: npt.ArrayLike | None,
        *,
        chosen: int | None = None,
    ) -> None:
        self._names = Graph(names).names
        self._penalties = _checked_penalties(penalties)
        self._bits = np.zeros((len(self._penalties), -(-self._n_pairs // 8)), dtype=np.uint8)
        if graphs is not None:
            joined = _checked_graphs(graphs, len(self._penalties), len(self._names))
            above = self._above
            self._bits = np.stack([np.packbits(graph[above]) for graph in joined])
        self._bits.flags.writeable = False
        self._chosen = None if chosen is None else int(chosen)
        if self._chosen is not None and not 0 <= self._chosen < len(self):
            raise GraphError(f"the chosen graph of a path of {len(self)} cannot be {chosen}")

    @classmethod
    def from_bits(
        cls,
        names: Iterable[str],
        penalties: npt.ArrayLike,
        bits: npt.NDArray[np.uint8],
        chosen: int | None = None,
    ) -> GraphPath:
        """Return a path from packed bits, as given by `bits`."""
        nodes = tuple(names)
        pairs = len(nodes) * (len(nodes) - 1) // 2
        path = cls(nodes, penalties, None, chosen=chosen)
        if bits.dtype != np.uint8 or bits.shape != (len(path), -(-pairs // 8)):
            raise GraphError(f"a path of {len(path)} graphs is not packed like this")
        path._bits = bits.copy()
        if pairs % 8:  # bits after the last pair are padding
            path._bits[:, -1] &= 0xFF << (8 - pairs % 8) & 0xFF
        path._bits.flags.writeable = False
        return path

    @property
    def names(self) -> tuple[str, ...]:
        """The nodes, in order."""
        return self._names

    @property
    def penalties(self) -> npt.NDArray[np.float64]:
        """Penalties, strictly decreasing; read-only."""
        return self._penalties

    @property
    def chosen(self) -> int | None:
        """Index of the selected penalty; None if none was selected."""
        return self._chosen

    @property
    def bits(self) -> npt.NDArray[np.uint8]:
        """Packed bits of each graph: its pairs of nodes, row by row above the diagonal."""
        return self._bits

    @property
    def adjacency(self) -> Bools:
        """Return all graphs as symmetric matrices: (penalties, nodes, nodes), computed anew."""
        joined = np.zeros((len(self), len(self._names), len(self._names)), dtype=np.bool_)
        above = self._above
        for graph, pairs in zip(joined, self.pairs, strict=True):
            graph[above] = pairs
            np.logical_or(graph, graph.T, out=graph)
        return joined

    @property
    def pairs(self) -> Bools:
        """Return a mask of edges: (penalties, node pairs), the pairs in the order of `bits`."""
        return np.unpackbits(self._bits, axis=1, count=self._n_pairs).astype(np.bool_)

    @cached_property
    def n_edges(self) -> npt.NDArray[np.int64]:
        """Return the number of edges of each graph."""
        return np.asarray(self.pairs.sum(axis=1), dtype=np.int64)

    def graph(self, k: int) -> Graph:
        """Return the graph of the k-th penalty; negative numbers count from the end."""
        joined = np.flatnonzero(np.unpackbits(self._bits[k], count=self._n_pairs))
        p = len(self._names)
        before = np.arange(p) * (2 * p - 1 - np.arange(p)) // 2  # pairs in the rows above
        rows = np.searchsorted(before, joined, side="right") - 1
        columns = joined - before[rows] + rows + 1
        return Graph.from_pairs(self._names, np.column_stack([rows, columns]), directed=False)

    @property
    def _n_pairs(self) -> int:
        return len(self._names) * (len(self._names) - 1) // 2

    @property
    def _above(self) -> Bools:
        """Mask of the cells above the diagonal (row numbers would take 16 bytes per pair)."""
        return ~np.tri(len(self._names), dtype=np.bool_)

    def __len__(self) -> int:
        return len(self._penalties)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GraphPath):
            return NotImplemented
        return (
            self._names == other._names
            and self._chosen == other._chosen
            and np.array_equal(self._penalties, other._penalties)
            and np.array_equal(self._bits, other._bits)
        )

    def __hash__(self) -> int:
        return hash((self._names, self._chosen, self._penalties.tobytes(), self._bits.tobytes()))

    def __repr__(self) -> str:
        ends = f"{self._penalties[0]:.4g} to {self._penalties[-1]:.4g}"
        edges = f"{self.n_edges.min()} to {self.n_edges.max()} edges"
        chosen = "" if self._chosen is None else f", chosen {self._penalties[self._chosen]:.4g}"
        return f"GraphPath({len(self)} penalties {ends}{chosen}; {edges})"


def _checked_penalties(penalties: npt.ArrayLike) -> npt.NDArray[np.float64]:
    numbers = np.array(penalties, dtype=np.float64)
    if numbers.ndim != 1 or not len(numbers):
        raise GraphError("a path has one penalty or more, in one row")
    if not np.all(np.isfinite(numbers)) or np.any(np.diff(numbers) >= 0):
        raise GraphError("the penalties of a path are finite and strictly decreasing")
    numbers.flags.writeable = False
    return numbers


def _checked_graphs(graphs: npt.ArrayLike, count: int, nodes: int) -> Bools:
    given = np.asarray(graphs)
    if given.shape != (count, nodes, nodes):
        shape = "×".join(map(str, given.shape))
        raise GraphError(f"a path needs {count}×{nodes}×{nodes} numbers, found {shape}")
    joined: Bools = given != 0
    if np.any(joined != joined.transpose(0, 2, 1)):
        raise GraphError("the graphs of a path are undirected: their matrices are symmetric")
    if np.any(joined[:, np.arange(nodes), np.arange(nodes)]):
        raise GraphError("a graph of a path joins a node with itself")
    return joined
