"""`DagPosterior`: exact sums over all DAGs of few variables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.errors import DataError, GraphError, unknown
from dagathlon.graphs import Graph

Edge = tuple[str, str]


class DagSpace(NamedTuple):
    """DAGs that keep to limits: edges are matrices from row to column."""

    forbidden: npt.NDArray[np.bool_]
    required: npt.NDArray[np.bool_]
    max_parents: int


class DagPosterior:
    """The posterior over all DAGs whose parent sets keep to some limits.

    Parameters
    ----------
    names
        The variables.
    score
        Log weights: a log marginal likelihood plus a log prior that are sums over nodes.
    space
        The DAGs to sum over.
    modularity
        With ``structure`` each DAG counts once. With ``order`` it counts once for each order of the
        variables that it is consistent with, which is what a sampler of orders converges to.
    """

    def __init__(
        self,
        names: Sequence[str],
        score: _core.Score,
        space: DagSpace,
        modularity: _core.Modularity = _core.Modularity.structure,
    ) -> None:
        self.names = tuple(names)
        self.modularity = modularity
        self._score = score
        self._space = space
        self._native = self._sums(space)
        if not math.isfinite(self.log_partition):
            raise DataError(
                "no DAG has a positive probability: the constraints and the limit on parents leave "
                "none, or there are too few rows for the score"
            )

    def _sums(self, space: DagSpace) -> _core.DagPosterior:
        limits = _core.SearchLimits(*space)
        return _core.DagPosterior.of_score(self._score, limits, self.modularity)

    @cached_property
    def log_partition(self) -> float:
        """The logarithm of the sum of all weights."""
        return self._native.log_partition()

    @cached_property
    def edge_probabilities(self) -> npt.NDArray[np.float64]:
        """Probability of each edge, from row to column."""
        found = self._native.edges()
        found.flags.writeable = False
        return found

    @cached_property
    def entropy(self) -> float:
        """Shannon entropy in nats; not a number for an order-modular posterior."""
        if self.modularity == _core.Modularity.order:
            return math.nan
        return max(self.log_partition - self._native.mean_log_weight(), 0.0)

    def parent_sets(self, child: str, least: float = 1e-6) -> dict[frozenset[str], float]:
        """Parent sets of a variable that are at least so probable, the most probable first."""
        place = self._place(child)
        others = [name for name in self.names if name != child]
        shares = np.asarray(self._native.families(place))
        ranks = np.flatnonzero(shares >= least)
        return {
            frozenset(others[k] for k in range(len(others)) if rank >> k & 1): float(shares[rank])
            for rank in ranks[np.argsort(-shares[ranks], kind="stable")].tolist()
        }

    def probability(self, present: Iterable[Edge] = (), absent: Iterable[Edge] = ()) -> float:
        """Probability that some edges are all present and others all absent.

        Parameters
        ----------
        present, absent
            Pairs of names, from first to second.
        """
        space = DagSpace(
            self._space.forbidden | self._matrix(absent),
            self._space.required | self._matrix(present),
            self._space.max_parents,
        )
        if np.any(space.forbidden & space.required):
            return 0.0
        return math.exp(min(self._sums(space).log_partition() - self.log_partition, 0.0))

    def best(self) -> Graph:
        """The most probable DAG, not counting its orders."""
        return self._graph(self._native.best())

    def sample(self, count: int, seed: int) -> list[Graph]:
        """Independent draws."""
        return [self._graph(parents) for parents in self._native.sample(count, seed)]

    def log_weight(self, dag: Graph) -> float:
        """The log weight of a DAG, without the number of its orders."""
        return math.fsum(self._score.terms(dag.subgraph(self.names).native))

    def above(self, threshold: float) -> Graph:
        """The edges above a probability, less those that close a cycle with more probable ones."""
        shares = self.edge_probabilities
        reaches = np.eye(len(self.names), dtype=bool)
        kept = np.zeros_like(reaches)
        for cell in np.argsort(-shares, axis=None, kind="stable"):
            i, j = divmod(int(cell), len(self.names))
            if shares[i, j] <= threshold:
                break
            if reaches[j, i]:
                continue
            kept[i, j] = True
            reaches |= np.outer(reaches[:, i], reaches[j])
        return Graph.from_adjacency(self.names, kept.astype(int))

    def _graph(self, parents: Sequence[Sequence[int]]) -> Graph:
        edges = [(self.names[x], self.names[j]) for j, found in enumerate(parents) for x in found]
        return Graph.from_edges(edges, names=self.names)

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise GraphError(unknown("variable", name, self.names))
        return self.names.index(name)

    def _matrix(self, edges: Iterable[Edge]) -> npt.NDArray[np.bool_]:
        matrix = np.zeros((len(self.names),) * 2, dtype=bool)
        for first, second in edges:
            matrix[self._place(first), self._place(second)] = True
        return matrix
