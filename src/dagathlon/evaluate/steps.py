"""The evaluation steps of a plan: a graph from a chain, a row of metrics from two graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from dagathlon.errors import DagathlonError
from dagathlon.evaluate.chains import estimate_graph
from dagathlon.evaluate.comparison import compare
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate
from dagathlon.modules import Module, Probability


@dataclass(frozen=True, kw_only=True)
class McmcEstimator(Module):
    """Estimate one graph from a Markov chain of graphs.

    Parameters
    ----------
    mcmc_estimator
        The graph of highest score (``map``) or all edges that are frequent enough (``threshold``).
    threshold
        Least frequency of an edge, for ``threshold``.
    burnin_frac
        Share of the chain to leave out at the start.
    """

    name = "mcmc_estimator"
    kind = "estimator"
    mcmc_estimator: Literal["map", "threshold"] = "map"
    threshold: Probability = 0.5
    burnin_frac: Probability = 0.0

    def compute(self, estimate: Estimate) -> Estimate:
        """The estimate with this estimator's graph; the chain stays with the sampler."""
        if estimate.chain is None:
            raise DagathlonError("the sampler returned no chain of graphs")
        graph = estimate_graph(
            estimate.chain, self.mcmc_estimator, self.threshold, self.burnin_frac
        )
        return Estimate(graph, estimate.stats)


@dataclass(frozen=True, kw_only=True)
class StandardMetrics(Module):
    """All metrics of an estimate against the truth."""

    name = "metrics"
    kind = "metric"

    def compute(self, truth: Graph, estimate: Estimate) -> dict[str, Any]:
        """One row of metrics."""
        return compare(estimate, truth)
