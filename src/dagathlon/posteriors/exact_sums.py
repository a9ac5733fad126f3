"""`ExactSums`: base class of posteriors computed by sums over all DAGs of few variables."""

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
"""Most variables whose DAGs can be enumerated."""
# A function in Python is called for so many variables' DAGs; of six there are 3.8 million.
_CALLABLE = 5


class DagSpace(NamedTuple):
    """Limits on DAGs: forbidden and required edges (from row to column), most parents."""

    forbidden: npt.NDArray[np.bool_]
    required: npt.NDArray[np.bool_]
    max_parents: int


class ExactSums(MarginalPosterior):
    """Posterior over all DAGs within limits on parent sets, by exact sums.

    Nothing here is estimated from draws; they are made on demand. Results are computed on first
    use and cached.

    Parameters
    ----------
    names
        The variables.
    space
        The DAGs to sum over.
    log_prior
        The logarithm of the sum of the prior over these DAGs, computed when it is called; None
        where it is not known.
    data
        Data of the weights, for draws with parameters; None if they were not stored.
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
        """Return the native object that computes sums over the DAGs of a space."""

    @abstractmethod
    def _enumeration(self) -> _core.DagEnumeration:
        """Return the native object that enumerates all DAGs."""

    @property
    @abstractmethod
    def _families(self) -> DagWeights:
        """Family weights of all parent sets, zero for those outside the space."""

    @property
    def dag_weights(self) -> DagWeights | None:
        """Family weights; None where a DAG is weighted by its number of orders."""
        return None if self.modularity == _core.Modularity.order else self._families

    @cached_property
    def log_partition(self) -> float:
        """Logarithm of the sum of all weights, with the prior unnormalised."""
        return self._native.log_partition()

    @cached_property
    def log_evidence(self) -> float:
        """Logarithm of the probability (density) of the data, under a normalised prior.

        The prior is every factor that does not depend on the data; it is normalised over
        the DAGs of the space (for an order-modular posterior over pairs of a DAG and an
        order).
        """
        return math.nan if self._log_prior is None else self.log_partition - self._log_prior()

    @cached_property
    def _edges(self) -> Floats:  # type: ignore[override]
        return frozen(self._native.edges())

    @cached_property
    def path_probabilities(self) -> Floats:
        """Probability of a directed path from row to column, in O(4^d) steps."""
        if self.modularity == _core.Modularity.order:
            raise DataError("paths are counted over DAGs, each once: modularity 'structure'")
        return frozen(self._native.paths())

    @cached_property
    def entropy(self) -> float:
        """Shannon entropy in nats; NaN for an order-modular posterior."""
        if self.modularity == _core.Modularity.order:
            return math.nan
        return max(self.log_partition - self._native.mean_log_weight(), 0.0)

    def parent_sets(self, child: str, least: float = 1e-6) -> dict[frozenset[str], float]:
        """Return parent sets of a variable with probability `least` or more, likeliest first."""
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
        """Return the expectation of a sum over nodes of a function of node and parents.

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
        """Return the probability that some edges are all present and others all absent.

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
        """Return the expectation of a function of DAGs.

        Exact for at most five variables, by enumeration. For more, it is estimated from
        draws, which must have been requested (`with_draws`). Sums over nodes are exact at
        all sizes: `expect_by_family`.
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
        """Return the most probable DAG, not counting its orders."""
        return self._best

    def sample(self, count: int, seed: int) -> list[Graph]:
        """Draw independent DAGs."""
        arcs = _arcs(self._native.sample(count, seed))
        return [Graph.from_adjacency(self.names, matrix) for matrix in arcs]

    def drawn(
        self,
        count: int,
        seed: int,
        parameters: NormalInverseGamma | NormalWishart | None = None,
    ) -> Sample:
        """Draw independent DAGs with their log weights as scores.

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
        """Return all DAGs of at most six variables with their weights."""
        arcs, logs = self._listed().dags()
        return Posterior([self._weighted(arcs, logs)], space=self.space)

    @cached_property
    def classes(self) -> Posterior:
        """Return all Markov equivalence classes as CPDAGs with probabilities, most probable first.

        Of at most six variables, by enumeration. A class has the probability of those of
        its DAGs that are in the space.
        """
        arcs, logs = self._listed().classes()
        return Posterior([self._weighted(arcs, logs)], space=f"classes of {self.space}")

    def class_probability(self, graph: Graph) -> float:
        """Return the probability of the class of a DAG or CPDAG; see `classes`."""
        wanted = cpdag(graph.subgraph(self.names)).adjacency != 0
        sample = self.classes.chains[0]
        assert isinstance(sample, Sample)
        row = sample.packing.pack(wanted[None])
        matches = np.all(sample.bits == row, axis=1)
        return float(self.classes.weights[0][matches].sum())

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
        """Return the log weight of a DAG, not counting its orders."""
        arcs = dag.subgraph(self.names).adjacency != 0
        return float(self._families.logs(arcs[None])[0])

    def _matrix(self, edges: Iterable[Any]) -> npt.NDArray[np.bool_]:
        matrix = np.zeros((len(self.names),) * 2, dtype=bool)
        for edge in edges:
            single = Graph.from_edges([edge], self.names)
            if not single.is_dag:
                raise GraphError(f"edges of DAGs are directed, found {single.edges()[0]}")
            matrix |= single.adjacency != 0
        return matrix


def _arcs(masks: Masks) -> Bools:
    """Return adjacency matrices from row to column, given parent sets as bit masks."""
    nodes = np.arange(masks.shape[1], dtype=np.uint32)
    matrices: Bools = (masks[:, None, :] >> nodes[None, :, None]) & 1 == 1
    return matrices
