"""`Chain`: a Markov chain of graphs, stored as changes between successive states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.posteriors.draws import BLOCK_BYTES, Draws
from dagathlon.posteriors.edge_means import EdgeMeans
from dagathlon.posteriors.edits import Edits, effective_edits, joined_edits
from dagathlon.posteriors.packed import Floats, Ints, Words


class Chain(Draws):
    """An immutable Markov chain of graphs over the same nodes.

    Only states that differ from the one before have a row. A state lasts from the index of its
    row to the index of the next row; the last row marks the end of the chain, so a sampler
    closes its chain with a row without changes whose index is the number of states. A chain of
    a single row has that one state.

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
    edge_means
        Edge probabilities that the sampler estimated better than by its saved graphs; the
        probabilities of single edges are then these.
    """

    kind = "chain"
    score: Floats

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
        edge_means: EdgeMeans | None = None,
    ) -> None:
        self.names = tuple(names)
        self.directed = directed
        self.form = "arcs" if directed else "undirected"
        self.index = np.asarray(index, dtype=np.int64)
        self.score = np.asarray(score, dtype=np.float64)
        self.time: Floats | None = None if time is None else np.asarray(time, dtype=np.float64)
        self._check_rows()
        edits = [self._checked(which) for which in (added, removed)]
        self.added, self.removed = effective_edits(edits[0], edits[1], len(self.names))
        self.edge_means = edge_means and EdgeMeans.of(*edge_means, len(self.names))
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

    @property
    def end(self) -> int:
        """Index of the last row: the number of states of a chain that begins at 0."""
        return int(self.index[-1])

    @cached_property
    def sizes(self) -> Ints:
        """Number of edges after each row; an edge in both directions counts twice."""
        sizes: Ints = np.cumsum(np.diff(self.added.starts) - np.diff(self.removed.starts))
        return sizes

    @cached_property
    def counts(self) -> Floats:
        """Duration of the state after each row; 0 for the last row, unless it is the only one."""
        return self._durations(0.0)

    def _durations(self, burnin: float) -> Floats:
        """Return the duration of the state after each row, without the burn-in."""
        position, start = self._positions_and_burnin(burnin)
        durations = np.zeros(len(self))
        durations[:-1] = np.maximum(position[1:] - np.maximum(position[:-1], start), 0.0)
        if not durations.any():
            durations[-1] = 1.0
        return durations

    def _positions_and_burnin(self, burnin: float) -> tuple[Floats, float]:
        """Return the position of each row in the chain, and the position where the burn-in ends."""
        if self.time is None:
            return self.index.astype(np.float64), float(int(self.end * burnin))
        return self.time, float(self.time[-1]) * burnin

    def edge_sums(self, weights: Floats) -> Floats:
        """Return, for each edge from row to column, the total weight of the rows that have it."""
        # An edge that is added in a row is in all later states, until it is removed.
        later = np.cumsum(weights[::-1])[::-1]
        p = len(self.names)
        total = np.zeros(p * p)
        for edits, sign in ((self.added, 1.0), (self.removed, -1.0)):
            edges = edits.edges.astype(np.int64)
            keys = edges[:, 0] * p + edges[:, 1]
            total += sign * np.bincount(keys, weights=later[edits.rows], minlength=p * p)
        sums = total.reshape(p, p)
        return sums if self.directed else sums + sums.T

    def expected_sums(self, weights: Floats) -> Floats:
        """Return edge sums from the sampler's edge means where it gave them, else `edge_sums`."""
        if self.edge_means is None:
            return self.edge_sums(weights)
        sums: Floats = self.edge_means.mean * weights.sum()
        return sums

    def blocks(self) -> Iterator[tuple[int, Words]]:
        """Yield the packed graphs after each row, in blocks with the number of the first row."""
        words = self.packing.words
        step = max(BLOCK_BYTES // max(len(self.names) ** 2, 8 * words, 1), 1)
        state = np.zeros(words, dtype="<u8")
        for first in range(0, len(self), step):
            rows = np.zeros((min(step, len(self) - first), words), dtype="<u8")
            for edits in (self.added, self.removed):
                self._turn(rows, edits, first)
            rows[0] ^= state
            np.bitwise_xor.accumulate(rows, axis=0, out=rows)
            state = rows[-1].copy()
            yield first, rows

    def _turn(self, rows: Words, edits: Edits, first: int) -> None:
        mine = slice(edits.starts[first], edits.starts[first + len(rows)])
        edges = edits.edges[mine].astype(np.int64)
        where = np.searchsorted(self.packing.cells, edges[:, 0] * len(self.names) + edges[:, 1])
        bit = np.uint64(1) << (where % 64).astype(np.uint64)
        np.bitwise_xor.at(rows, (edits.rows[mine] - first, where // 64), bit)

    def after(self, burnin: float) -> Chain:
        """Return the chain without its burn-in, beginning with the state at the end of it.

        With last index L, the first ``int(L · burnin)`` states are left out; in continuous
        time, that share of the time.
        """
        if not burnin:
            return self
        lasting = np.flatnonzero(self._durations(burnin) > 0)
        rows = np.arange(lasting[0], len(self))
        _, start = self._positions_and_burnin(burnin)
        start_index = int(start) if self.time is None else int(self.index[rows[0]])
        time = None if self.time is None else np.maximum(self.time[rows] - start, 0.0)
        means = self.edge_means and self.edge_means.after(burnin)
        index = np.maximum(self.index[rows] - start_index, 0)
        return self._selected(rows, index, time, means)

    def thinned(self, every: int) -> Chain:
        """Return the chain with only every `every`-th state, beginning with the first."""
        if self.time is not None:
            raise DataError("a chain in continuous time has no states to thin, only durations")
        index = -(-(self.index - self.index[0]) // every)
        # A row of which no state is left goes; the last one ends the chain.
        rows = np.append(np.flatnonzero(np.diff(index) > 0), len(self) - 1)
        return self._selected(rows, index[rows], None, self.edge_means)

    def _selected(
        self, rows: Ints, index: Ints, time: Floats | None, means: EdgeMeans | None
    ) -> Chain:
        """Return some rows of the chain; edits of others join those of the next selected row."""
        added, removed = joined_edits(self.added, self.removed, rows, len(self.names))
        return Chain(
            self.names,
            self.directed,
            index=index,
            score=self.score[rows],
            added=added,
            removed=removed,
            time=time,
            edge_means=means,
        )

    def graph_at(self, row: int) -> Graph:
        """Return the graph after a row."""
        p = len(self.names)
        present = np.zeros(p * p, dtype=np.int64)
        for edits, sign in ((self.added, 1), (self.removed, -1)):
            edges = edits.edges[: edits.starts[row + 1]].astype(np.int64)
            present += sign * np.bincount(edges[:, 0] * p + edges[:, 1], minlength=p * p)
        matrix = present.reshape(p, p)
        return Graph.from_adjacency(self.names, matrix if self.directed else matrix | matrix.T)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Chain):
            return NotImplemented
        if (self.names, self.directed) != (other.names, other.directed):
            return False
        if (self.time is None) != (other.time is None):
            return False
        if (self.edge_means is None) != (other.edge_means is None):
            return False
        return all(map(np.array_equal, self._arrays(), other._arrays()))

    __hash__ = None  # type: ignore[assignment]  # as large as an array, and as unhashable

    def _arrays(self) -> list[npt.NDArray[np.int64] | npt.NDArray[np.float64]]:
        time = np.empty(0) if self.time is None else self.time
        means = self.edge_means or ()
        return [self.index, self.score, time, *self.added, *self.removed, *means]

    def __reduce__(self) -> tuple[partial[Chain], tuple[object, ...]]:
        rows = {
            name: getattr(self, name)
            for name in ("index", "score", "added", "removed", "time", "edge_means")
        }
        return (partial(Chain, **rows), (self.names, self.directed))


class ChainRecorder:
    """Builder of a chain from the states that a sampler visits.

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
        """Add the state from an index on; unchanged states need not be recorded."""
        state = adjacency if self._directed else np.triu(adjacency | adjacency.T)
        self._index.append(index)
        self._score.append(score)
        self._added.append(np.argwhere(state & ~self._state))
        self._removed.append(np.argwhere(self._state & ~state))
        self._state = state.copy()

    def chain(self, length: int) -> Chain:
        """Return the chain, closed after `length` states."""
        index = [*self._index, length]
        score = [*self._score, self._score[-1]] if self._score else [0.0]
        added = Edits.of([*self._added, ()])
        removed = Edits.of([*self._removed, ()])
        return Chain(
            self._names, self._directed, index=index, score=score, added=added, removed=removed
        )
