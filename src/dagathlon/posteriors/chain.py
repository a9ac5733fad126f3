"""`Chain`: a Markov chain of graphs, kept as the changes from one to the next."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, partial
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.errors import DataError
from dagathlon.graphs import Graph

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]


class Edits(NamedTuple):
    """Edges that are added in each row, or those that are removed.

    Parameters
    ----------
    edges
        Pairs of node numbers, from first to second, row after row: an array of shape (m, 2).
    starts
        For each row the place of its first edge in `edges`, and at last m.
    """

    edges: npt.NDArray[np.int32]
    starts: Ints

    @classmethod
    def of(cls, rows: Iterable[npt.ArrayLike]) -> Edits:
        """From one list of pairs per row."""
        pairs = [np.asarray(row, dtype=np.int32).reshape(-1, 2) for row in rows]
        starts = np.cumsum([0, *map(len, pairs)], dtype=np.int64)
        return cls(np.concatenate([np.empty((0, 2), np.int32), *pairs]), starts)

    @property
    def rows(self) -> Ints:
        """The row of each edge."""
        return np.repeat(np.arange(len(self.starts) - 1, dtype=np.int64), np.diff(self.starts))

    def kept(self, keep: npt.NDArray[np.bool_]) -> Edits:
        """Only some of the edges."""
        if keep.all():
            return self
        counts = np.concatenate(([0], np.cumsum(keep)))
        return Edits(self.edges[keep], counts[self.starts])


class Chain:
    """An immutable Markov chain of graphs over the same nodes.

    Only states that differ from the one before have a row. A state lasts from the index of its row
    to the index of the next row; the last row marks the end of the chain, so a sampler closes its
    chain with a row without changes whose index is the number of states. A chain of a single row
    has that one state.

    Parameters
    ----------
    names
        The nodes.
    directed
        Whether edges go from the first to the second node of a pair.
    index
        Place of each row in the chain, from 0 on, never falling.
    score
        Score of the graph after each row.
    added, removed
        Edges that each row adds, and then removes; the first row adds the edges of the start
        graph. Adding an edge that is there, or removing one that is not, changes nothing.
    time
        Time at which each row begins, for chains in continuous time; states then count by how long
        they last.
    """

    def __init__(
        self,
        names: Iterable[str],
        directed: bool,
        *,
        index: npt.ArrayLike,
        score: npt.ArrayLike,
        added: Edits,
        removed: Edits,
        time: npt.ArrayLike | None = None,
    ) -> None:
        self.names = tuple(names)
        self.directed = directed
        self.index: Ints = np.asarray(index, dtype=np.int64)
        self.score: Floats = np.asarray(score, dtype=np.float64)
        self.time: Floats | None = None if time is None else np.asarray(time, dtype=np.float64)
        self._check_rows()
        edits = [self._checked(which) for which in (added, removed)]
        self.added, self.removed = _effective(edits[0], edits[1], len(self.names))
        for array in (self.index, self.score, *self.added, *self.removed, self.time):
            if array is not None:
                array.flags.writeable = False

    def _check_rows(self) -> None:
        rows = self.index.shape
        if rows == (0,) or len(rows) != 1 or self.score.shape != rows:
            raise DataError("a chain has at least one row, and in each an index and a score")
        if self.index[0] < 0 or np.any(np.diff(self.index) < 0):
            raise DataError("the index of a chain begins at 0 or later and never falls")
        if self.time is not None and self.time.shape != rows:
            raise DataError("a chain in continuous time has a time in every row")
        if self.time is not None and not np.all(np.diff(self.time) >= 0):
            raise DataError("the times of a chain never fall")

    def _checked(self, edits: Edits) -> Edits:
        edges = np.ascontiguousarray(edits.edges, dtype=np.int32)
        if len(edits.starts) != len(self.index) + 1 or edits.starts[-1] != len(edges):
            raise DataError("a chain has a list of added and one of removed edges in every row")
        if np.any((edges < 0) | (edges >= len(self.names))):
            raise DataError(f"edges of a chain join nodes 0 to {len(self.names) - 1}")
        if np.any(edges[:, 0] == edges[:, 1]):
            raise DataError("a node of a chain has no edge with itself")
        return Edits(edges if self.directed else np.sort(edges, axis=1), edits.starts)

    def __len__(self) -> int:
        return len(self.index)

    @property
    def end(self) -> int:
        """Index of the last row: the number of states of a chain that begins at 0."""
        return int(self.index[-1])

    @cached_property
    def sizes(self) -> Ints:
        """Number of edges after each row."""
        sizes: Ints = np.cumsum(np.diff(self.added.starts) - np.diff(self.removed.starts))
        return sizes

    def graph_at(self, row: int) -> Graph:
        """The graph after a row."""
        p = len(self.names)
        present = np.zeros(p * p, dtype=np.int64)
        for edits, sign in ((self.added, 1), (self.removed, -1)):
            edges = edits.edges[: edits.starts[row + 1]].astype(np.int64)
            present += sign * np.bincount(edges[:, 0] * p + edges[:, 1], minlength=p * p)
        matrix = present.reshape(p, p)
        return Graph.from_adjacency(self.names, matrix if self.directed else matrix | matrix.T)

    def best(self) -> Graph:
        """The graph of highest score, the first one if there are several."""
        return self.graph_at(int(np.argmax(self.score)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Chain):
            return NotImplemented
        if (self.names, self.directed) != (other.names, other.directed):
            return False
        if (self.time is None) != (other.time is None):
            return False
        return all(map(np.array_equal, self._arrays(), other._arrays()))

    __hash__ = None  # type: ignore[assignment]  # as large as an array, and as unhashable

    def _arrays(self) -> list[npt.NDArray[np.int64] | npt.NDArray[np.float64]]:
        time = np.empty(0) if self.time is None else self.time
        return [self.index, self.score, time, *self.added, *self.removed]  # type: ignore[list-item]

    def __reduce__(self) -> tuple[partial[Chain], tuple[object, ...]]:
        rows = {
            name: getattr(self, name) for name in ("index", "score", "added", "removed", "time")
        }
        return (partial(Chain, **rows), (self.names, self.directed))


def _effective(added: Edits, removed: Edits, p: int) -> tuple[Edits, Edits]:
    """Leave out edits that change nothing, so that additions and removals of an edge alternate."""
    rows = np.concatenate([added.rows, removed.rows])
    edges = np.concatenate([added.edges, removed.edges]).astype(np.int64)
    present = np.arange(len(edges)) < len(added.edges)
    edge = edges[:, 0] * p + edges[:, 1]
    # One sortable number: by edge, then by row, additions before removals.
    order = np.argsort((edge * len(added.starts) + rows) * 2 + ~present, kind="stable")
    state = present[order]
    before = np.concatenate(([False], state[:-1]))
    before[np.flatnonzero(np.diff(edge[order], prepend=-1))] = False
    keep = np.empty(len(edges), dtype=np.bool_)
    keep[order] = state != before
    return added.kept(keep[: len(added.edges)]), removed.kept(keep[len(added.edges) :])


class ChainRecorder:
    """Builds a chain from the states that a sampler visits.

    Parameters
    ----------
    names
        The nodes.
    directed
        Whether the graphs are directed.
    """

    def __init__(self, names: Iterable[str], directed: bool) -> None:
        self._names = tuple(names)
        self._directed = directed
        self._state = np.zeros((len(self._names),) * 2, dtype=np.bool_)
        self._index: list[int] = []
        self._score: list[float] = []
        self._added: list[npt.NDArray[np.intp]] = []
        self._removed: list[npt.NDArray[np.intp]] = []

    def record(self, index: int, score: float, adjacency: npt.NDArray[np.bool_]) -> None:
        """Note the state from an index on; a state like the one before needs no record."""
        state = adjacency if self._directed else np.triu(adjacency | adjacency.T)
        self._index.append(index)
        self._score.append(score)
        self._added.append(np.argwhere(state & ~self._state))
        self._removed.append(np.argwhere(self._state & ~state))
        self._state = state.copy()

    def chain(self, length: int) -> Chain:
        """The chain, closed after `length` states."""
        index = [*self._index, length]
        score = [*self._score, self._score[-1]] if self._score else [0.0]
        added = Edits.of([*self._added, ()])
        removed = Edits.of([*self._removed, ()])
        return Chain(
            self._names, self._directed, index=index, score=score, added=added, removed=removed
        )
