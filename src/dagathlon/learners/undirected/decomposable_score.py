"""The posterior of decomposable graphs: clique likelihoods and a prior over graphs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.data.spec import DataKind
from dagathlon.errors import DataError
from dagathlon.learners.assumptions import GAUSSIAN
from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.bayesian.dag_sampling import thousands
from dagathlon.learners.undirected.definite import require_definite
from dagathlon.learners.undirected.undirected_sampler import UndirectedSampler
from dagathlon.modules import Natural, NonNegative, Probability
from dagathlon.posteriors.posterior import Posterior
from dagathlon.threads import ObjectPool

Matrix: TypeAlias = npt.NDArray[np.float64]
# Largest number of graphs averaged in the mean precision; each costs inverses of its cliques.
_AVERAGED = 1000
_BURNIN = 0.5


@dataclass(frozen=True, kw_only=True)
class DecomposablePosterior(Learner):
    """Base class of learners of decomposable graphs with a conjugate prior of their parameters.

    Parameters
    ----------
    delta
        Degrees of freedom of the hyper inverse Wishart prior of continuous data, above 0.
    scale
        Diagonal of its scale matrix, in squared units of the data; null is the variance of each
        column around its mean, with the number of rows as divisor, so that units do not matter; 1
        for a constant column.
    zero_mean
        Whether continuous columns have mean zero; otherwise means are unknown, with a flat prior.
    pseudo_obs
        Imaginary observations of the hyper Dirichlet prior of discrete data, above 0, spread
        evenly over all cells.
    edge_probability
        Prior probability of each edge, between 0 and 1: the prior of a graph of k edges is
        proportional to the k-th power of its odds, and 0.5 makes all graphs equally probable.
    max_clique
        Largest number of variables of a clique; null is no limit.
    clique_weights
        Log prior weights of maximal cliques of 1, 2, … variables; larger cliques have the last
        weight.
    separator_weights
        The same for separators, whose weights are divided by: with the same list twice, the parts
        of the graph on both sides of a separator are a priori independent.
    """

    assumes = ("a decomposable graph",)
    takes = frozenset({"continuous", "discrete"})

    delta: NonNegative = 3.0
    scale: NonNegative | None = None
    zero_mean: bool = False
    pseudo_obs: NonNegative = 1.0
    edge_probability: Probability = 0.5
    max_clique: Natural | None = None
    clique_weights: tuple[float, ...] = ()
    separator_weights: tuple[float, ...] = ()

    def problem(self) -> str:
        """Return a message if a prior is improper or excludes an edge; empty otherwise."""
        for name in ("delta", "scale", "pseudo_obs"):
            if getattr(self, name) == 0:
                return f"{name}: found 0, expected a number above 0"
        if self.edge_probability in (0, 1):
            given = f"{self.edge_probability:g}"
            return f"edge_probability: found {given}, expected above 0 and below 1"
        if not np.isfinite([*self.clique_weights, *self.separator_weights]).all():
            return "clique_weights and separator_weights are finite numbers"
        return super().problem()

    def assumptions(self, kind: DataKind) -> tuple[str, ...]:
        """Return the assumptions: normal continuous data; none for discrete data."""
        return (*self.assumes, *((GAUSSIAN,) if kind == "continuous" else ()))

    def parameter_sample_size(self) -> float | None:
        """Return the imaginary sample size of the prior of discrete data."""
        return self.pseudo_obs

    def space(self, variables: int) -> str:
        """Describe the graphs of so many variables that the posterior covers."""
        limit = self.max_clique
        if limit is None or limit >= variables:
            return "all decomposable graphs"
        return f"all decomposable graphs of at most {limit} nodes in a clique"

    def target(self, data: Dataset) -> _core.DecomposableTarget:
        """Return the native target distribution: likelihood and prior."""
        log_odds = math.log(self.edge_probability) - math.log1p(-self.edge_probability)
        prior = _core.DecomposablePrior(
            edge_log_odds=log_odds,
            max_clique=self.max_clique or max(len(data.names), 1),
            clique_weights=list(self.clique_weights),
            separator_weights=list(self.separator_weights),
        )
        return _core.DecomposableTarget(self.cliques(data), prior)

    def cliques(self, data: Dataset) -> _core.CliqueScores:
        """Return the native marginal likelihoods of sets of columns."""
        if not len(data):
            raise DataError(f"{self.name} needs at least 1 row, found none")
        if data.is_discrete:
            return _core.discrete_cliques(data.codes, list(data.arities), self.pseudo_obs)
        if not np.isfinite(data.values).all():
            raise DataError(f"{self.name} takes finite values only")
        values, scales = data.values, self._scales(data.values)
        centred = values if self.zero_mean else values - values.mean(axis=0)
        require_definite(self.name, centred, scales)
        return _core.gaussian_cliques(values, self.delta, scales.tolist(), self.zero_mean)

    def _scales(self, values: Matrix) -> Matrix:
        """Return the diagonal of the prior's scale matrix; a constant column has scale 1."""
        if self.scale is not None:
            return np.full(values.shape[1], float(self.scale))
        spread: Matrix = values.var(axis=0)
        smallest = 1e-20 * np.maximum((values**2).mean(axis=0), np.finfo(float).tiny)
        return np.where(spread > smallest, spread, 1.0)


@dataclass(frozen=True, kw_only=True)
class DecomposableSampler(DecomposablePosterior, UndirectedSampler):
    """Base class of the samplers of decomposable graphs."""

    def sampled(
        self,
        chain: Callable[[_core.DecomposableTarget, _core.ChainOptions], _core.UndirectedLog],
        data: Dataset,
        rng: np.random.Generator,
    ) -> Estimate:
        """Run the chains; for continuous data average the precision matrix along them."""
        length, targets = self.length(len(data.names)), ObjectPool(lambda: self.target(data))
        logs = self.chain_runs(targets, chain, length, rng)
        estimate = self.result(logs, data, length, self.space(len(data.names)))
        if data.is_discrete or estimate.posterior is None:
            return estimate
        with targets.borrow() as target:
            return replace(estimate, precision=mean_precision(estimate.posterior, target))


@dataclass(frozen=True, kw_only=True)
class ChainsFromForest(DecomposableSampler):
    """Base class of samplers of decomposable graphs by local moves, with a good start.

    Parameters
    ----------
    first_graph
        Start of the chains: the forest of highest posterior, or the empty graph, from which early
        edges that later prove wrong may stay for long.
    """

    first_graph: Literal["forest", "empty"] = "forest"

    def default_iterations(self, p: int) -> int:
        """Return the default number of steps: five hundred proposals for each pair of variables."""
        return max(50_000, thousands(250 * p * (p - 1)))

    def first(self) -> _core.FirstGraph:
        """Return the native option for the first graph."""
        return getattr(_core.FirstGraph, self.first_graph)  # type: ignore[no-any-return]


def mean_precision(posterior: Posterior, target: _core.DecomposableTarget) -> Matrix:
    """Return the mean precision matrix over evenly spaced graphs of all chains.

    The first half of each chain is left out as burn-in.
    """
    late = posterior.after(_BURNIN)
    every = max(math.ceil(late.n_draws / _AVERAGED), 1)
    mean: Matrix = late.thinned(every).expect(lambda graph: target.precision(graph.native))
    return mean
