"""Partial graphs: edge types of some node pairs only, such as those several graphs agree on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, reduce
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.errors import GraphError, listing, unknown
from dagathlon.graphs.graph import Edge, Graph, MarkMatrix
from dagathlon.graphs.languages import Language, check_language, common_language, marks_in
from dagathlon.graphs.marks import Mark, connector
from dagathlon.immutable import Immutable

Bools: TypeAlias = npt.NDArray[np.bool_]

OUTSIDE = np.uint8(255)
"""Value in `PartialGraph.types` of a pair that is not in the partial graph."""


class PartialGraph(Immutable):
    """Edge types of some pairs of nodes; the other pairs are undetermined.

    Each pair of the partial graph has a type: not adjacent, or joined with certain marks at its
    ends. A graph is the special case of all pairs. ``a & b`` is the strict intersection: the
    pairs that have the same type in both.

    Parameters
    ----------
    names
        Node names.
    types
        Marks from row to column as in `Graph`, and `OUTSIDE` at both ends of a pair that is not in
        the partial graph.
    by
        The language of the types; only partial graphs of one language are compared.

    References
    ----------
    Viinikka, Eggeling and Koivisto 2018, Intersection-validation: a method for evaluating structure
    learning without ground truth, AISTATS.
    """

    __slots__ = ("__dict__", "_by", "_names", "_types")

    def __init__(
        self, names: Iterable[str], types: npt.ArrayLike, by: Language = "classes"
    ) -> None:
        check_language(by)
        matrix = np.array(types, dtype=np.uint8)
        inside = matrix != OUTSIDE
        if (inside != inside.T).any():
            raise GraphError("a pair of a partial graph has a type at both ends or at neither")
        # The marks inside are those of a graph: its checks name the pair that is wrong.
        checked = Graph(names, np.where(inside, matrix, Mark.NONE))
        np.fill_diagonal(matrix, OUTSIDE)
        self._set(checked.names, matrix, by)

    def _set(self, names: tuple[str, ...], types: MarkMatrix, by: Language) -> None:
        types.flags.writeable = False
        self._names, self._types, self._by = names, types, by

    @classmethod
    def _of(cls, names: tuple[str, ...], types: MarkMatrix, by: Language) -> PartialGraph:
        """Wrap types without checking them."""
        made = cls.__new__(cls)
        made._set(names, types, by)
        return made

    @classmethod
    def of(cls, graph: Graph, by: Language = "classes") -> PartialGraph:
        """Return the types of all pairs of nodes; `by` says what of an edge counts.

        Parameters
        ----------
        graph
            A graph of any kind. A DAG is replaced by its CPDAG; a graph of directed and undirected
            edges that is no CPDAG is taken as it is.
        by
            ``classes``: not adjacent, forward, backward or undirected, as in the paper; a
            bidirected edge, which some learners write for a conflict, is a fifth type.
            ``marks``: the marks at both ends, for PAGs; a MAG is replaced by its PAG.
            ``arrowheads``: adjacency, and at which ends there is an arrowhead, for PAGs beside
            classes of DAGs: circles and tails are both no arrowhead.
            ``skeletons``: adjacency alone, for undirected graphs beside others.
        """
        types = marks_in(graph, by)
        np.fill_diagonal(types, OUTSIDE)
        return cls._of(graph.names, types, by)

    @property
    def names(self) -> tuple[str, ...]:
        """Node names, in order."""
        return self._names

    @property
    def types(self) -> MarkMatrix:
        """Read-only marks from row to column, `OUTSIDE` for pairs not in the partial graph."""
        return self._types

    @property
    def by(self) -> Language:
        """Comparison language of the types."""
        return self._by

    @cached_property
    def inside(self) -> Bools:
        """Mask of the pairs that are in the partial graph."""
        mask: Bools = self._types != OUTSIDE
        mask.flags.writeable = False
        return mask

    @property
    def n_pairs(self) -> int:
        """Number of (unordered) pairs in the partial graph."""
        return int(np.count_nonzero(self.inside)) // 2

    @property
    def n_connected(self) -> int:
        """Number of adjacent pairs in the partial graph."""
        return int(np.count_nonzero(self.inside & (self._types != Mark.NONE))) // 2

    @property
    def n_all(self) -> int:
        """Number of all pairs of nodes."""
        return len(self._names) * (len(self._names) - 1) // 2

    @property
    def relative_size(self) -> float:
        """Share of all pairs that are in the partial graph; 1 if there are no pairs."""
        return self.n_pairs / self.n_all if self.n_all else 1.0

    def edges(self) -> list[Edge]:
        """Return the adjacent pairs as edges, without the marks that the language ignores."""
        return self.as_graph().edges()

    def excluded(self) -> list[tuple[str, str]]:
        """Return the pairs that are not in the partial graph, in node order."""
        rows, columns = np.nonzero(np.triu(~self.inside, 1))
        return [
            (self._names[i], self._names[j])
            for i, j in zip(rows.tolist(), columns.tolist(), strict=True)
        ]

    def as_graph(self) -> Graph:
        """Return the adjacent pairs as a graph, in which excluded pairs have no edge."""
        marks = np.where(self.inside, self._types, np.uint8(Mark.NONE))
        return Graph(self._names, marks)

    def type_of(self, left: str, right: str) -> str | None:
        """Return the edge between two nodes as text, from left to right.

        It is empty where they are not adjacent, None where the pair is not in the partial
        graph.
        """
        for name in (left, right):
            if name not in self._names:
                raise GraphError(unknown("node", name, self._names))
        i, j = self._names.index(left), self._names.index(right)
        at_left, at_right = self._types[j, i], self._types[i, j]
        if at_left == OUTSIDE:
            return None
        return connector(at_left, at_right) if at_left else ""

    def __and__(self, other: PartialGraph) -> PartialGraph:
        """Return the strict intersection: pairs of the same type in both."""
        if not isinstance(other, PartialGraph):
            return NotImplemented
        theirs = self._types_of(other)
        # Outside in both is equal, outside in one is not: both leave the pair outside.
        same = self._types == theirs
        same &= same.T
        return self._of(self._names, np.where(same, self._types, OUTSIDE), self._by)

    def projected(self, other: PartialGraph) -> PartialGraph:
        """Return this restricted to the pairs of another one, all of which it must have."""
        inside = PartialGraph._types_of(self, other) != OUTSIDE
        if (inside & ~self.inside).any():
            i, j = np.argwhere(inside & ~self.inside)[0]
            raise GraphError(
                f"the pair {self._names[i]}, {self._names[j]} is in the one partial graph and not "
                "in the other: only graphs that speak of the same pairs have a distance"
            )
        return self._of(self._names, np.where(inside, self._types, OUTSIDE), self._by)

    def differing(self, other: PartialGraph) -> Bools:
        """Return a mask of pairs whose type differs in another one, which must have all of them."""
        mask = self._types_of(other.projected(self)) != self._types
        both: Bools = mask | mask.T
        return both

    def in_order(self, names: Sequence[str]) -> PartialGraph:
        """Return the partial graph with its nodes in another order."""
        wanted = tuple(names)
        return self._of(wanted, _in_order(self._names, wanted, self._types), self._by)

    def _types_of(self, other: PartialGraph) -> MarkMatrix:
        """Return the types of another one in this node order."""
        if self._by != other._by:
            raise GraphError(
                f"partial graphs by {self._by} and by {other._by} cannot be compared; "
                "common_language(graphs) finds what fits all of them"
            )
        return _in_order(other._names, self._names, other._types)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PartialGraph):
            return NotImplemented
        if self._by != other._by or set(self._names) != set(other._names):
            return False
        return bool(np.array_equal(self._types, self._types_of(other)))

    def __hash__(self) -> int:
        ordered = self.in_order(sorted(self._names))
        return hash((self._by, ordered._names, ordered._types.tobytes()))

    def __repr__(self) -> str:
        return (
            f"<PartialGraph of {len(self._names)} nodes by {self._by}: {self.n_pairs} of "
            f"{self.n_all} pairs, {self.n_connected} of them joined>"
        )

    def __reduce__(self) -> tuple[type[PartialGraph], tuple[object, ...]]:
        return (PartialGraph, (self._names, self._types, self._by))


def agreement_graph(
    graphs: Iterable[Graph], by: Language | None = None, outputs: Iterable[str | None] | None = None
) -> PartialGraph:
    """Return the strict intersection of all graphs: the pairs whose type is the same in all.

    Parameters
    ----------
    graphs
        One graph or more over the same nodes, in whatever order.
    by
        The language; by default the common one.
    outputs
        As in `common_language`.
    """
    all_graphs = list(graphs)
    if not all_graphs:
        raise GraphError("an agreement graph needs one graph or more")
    language = common_language(all_graphs, outputs) if by is None else by
    return reduce(PartialGraph.__and__, (PartialGraph.of(graph, language) for graph in all_graphs))


def partial_hamming_distance(
    graph: Graph | PartialGraph,
    agreement: PartialGraph,
    weights: npt.NDArray[np.float64] | None = None,
) -> float:
    """Return the number of pairs of a partial graph whose type differs in a graph.

    Parameters
    ----------
    graph
        A graph over the same nodes, or a partial graph with at least the same pairs.
    agreement
        The partial graph whose pairs count.
    weights
        Weight of each pair, a symmetric matrix in the order of the nodes of `agreement`; 1 by
        default.
    """
    other = PartialGraph.of(graph, agreement.by) if isinstance(graph, Graph) else graph
    differing = agreement.differing(other)
    if weights is None:
        return int(np.count_nonzero(differing)) // 2
    return float(weights[np.triu(differing)].sum())


def _in_order(names: Sequence[str], wanted: Sequence[str], matrix: MarkMatrix) -> MarkMatrix:
    """Return a matrix with rows and columns reordered; different nodes are refused."""
    if names == wanted:
        return matrix
    index = {name: i for i, name in enumerate(names)}
    if index.keys() != set(wanted):
        only = [name for name in wanted if name not in index]
        others = [name for name in names if name not in set(wanted)]
        raise GraphError(
            "these are not graphs of the same nodes: only in the one: "
            f"{listing(only)}; only in the other: {listing(others)}"
        )
    rows = [index[name] for name in wanted]
    return np.ascontiguousarray(matrix[np.ix_(rows, rows)])
