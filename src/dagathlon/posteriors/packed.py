"""Packed graphs: many graphs over the same nodes as rows of bits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.errors import GraphError, listing
from dagathlon.graphs import Graph, Mark

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Words: TypeAlias = npt.NDArray[np.uint64]
Form: TypeAlias = Literal["undirected", "arcs", "marks"]

# From the one that says least to the one that says all.
FORMS: tuple[Form, ...] = ("undirected", "arcs", "marks")
_WORD = 64


class Packing:
    """Bit layout of a graph, padded to words of 64 bits.

    Parameters
    ----------
    nodes
        Number of nodes.
    form
        ``undirected``: a bit for each pair of nodes. ``arcs``: a bit for each ordered pair, from
        row to column, without the diagonal; both directions mean undirected. ``marks``: two bits
        for the mark at each end, the low bits of all ordered pairs before the high ones.
    """

    def __init__(self, nodes: int, form: Form) -> None:
        self.nodes = nodes
        self.form = form

    @cached_property
    def cells(self) -> Ints:
        """Matrix cell (row-major) of each bit."""
        square = np.ones((self.nodes, self.nodes), dtype=bool)
        wanted = (
            np.triu(square, 1) if self.form == "undirected" else ~np.eye(self.nodes, dtype=bool)
        )
        return np.flatnonzero(wanted & square)

    @property
    def bits(self) -> int:
        """Number of bits of a graph."""
        return len(self.cells) * (2 if self.form == "marks" else 1)

    @property
    def words(self) -> int:
        """Number of words of a graph."""
        return -(-self.bits // _WORD)

    def bit(self, i: int, j: int) -> int:
        """Return the number of the (low) bit of a pair of nodes."""
        if self.form == "undirected":
            i, j = min(i, j), max(i, j)
        return int(np.searchsorted(self.cells, i * self.nodes + j))

    def pack(self, matrices: npt.NDArray[np.uint8] | Bools) -> Words:
        """Pack adjacency matrices, or matrices of marks, into rows of bits."""
        flat = matrices.reshape(len(matrices), self.nodes * self.nodes)[:, self.cells]
        if self.form == "marks":
            flat = np.concatenate([flat & 1, flat >> 1], axis=1)
        octets = np.packbits(flat.astype(np.bool_), axis=1, bitorder="little")
        rows = np.zeros((len(flat), self.words * 8), dtype=np.uint8)
        rows[:, : octets.shape[1]] = octets
        return rows.view("<u8")

    def unpack(self, rows: Words) -> npt.NDArray[np.uint8]:
        """Unpack rows of bits to adjacency matrices (symmetric if undirected), or marks."""
        count = len(rows)
        octets = np.ascontiguousarray(rows).view(np.uint8).reshape(count, self.words * 8)
        bits = np.unpackbits(octets, axis=1, count=self.bits, bitorder="little")
        if self.form == "marks":
            low, high = np.split(bits, 2, axis=1)
            bits = low + high + high
        result = np.zeros((count, self.nodes * self.nodes), dtype=np.uint8)
        result[:, self.cells] = bits
        square = result.reshape(count, self.nodes, self.nodes)
        return square | square.transpose(0, 2, 1) if self.form == "undirected" else square

    def adjacency(self, rows: Words) -> Bools:
        """Return adjacency matrices from row to column, with undirected edges both ways."""
        matrices = self.unpack(rows)
        if self.form != "marks":
            return np.not_equal(matrices, 0)
        turned = matrices.transpose(0, 2, 1)
        back: Bools = (turned == Mark.ARROW) & (matrices == Mark.TAIL)
        return np.not_equal(matrices, Mark.NONE) & ~back

    def arcs(self, rows: Words) -> Words:
        """Convert packed graphs to the form ``arcs``."""
        return rows if self.form == "arcs" else self.recast(rows, "arcs")

    def recast(self, rows: Words, form: Form) -> Words:
        """Convert packed graphs to another form that can represent them (``arcs`` always can)."""
        if form == self.form:
            return rows
        other = Packing(self.nodes, form)
        if form == "arcs":
            return other.pack(self.adjacency(rows))
        edges = self.adjacency(rows)
        turned = edges.transpose(0, 2, 1)
        marks = np.where(edges, np.where(turned, Mark.TAIL, Mark.ARROW), Mark.NONE)
        marks = np.where(~edges & turned, Mark.TAIL, marks)
        return other.pack(marks.astype(np.uint8))

    def graph(self, names: tuple[str, ...], row: Words) -> Graph:
        """Return one row as a graph."""
        matrix = self.unpack(row[None])[0]
        if self.form == "marks":
            return Graph(names, matrix)
        return Graph.from_adjacency(names, matrix)


def form_of(graphs: Sequence[Graph]) -> Form:
    """Return the smallest form that can represent all graphs."""
    if all(graph.is_undirected for graph in graphs):
        return "undirected"
    return "arcs" if all(_of_arcs(graph) for graph in graphs) else "marks"


def _of_arcs(graph: Graph) -> bool:
    """Whether all edges are directed or undirected."""
    marks = graph.marks
    tails = (marks == Mark.TAIL) | (marks.T == Mark.TAIL)
    return not np.any(marks == Mark.CIRCLE) and bool(np.all(tails | (marks == Mark.NONE)))


def packed_graphs(graphs: Sequence[Graph], names: tuple[str, ...]) -> tuple[Form, Words]:
    """Pack graphs into rows of bits, with nodes in the order of `names`."""
    form = form_of(graphs)
    packing = Packing(len(names), form)
    rows = np.empty((len(graphs), packing.words), dtype="<u8")
    for k, graph in enumerate(graphs):
        same = graph if graph.names == names else graph.subgraph(_same_names(graph, names, k))
        matrix = same.marks if form == "marks" else same.adjacency
        rows[k] = packing.pack(matrix[None])[0]
    return form, rows


def _same_names(graph: Graph, names: tuple[str, ...], k: int) -> tuple[str, ...]:
    if set(graph.names) == set(names):
        return names
    absent = [name for name in names if name not in graph]
    extra = [name for name in graph.names if name not in names]
    raise GraphError(
        f"draw {k} is a graph over other nodes: it has {listing(extra)} besides, and lacks "
        f"{listing(absent)}"
    )
