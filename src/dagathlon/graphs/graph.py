"""`Graph`: names and endpoint marks, one type for every kind of graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.errors import GraphError, unknown
from dagathlon.graphs.checks import require_dag
from dagathlon.graphs.exchange import Exchange
from dagathlon.graphs.marks import Mark, connector, marks_of
from dagathlon.immutable import Immutable
from dagathlon.wording import counted

MarkMatrix: TypeAlias = npt.NDArray[np.uint8]
Kind: TypeAlias = Literal["dag", "cpdag", "pattern", "undirected", "mag", "pag", "mixed"]


class Edge(NamedTuple):
    """A written edge: ``left``, ``connector`` (``->``, ``-``, ``o->``, …), ``right``."""

    left: str
    connector: str
    right: str

    def __str__(self) -> str:
        return f"{self.left} {self.connector} {self.right}"


class EdgeArrays(NamedTuple):
    """Edges as arrays of row numbers and marks: the compact form of large sparse graphs.

    Parameters
    ----------
    pairs
        One row per edge: the row numbers of its nodes, the lower one first.
    marks
        One row per edge: the `Mark` at its first and the one at its second node.
    """

    pairs: npt.NDArray[np.int64]
    marks: npt.NDArray[np.uint8]


class Graph(Exchange, Immutable):
    """An immutable graph: node names and a matrix of endpoint marks.

    Undirected graphs, DAGs, CPDAGs, patterns, MAGs and PAGs are all of this one type; `kind` is
    derived from the marks. Two graphs are equal when they have the same names and the same
    marks between them, whatever the order of the nodes.

    Parameters
    ----------
    names
        Node names, unique and not empty.
    marks
        Matrix of `Mark` values, from row to column: ``marks[i, j]`` is the mark at node ``j`` on
        the edge between ``i`` and ``j``, so ``i → j`` has an arrow in ``[i, j]`` and a tail in
        ``[j, i]``. No marks means no edges.
    """

    __slots__ = ("__dict__", "_names", "_native")

    def __init__(self, names: Iterable[str], marks: npt.ArrayLike | None = None) -> None:
        self._names = _checked_names(names)
        if marks is None:
            self._native = _core.MarkedGraph.from_edges(len(self._names), *_NOTHING)
        else:
            self._native = _checked(marks, self._names)

    @classmethod
    def _of(cls, names: tuple[str, ...], native: _core.MarkedGraph) -> Graph:
        """Wrap a native graph and its node names, which are not checked."""
        graph = cls.__new__(cls)
        graph._names = names
        graph._native = native
        return graph

    @classmethod
    def from_native(cls, names: Iterable[str], native: _core.MarkedGraph) -> Graph:
        """Make a graph from a native graph, without computing the matrix of marks."""
        labels = _checked_names(names)
        if len(native) != len(labels):
            raise GraphError(_other_number(len(native), len(labels)))
        return cls._of(labels, native)

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[str | tuple[str, str] | tuple[str, str, str]],
        names: Iterable[str] | None = None,
    ) -> Graph:
        """Make a graph from written edges.

        Parameters
        ----------
        edges
            ``"A -> B"``, ``("A", "->", "B")`` or ``("A", "B")``, the last meaning ``A → B``.
        names
            The nodes, in order; by default the nodes of the edges in order of appearance.
        """
        parsed = [_parse_edge(edge) for edge in edges]
        met = dict.fromkeys(end for edge in parsed for end in (edge.left, edge.right))
        nodes = _checked_names(met if names is None else names)
        index = {name: i for i, name in enumerate(nodes)}
        pairs: dict[tuple[int, int], tuple[int, int]] = {}
        for edge in parsed:
            for end in (edge.left, edge.right):
                if end not in index:
                    raise GraphError(unknown("node", end, nodes, f"edge {edge}"))
            i, j = index[edge.left], index[edge.right]
            ends = marks_of(edge.connector)
            if i == j:
                raise GraphError(f"edge {edge}: a node has no edge with itself")
            pair, marks = ((i, j), ends) if i < j else ((j, i), ends[::-1])
            if pairs.setdefault(pair, marks) != marks:
                raise GraphError(f"edge {edge}: {edge.left} and {edge.right} are joined twice")
        return cls.from_edge_arrays(nodes, edge_arrays_of(pairs))

    @classmethod
    def from_edge_arrays(cls, names: Iterable[str], edges: EdgeArrays) -> Graph:
        """Make a graph from arrays of row numbers and marks, as `edge_arrays` gives them.

        Parameters
        ----------
        names
            The nodes, in order.
        edges
            The edges, each once, in any order.
        """
        labels = _checked_names(names)
        pairs = np.asarray(edges.pairs, dtype=np.int64).reshape(-1, 2)
        marks = np.asarray(edges.marks, dtype=np.uint8).reshape(-1, 2)
        rows, ends = np.ascontiguousarray(pairs), np.ascontiguousarray(marks)
        try:
            return cls._of(labels, _core.MarkedGraph.from_edges(len(labels), rows, ends))
        except (ValueError, IndexError) as error:
            raise GraphError(f"edges as pairs of row numbers with marks: {error}") from None

    @classmethod
    def from_adjacency(cls, names: Iterable[str], matrix: npt.ArrayLike) -> Graph:
        """Make a graph from a 0/1 matrix, from row to column; both directions mean undirected."""
        labels = _checked_names(names)
        cells = np.asarray(matrix)
        if cells.shape != (len(labels), len(labels)):
            raise GraphError(
                f"an adjacency matrix of {len(labels)} nodes is {len(labels)}×{len(labels)}, "
                f"found {'×'.join(map(str, cells.shape))}"
            )
        rows, columns = np.nonzero(cells != 0)
        odd = np.flatnonzero(cells[rows, columns] != 1)
        if len(odd):
            i, j = rows[odd[0]], columns[odd[0]]
            raise GraphError(
                f"adjacency matrix, row {labels[i]}, column {labels[j]}: found {cells[i, j]}, "
                "allowed are 0 and 1"
            )
        if np.any(rows == columns):
            name = labels[int(rows[rows == columns][0])]
            raise GraphError(f"adjacency matrix: node {name} has an edge with itself")
        both = cells[columns, rows] != 0
        counted_once = ~both | (rows < columns)
        rows, columns, both = rows[counted_once], columns[counted_once], both[counted_once]
        pairs = np.array((rows, columns), dtype=np.int64).T.copy()
        marks = np.full(pairs.shape, int(Mark.TAIL), dtype=np.uint8)
        marks[~both, 1] = Mark.ARROW
        return cls._of(labels, _core.MarkedGraph.from_edges(len(labels), pairs, marks))

    @classmethod
    def from_pairs(
        cls, names: Iterable[str], pairs: npt.ArrayLike, *, directed: bool = True
    ) -> Graph:
        """Make a graph from pairs of row numbers; quick for many nodes with few edges.

        Parameters
        ----------
        names
            The nodes, in order.
        pairs
            One row per edge: from the first node to the second.
        directed
            Whether the edges are directed rather than undirected.
        """
        labels = _checked_names(names)
        rows = np.ascontiguousarray(np.asarray(pairs, dtype=np.int64).reshape(-1, 2))
        try:
            return cls._of(labels, _core.MarkedGraph.from_pairs(len(labels), rows, directed))
        except (ValueError, IndexError) as error:
            raise GraphError(f"edges as pairs of row numbers: {error}") from None

    @property
    def names(self) -> tuple[str, ...]:
        """Node names, in order."""
        return self._names

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Row number of each name."""
        return MappingProxyType({name: i for i, name in enumerate(self._names)})

    @cached_property
    def marks(self) -> MarkMatrix:
        """Read-only matrix of marks, from row to column (see the class)."""
        marks: MarkMatrix = self._native.marks()
        marks.flags.writeable = False
        return marks

    @property
    def adjacency(self) -> npt.NDArray[np.uint8]:
        """0/1 matrix, from row to column, as in Benchpress.

        ``i → j`` is 1 in ``[i, j]`` alone; every edge without a tail at one end and an
        arrow at the other (undirected, bidirected, with circles) is 1 in both directions.
        """
        (i, j), (at_i, at_j) = (part.T for part in self.edge_arrays())
        cells = np.zeros((len(self), len(self)), dtype=np.uint8)
        cells[i, j] = (at_i != Mark.ARROW) | (at_j != Mark.TAIL)
        cells[j, i] = (at_j != Mark.ARROW) | (at_i != Mark.TAIL)
        return cells

    def edge_arrays(self) -> EdgeArrays:
        """Return all edges, each once, in node order, as row numbers and marks."""
        pairs = self._native.joined_pairs(self._native)
        return EdgeArrays(pairs, self._native.marks_of_pairs(pairs))

    @property
    def native(self) -> _core.MarkedGraph:
        """The native graph, for functions that work on row numbers."""
        return self._native

    @property
    def n_edges(self) -> int:
        """Number of edges of any kind."""
        return self._native.edge_count()

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self.index

    def edges(self) -> list[Edge]:
        """Return all edges, each once, in node order; ``A <- B`` is written ``B -> A``."""
        result = []
        pairs, marks = (part.tolist() for part in self.edge_arrays())
        for (i, j), (at_i, at_j) in zip(pairs, marks, strict=True):
            if at_i == Mark.ARROW and at_j != Mark.ARROW:
                result.append(Edge(self._names[j], connector(at_j, at_i), self._names[i]))
            else:
                result.append(Edge(self._names[i], connector(at_i, at_j), self._names[j]))
        return result

    def position(self, name: str) -> int:
        """Return the row number of a node; an unknown name raises with the nearest match."""
        try:
            return self.index[name]
        except (KeyError, TypeError):
            raise GraphError(unknown("node", name, self._names)) from None

    def positions(self, names: Iterable[str]) -> list[int]:
        """Return the row numbers of several nodes."""
        return [self.position(name) for name in names]

    def nodes_at(self, rows: Iterable[int]) -> tuple[str, ...]:
        """Return the names of the nodes with these row numbers."""
        return tuple(self._names[i] for i in rows)

    def parents(self, name: str) -> tuple[str, ...]:
        """Return the nodes with a directed edge into `name`."""
        return self.nodes_at(self._native.parents(self.position(name)))

    def children(self, name: str) -> tuple[str, ...]:
        """Return the nodes into which `name` has a directed edge."""
        return self.nodes_at(self._native.children(self.position(name)))

    def neighbours(self, name: str) -> tuple[str, ...]:
        """Return the nodes joined to `name` by an undirected edge."""
        return self.nodes_at(self._native.neighbours(self.position(name)))

    def spouses(self, name: str) -> tuple[str, ...]:
        """Return the nodes joined to `name` by a bidirected edge."""
        return self.nodes_at(self._native.spouses(self.position(name)))

    def adjacencies(self, name: str) -> tuple[str, ...]:
        """Return the nodes joined to `name` by an edge of any kind."""
        return self.nodes_at(self._native.adjacencies(self.position(name)))

    @property
    def is_dag(self) -> bool:
        """Whether all edges are directed and there is no cycle; true without any edge."""
        return _core.is_dag(self._native)

    @property
    def is_undirected(self) -> bool:
        """Whether all edges are undirected; true without any edge."""
        return _core.is_undirected(self._native)

    @property
    def is_chordal(self) -> bool:
        """Whether all edges are undirected and every cycle of four or more nodes has a chord.

        With any other edge the answer is False, whatever the skeleton (use
        ``skeleton(graph).is_chordal`` for that).
        """
        return self.is_undirected and _core.perfect_elimination_order(self._native) is not None

    @property
    def is_cpdag(self) -> bool:
        """Whether this is the CPDAG of some DAG, that is, of a Markov equivalence class."""
        return _core.is_cpdag(self._native)

    @property
    def is_pattern(self) -> bool:
        """Whether this is the pattern of some DAG: directed edges are those of v-structures."""
        return _core.is_pattern(self._native)

    @cached_property
    def kind(self) -> Kind:
        """Kind of graph derived from its marks, the first of the list that fits.

        ``dag``: directed edges without a cycle, or no edge at all; ``undirected``:
        undirected edges only; ``pag`` and ``mag``: valid ones, with and without circles;
        ``cpdag`` and ``pattern``: valid ones of directed and undirected edges; anything
        else is ``mixed``.
        """
        if self.is_dag:
            return "dag"
        if self.is_undirected:
            return "undirected"
        if self._native.has(Mark.CIRCLE):
            return "pag" if _core.is_pag(self._native) else "mixed"
        if not _core.is_pdag(self._native):
            return "mag" if _core.is_mag(self._native) else "mixed"
        if self.is_cpdag:
            return "cpdag"
        return "pattern" if self.is_pattern else "mixed"

    def topological_order(self) -> tuple[str, ...]:
        """Return the nodes of a DAG, parents before children; of other graphs in node order."""
        require_dag(self, "a topological order")
        return self.nodes_at(_core.topological_order(self._native))

    def ancestors(self, names: str | Iterable[str]) -> tuple[str, ...]:
        """Return `names` and all nodes with a directed path to one of them."""
        return self.nodes_at(_core.ancestors(self._native, self._rows(names)))

    def descendants(self, names: str | Iterable[str]) -> tuple[str, ...]:
        """Return `names` and all nodes that a directed path reaches from one of them."""
        return self.nodes_at(_core.descendants(self._native, self._rows(names)))

    def markov_blanket(self, name: str) -> tuple[str, ...]:
        """Return parents, children and children's other parents of a node of a DAG."""
        require_dag(self, "a Markov blanket")
        return self.nodes_at(_core.markov_blanket(self._native, self.position(name)))

    def v_structures(self) -> list[tuple[str, str, str]]:
        """Return unshielded colliders, each as ``(x, collider, y)``, in the order of the colliders.

        ``x`` and ``y`` are not adjacent and both their edges have an arrow at the collider,
        whatever the mark at the other end.
        """
        names = self._names
        return [(names[x], names[c], names[y]) for x, c, y in _core.v_structures(self._native)]

    def _rows(self, names: str | Iterable[str]) -> list[int]:
        return self.positions([names] if isinstance(names, str) else names)

    def subgraph(self, names: Sequence[str]) -> Graph:
        """Return the induced subgraph on `names`, in that order; all names reorder the nodes."""
        if tuple(names) == self._names:
            return self
        rows = self.positions(names)
        if len(set(rows)) != len(rows):
            raise GraphError("a subgraph names each node once")
        return Graph._of(self.nodes_at(rows), self._native.induced(rows))

    def renamed(self, names: Iterable[str]) -> Graph:
        """Return the graph with new node names, given in order."""
        labels = _checked_names(names)
        if len(labels) != len(self):
            raise GraphError(_other_number(len(self), len(labels)))
        return Graph._of(labels, self._native)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        if self._names == other._names:
            return self._native.equals(other._native)
        if set(self._names) != set(other._names):
            return False
        return self._native.equals(other.subgraph(self._names)._native)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        ordered = self.subgraph(sorted(self._names))
        pairs, marks = ordered.edge_arrays()
        return hash((ordered._names, pairs.tobytes(), marks.tobytes()))

    def __repr__(self) -> str:
        from dagathlon.graphs.drawing.summary import summary  # noqa: PLC0415 - drawing needs Graph

        return summary(self)

    def _repr_html_(self) -> str:
        from dagathlon.graphs.drawing.summary import html  # noqa: PLC0415 - drawing needs Graph

        return html(self)

    def __reduce__(self) -> tuple[Callable[..., Graph], tuple[Any, ...]]:
        return (Graph.from_edge_arrays, (self._names, self.edge_arrays()))

    @cached_property
    def is_mag(self) -> bool:
        """Whether this is a maximal ancestral graph; DAGs and undirected graphs are."""
        return _core.is_mag(self._native)

    @cached_property
    def is_pag(self) -> bool:
        """Whether this is the partial ancestral graph of a class of Markov-equivalent MAGs."""
        return _core.is_pag(self._native)


def edge_arrays_of(edges: Mapping[tuple[int, int], tuple[int, int]]) -> EdgeArrays:
    """Return edges, given as marks by pair of row numbers, as arrays."""
    pairs = np.array(list(edges), dtype=np.int64).reshape(-1, 2)
    return EdgeArrays(pairs, np.array(list(edges.values()), dtype=np.uint8).reshape(-1, 2))


_NOTHING = edge_arrays_of({})


def _parse_edge(edge: str | tuple[str, str] | tuple[str, str, str]) -> Edge:
    parts = tuple(edge.split()) if isinstance(edge, str) else tuple(edge)
    if len(parts) == 2 and not isinstance(edge, str):
        return Edge(parts[0], "->", parts[1])
    if len(parts) == 3:
        return Edge(*parts)
    raise GraphError(f"an edge is written like 'A -> B', found {edge!r}")


def _checked_names(names: Iterable[str]) -> tuple[str, ...]:
    labels = tuple(names)
    for label in labels:
        if not isinstance(label, str) or not label:
            raise GraphError(f"a node name is a non-empty text, found {label!r}")
    if len(set(labels)) != len(labels):
        twice = next(label for i, label in enumerate(labels) if label in labels[:i])
        raise GraphError(f"node name {twice!r} stands twice")
    return labels


def _checked(marks: npt.ArrayLike, names: tuple[str, ...]) -> _core.MarkedGraph:
    """Convert marks to a native graph; raise an error that names the first invalid pair."""
    matrix = np.asarray(marks)
    p = len(names)
    if matrix.shape != (p, p):
        shape = "×".join(map(str, matrix.shape))
        raise GraphError(f"a mark matrix of {p} nodes is {p}×{p}, found {shape}")
    if matrix.dtype == np.uint8:
        try:
            return _core.MarkedGraph(np.ascontiguousarray(matrix))
        except ValueError:
            pass  # errors are reported below
    _refuse_bad_pair(matrix, names)
    return _core.MarkedGraph(np.ascontiguousarray(matrix, dtype=np.uint8))


def _refuse_bad_pair(matrix: npt.NDArray[Any], names: tuple[str, ...]) -> None:
    bad = ~np.isin(matrix, list(Mark)) | ((matrix == 0) != (matrix.T == 0))
    bad |= np.eye(len(names), dtype=bool) & (matrix != 0)
    if np.any(bad):
        i, j = np.argwhere(bad)[0]
        raise GraphError(
            f"marks between {names[i]} and {names[j]}: found {matrix[i, j]} and {matrix[j, i]}; an "
            "edge joins two different nodes and has a mark (1 circle, 2 arrow, 3 tail) at both ends"
        )


def _other_number(n_nodes: int, n_names: int) -> str:
    return f"a graph of {counted(n_nodes, 'node')} cannot take {counted(n_names, 'name')}"
