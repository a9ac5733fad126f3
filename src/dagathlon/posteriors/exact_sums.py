"""`ExactSums`: what posteriors that sum over all DAGs of few variables have in common."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.errors import DataError, GraphError, unknown
from dagathlon.graphs import Graph, cpdag
from dagathlon.posteriors.dag_weights import DagWeights
from dagathlon.posteriors.marginal_posterior import MarginalPosterior
from dagathlon.posteriors.marginals import frozen
from dagathlon.posteriors.packed import Bools, Floats, Packing
from dagathlon.posteriors.parameters import NormalInverseGamma, NormalWishart
from dagathlon.posteriors.posterior import Edges, GraphFunction, Posterior
from dagathlon.posteriors.sample import Sample
from dagathlon.posteriors.spaces import all_dags

FamilyFunction: TypeAlias = Callable[[str, frozenset[str]], Any]
Masks: TypeAlias = npt.NDArray[np.uint32]

ENUMERABLE = 6
"""So many variables at most have all their DAGs listed."""
# A function in Python is called for so many variables' DAGs; of six there are 3.8 million.
_CALLABLE = 5


class DagSpace(NamedTuple):
    """DAGs that keep to limits: edges are matrices from row to column."""

    forbidden: npt.NDArray[np.bool_]
    required: npt.NDArray[np.bool_]
    max_parents: int


class ExactSums(MarginalPosterior):
    """A posterior over all DAGs whose parent sets keep to some limits, by sums.

    Nothing here is estimated from draws; they are made on demand. What is asked for is computed
    then, and kept.

    Parameters
    ----------
    names
        The variables.
    space
        The DAGs to sum over.
    log_prior
        The logarithm of the sum of the prior over these DAGs, computed when it is called; None
        where nobody knows it.
    data
        What the weights were computed from, for draws with parameters; None where that is over.
    """

    modularity: _core.Modularity = _core.Modularity.structure
    _native: _core.DagPosterior | _core.DagEnumeration

    def __init__(
        self,
        names: Sequence[str],
        space: DagSpace,
        *,
        log_prior: Callable[[], float] | None = None,
        data: Dataset | None = None,
    ) -> None:
        self.names = tuple(names)
        self.chains = ()
        self._space = space
        self._log_prior = log_prior
        self._data = data
        self.space = all_dags(*space)
        self._native = self._sums(space)
        if not math.isfinite(self.log_partition):
            raise DataError(
                "no DAG has a positive probability: the constraints and the limit on parents leave "
                "none, or there are too few rows for the score"
            )

    @abstractmethod
    def _sums(self, space: DagSpace) -> _core.DagPosterior | _core.DagEnumeration:
        """The sums over the DAGs of a space."""

    @abstractmethod
    def _enumeration(self) -> _core.DagEnumeration:
        """All DAGs, one after another."""

    @property
    @abstractmethod
    def _families(self) -> DagWeights:
        """What the weights are made of, those outside of the space being zero."""

    @property
    def dag_weights(self) -> DagWeights | None:
        """What the weights are made of; None where a DAG counts once for each of its orders."""
        return None if self.modularity == _core.Modularity.order else self._families

    @cached_property
    def log_partition(self) -> float:
        """The logarithm of the sum of all weights, the prior as it is: up to a constant."""
        return self._native.log_partition()

    @cached_property
    def log_evidence(self) -> float:
        """The logarithm of the probability (density) of the data, the prior summing to 1.

        The prior is all that does not depend on the data; it is normalised over the DAGs of the
        space (for an order-modular posterior over pairs of a DAG and an order).
        """
        return math.nan if self._log_prior is None else self.log_partition - self._log_prior()

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
        if child not in self.names:
            raise GraphError(unknown("variable", child, self.names))
        others = [name for name in self.names if name != child]
        shares = np.asarray(self._native.families(self.names.index(child)))
        ranks = np.flatnonzero(shares >= least)
        return {
            frozenset(others[k] for k in range(len(others)) if rank >> k & 1): float(shares[rank])
            for rank in ranks[np.argsort(-shares[ranks], kind="stable")].tolist()
        }

    def expect_by_family(self, measure: FamilyFunction) -> Any:
        """The expected value of a sum over nodes of a function of the node and its parents.

        Exact at all sizes, by the probabilities of parent sets.

        Parameters
        ----------
        measure
            Called with the name of a node and the names of its parents, once for each family of a
            positive probability; a number or an array.
        """
        terms = [
            share * np.asarray(measure(child, parents), dtype=np.float64)
            for child in self.names
            for parents, share in self.parent_sets(child, least=np.nextafter(0.0, 1.0)).items()
        ]
        return math.fsum(terms) if np.ndim(terms[0]) == 0 else np.sum(terms, axis=0)

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
        asked for (`with_draws`); without them an error. Sums over nodes are exact at all sizes:
        `expect_by_family`.
        """
        if len(self.names) <= _CALLABLE and self.modularity == _core.Modularity.structure:
            return self.enumerated().expect(measure)
        if not self.chains:
            few = len(self.names) <= ENUMERABLE and self.modularity == _core.Modularity.structure
            exact = " (or, at a call for each DAG: posterior.enumerated().expect(...))"
            raise DataError(
                f"expected values over all DAGs of {len(self.names)} variables are estimated from "
                "draws: posterior.with_draws(posterior.drawn(10_000, seed=1)).expect(...)"
                f"{exact if few else ''}"
            )
        return super().expect(measure)

    @cached_property
    def _best(self) -> Graph:  # type: ignore[override]
        arcs = _arcs(np.array([self._native.best()], dtype=np.uint32))
        return Graph.from_adjacency(self.names, arcs[0])

    def map(self) -> Graph:
        """The most probable DAG, not counting its orders."""
        return self._best

    def sample(self, count: int, seed: int) -> list[Graph]:
        """Independent draws."""
        arcs = _arcs(self._native.sample(count, seed))
        return [Graph.from_adjacency(self.names, one) for one in arcs]

    def drawn(
        self,
        count: int,
        seed: int,
        parameters: NormalInverseGamma | NormalWishart | None = None,
    ) -> Sample:
        """Independent draws with their log weights as scores.

        Parameters
        ----------
        count
            Number of draws.
        seed
            Of the random numbers.
        parameters
            A prior over coefficients and noise variances: each draw then has some of their
            posterior given its DAG. It should be the one that the weights are made with.
        """
        arcs = _arcs(self._native.sample(count, seed))
        bits = Packing(len(self.names), "arcs").pack(arcs)
        sample = Sample(self.names, "arcs", bits, score=self._families.logs(arcs))
        if parameters is None:
            return sample
        if self._data is None:
            raise DataError("parameters are drawn from data, and this posterior has none with it")
        rng = np.random.Generator(np.random.Philox(key=seed))
        return parameters.draw(sample, self._data, rng)

    def enumerated(self) -> Posterior:
        """All DAGs of at most six variables with their weights."""
        arcs, logs = self._listed().dags()
        return Posterior([self._weighted(arcs, logs)], space=self.space)

    @cached_property
    def classes(self) -> Posterior:
        """The classes of equivalent DAGs, as CPDAGs with their probabilities; the best first.

        Of at most six variables, by enumeration. A class counts those of its DAGs that are in the
        space.
        """
        arcs, logs = self._listed().classes()
        return Posterior([self._weighted(arcs, logs)], space=f"classes of {self.space}")

    def class_probability(self, graph: Graph) -> float:
        """Probability of the class of a DAG or CPDAG; see `classes`."""
        wanted = cpdag(graph.subgraph(self.names)).adjacency != 0
        sample = self.classes.chains[0]
        assert isinstance(sample, Sample)
        row = sample.packing.pack(wanted[None])
        found = np.all(sample.bits == row, axis=1)
        return float(self.classes.weights[0][found].sum())

    def _listed(self) -> _core.DagEnumeration:
        if len(self.names) > ENUMERABLE or self.modularity == _core.Modularity.order:
            raise DataError(
                f"all DAGs are listed for at most {ENUMERABLE} variables, each once (modularity "
                "'structure')"
            )
        return self._enumeration()

    def _weighted(self, arcs: npt.NDArray[np.uint64], logs: Floats) -> Sample:
        words = Packing(len(self.names), "arcs").words  # one variable has no pairs
        return Sample(self.names, "arcs", arcs[:, :words], log_weights=logs.ravel())

    def log_weight(self, dag: Graph) -> float:
        """The log weight of a DAG, without the number of its orders."""
        arcs = dag.subgraph(self.names).adjacency != 0
        return float(self._families.logs(arcs[None])[0])

    def _matrix(self, edges: Iterable[Any]) -> npt.NDArray[np.bool_]:
        matrix = np.zeros((len(self.names),) * 2, dtype=bool)
        for edge in edges:
            one = Graph.from_edges([edge], self.names)
            if not one.is_dag:
                raise GraphError(f"edges of DAGs are directed, found {one.edges()[0]}")
            matrix |= one.adjacency != 0
        return matrix


def _arcs(masks: Masks) -> Bools:
    """Matrices of arcs, from row to column."""
    nodes = np.arange(masks.shape[1], dtype=np.uint32)
    found: Bools = (masks[:, None, :] >> nodes[None, :, None]) & 1 == 1
    return found
