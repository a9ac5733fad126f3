"""`MarginalPosterior`: exact marginals of a posterior over DAGs, without or with draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Self

import numpy as np
import numpy.typing as npt

from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.posteriors.dag_weights import DagWeights
from dagathlon.posteriors.draws import Draws
from dagathlon.posteriors.making import one_form
from dagathlon.posteriors.marginals import frozen
from dagathlon.posteriors.packed import Bools, Floats
from dagathlon.posteriors.posterior import Edges, GraphFunction, Posterior
from dagathlon.posteriors.queries import written_edges

_ROUNDING = 1e-9


class MarginalPosterior(Posterior):
    """Exact marginals of a posterior over DAGs, and perhaps independent draws from it.

    Expectations that the marginals do not determine (of other functions, of several edges
    together) are estimated from the draws, and raise an error where there are none.

    Parameters
    ----------
    names
        The variables.
    edge_probabilities
        Probability of each edge, from row to column.
    path_probabilities
        Probability of a directed path from row to column; None if it was not computed.
    best
        The most probable DAG.
    log_partition
        Logarithm of the sum of all weights.
    log_evidence
        The same with a prior that sums to 1: the logarithm of the probability of the data.
    entropy
        Shannon entropy in nats.
    chains
        Independent draws.
    space
        Which graphs the posterior covers, in words.
    dag_weights
        Family weights of the DAGs; None if they were not stored.
    """

    _paths: Floats | None = None
    _weights: DagWeights | None = None

    def __init__(
        self,
        names: Sequence[str],
        edge_probabilities: npt.ArrayLike,
        *,
        best: Graph,
        path_probabilities: npt.ArrayLike | None = None,
        log_partition: float = math.nan,
        log_evidence: float = math.nan,
        entropy: float = math.nan,
        chains: Sequence[Draws] = (),
        space: str = "",
        dag_weights: DagWeights | None = None,
    ) -> None:
        self.names = tuple(names)
        self._edges = self._checked(edge_probabilities)
        given = path_probabilities
        self._paths = None if given is None else self._checked(given)
        self._best = best.subgraph(self.names)
        self._log_partition = log_partition
        self._log_evidence = log_evidence
        self._entropy = entropy
        self.chains = one_form(chains) if chains else ()
        self.space = space
        self._weights = None if dag_weights is None else dag_weights.checked(len(self.names))

    def _checked(self, given: npt.ArrayLike) -> Floats:
        p = len(self.names)
        matrix = np.array(given, dtype=np.float64)
        if matrix.shape != (p, p):
            raise DataError(f"probabilities between {p} variables are {p}×{p}, not {matrix.shape}")
        either = matrix + matrix.T
        if not np.all((matrix >= 0) & (either <= 1 + _ROUNDING)) or np.any(np.diagonal(matrix)):
            raise DataError(
                "probabilities of edges of DAGs are at least 0, for both directions of a pair at "
                "most 1 together, and a variable has no edge with itself"
            )
        return frozen(matrix)

    def with_draws(self, draws: Draws) -> Self:
        """Return the same posterior with independent draws from it."""
        if draws.names != self.names:
            raise DataError("draws are over the variables of the posterior, in the same order")
        # A copy made by pickling would be without the sums that draws are made from.
        other = object.__new__(type(self))
        derived = ("_raw_weights", "_total_raw", "_distinct")
        other.__dict__ |= {k: v for k, v in vars(self).items() if k not in derived}
        other.chains = (draws,)
        return other

    @property
    def _total(self) -> float:
        return 1.0

    @property
    def _edge_sums(self) -> Floats:
        return self._edges

    @property
    def _undirected_sums(self) -> Floats:
        return np.zeros_like(self._edge_sums)

    def _mark_sums(self) -> Floats | None:
        return None

    @property
    def path_probabilities(self) -> Floats:
        """Probability of a directed path from row to column."""
        if self._paths is None:
            raise DataError("the probabilities of paths were not computed with these marginals")
        return self._paths

    @property
    def log_partition(self) -> float:
        """Logarithm of the sum of all weights; NaN if it was not computed."""
        return self._log_partition

    @property
    def log_evidence(self) -> float:
        """Logarithm of the probability (density) of the data; NaN if it was not computed."""
        return self._log_evidence

    @property
    def dag_weights(self) -> DagWeights | None:
        """Family weights of the DAGs; None if they were not stored."""
        return self._weights

    def log_probabilities(self, dags: Bools) -> Floats:
        """Return log probabilities of DAGs, given as adjacency matrices from row to column."""
        weights = self.dag_weights
        if weights is None or math.isnan(self.log_partition):
            raise DataError("the weights of single DAGs were not kept with these marginals")
        return np.minimum(weights.logs(dags) - self.log_partition, 0.0)

    @property
    def entropy(self) -> float:
        """Shannon entropy in nats; NaN if it was not computed."""
        return self._entropy

    def map(self) -> Graph:
        """Return the most probable DAG."""
        return self._best

    def probability(self, present: Edges | GraphFunction = (), absent: Edges = ()) -> float:
        """Return the probability that edges are present or absent; see `Posterior.probability`."""
        if callable(present):
            return super().probability(present)
        present, absent = list(present), list(absent)
        if len(present) == 1 and not absent:
            i, j, at_left, at_right = next(written_edges(present, self.names))
            return float(self.edge_probabilities[i, j]) if at_left != at_right else 0.0
        self._require_draws("probabilities of several edges together")
        return super().probability(present, absent)

    def after(self, burnin: float) -> Self:
        """Return the posterior itself: exact marginals and independent draws have no burn-in."""
        return self

    def thinned(self, every: int) -> Self:
        """Return the posterior itself: independent draws need no thinning."""
        return self
