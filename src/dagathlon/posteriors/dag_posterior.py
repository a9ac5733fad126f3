"""`DagPosterior`: exact sums over all DAGs of few variables."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.errors import DataError, GraphError, unknown
from dagathlon.graphs import Graph
from dagathlon.posteriors.marginal_posterior import MarginalPosterior
from dagathlon.posteriors.marginals import frozen
from dagathlon.posteriors.packed import Floats
from dagathlon.posteriors.posterior import Edges, GraphFunction, Posterior
from dagathlon.posteriors.sample import Sample
from dagathlon.posteriors.spaces import all_dags

ENUMERABLE = 5


class DagSpace(NamedTuple):
    """DAGs that keep to limits: edges are matrices from row to column."""

    forbidden: npt.NDArray[np.bool_]
    required: npt.NDArray[np.bool_]
    max_parents: int


class DagPosterior(MarginalPosterior):
    """The posterior over all DAGs whose parent sets keep to some limits.

    Nothing here is estimated from draws; they are made on demand. What is asked for is computed
    then, and kept.

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
        self.chains = ()
        self.modularity = modularity
        self._score = score
        self._space = space
        self.space = all_dags(*space)
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
    def _edges(self) -> Floats:  # type: ignore[override]
        return frozen(self._native.edges())

    @cached_property
    def path_probabilities(self) -> Floats:
        """Probability that directed edges lead from row to column: 4^d steps."""
        if self.modularity == _core.Modularity.order:
            raise DataError("paths are counted over DAGs, each once: modularity 'structure'")
        return frozen(self._native.paths())

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

    def probability(self, present: Edges | GraphFunction = (), absent: Edges = ()) -> float:
        """Probability that some edges are all present and others all absent.

        Parameters
        ----------
        present, absent
            Edges from first to second, as in `Graph.from_edges`; or a function of DAGs, see
            `expect`.
        """
        if callable(present):
            return float(self.expect(lambda dag: bool(present(dag))))
        space = DagSpace(
            self._space.forbidden | self._matrix(absent),
            self._space.required | self._matrix(present),
            self._space.max_parents,
        )
        if np.any(space.forbidden & space.required):
            return 0.0
        return math.exp(min(self._sums(space).log_partition() - self.log_partition, 0.0))

    def expect(self, measure: GraphFunction) -> Any:
        """The expected value of a function of DAGs.

        A sum over all DAGs of at most five variables. Of more, an estimate from draws that were
        asked for (`with_draws`); without them an error.
        """
        if len(self.names) <= ENUMERABLE and self.modularity == _core.Modularity.structure:
            return self.enumerated().expect(measure)
        if not self.chains:
            raise DataError(
                f"expected values over all DAGs of {len(self.names)} variables are estimated from "
                "draws: posterior.with_draws(posterior.drawn(10_000, seed=1)).expect(...)"
            )
        return super().expect(measure)

    @cached_property
    def _best(self) -> Graph:  # type: ignore[override]
        return self._graph(self._native.best())

    def map(self) -> Graph:
        """The most probable DAG, not counting its orders."""
        return self._best

    def sample(self, count: int, seed: int) -> list[Graph]:
        """Independent draws."""
        return [self._graph(parents) for parents in self._native.sample(count, seed)]

    def drawn(self, count: int, seed: int) -> Sample:
        """Independent draws with their log weights as scores."""
        graphs = self.sample(count, seed)
        sample = Sample.of(graphs, score=[self.log_weight(dag) for dag in graphs])
        return sample if sample.form == "arcs" else sample.recast("arcs")

    def enumerated(self) -> Posterior:
        """All DAGs of at most five variables with their weights."""
        if len(self.names) > ENUMERABLE or self.modularity == _core.Modularity.order:
            raise DataError(
                f"all DAGs are listed for at most {ENUMERABLE} variables, each once (modularity "
                "'structure')"
            )
        dags = [dag for dag in _all_dags(self.names) if self._allows(dag)]
        return Posterior.of(dags, log_weights=[self.log_weight(dag) for dag in dags])

    def _allows(self, dag: Graph) -> bool:
        arcs = dag.adjacency != 0
        inside = not np.any(arcs & self._space.forbidden) and np.all(arcs | ~self._space.required)
        return bool(inside) and int(arcs.sum(axis=0).max(initial=0)) <= self._space.max_parents

    def log_weight(self, dag: Graph) -> float:
        """The log weight of a DAG, without the number of its orders."""
        return math.fsum(self._score.terms(dag.subgraph(self.names).native))

    def _graph(self, parents: Sequence[Sequence[int]]) -> Graph:
        edges = [(self.names[x], self.names[j]) for j, found in enumerate(parents) for x in found]
        return Graph.from_edges(edges, names=self.names)

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise GraphError(unknown("variable", name, self.names))
        return self.names.index(name)

    def _matrix(self, edges: Iterable[Any]) -> npt.NDArray[np.bool_]:
        matrix = np.zeros((len(self.names),) * 2, dtype=bool)
        for edge in edges:
            one = Graph.from_edges([edge], self.names)
            if not one.is_dag:
                raise GraphError(f"edges of DAGs are directed, found {one.edges()[0]}")
            matrix |= one.adjacency != 0
        return matrix


def _all_dags(names: tuple[str, ...]) -> list[Graph]:
    """Every pair without an edge or with one in either direction, without a cycle."""
    p = len(names)
    found = []
    for kinds in itertools.product((0, 1, 2), repeat=p * (p - 1) // 2):
        arcs = np.zeros((p, p), dtype=np.uint8)
        for (i, j), kind in zip(itertools.combinations(range(p), 2), kinds, strict=True):
            arcs[i, j], arcs[j, i] = kind == 1, kind == 2
        found.append(Graph.from_adjacency(names, arcs))
    return [graph for graph in found if graph.is_dag]
