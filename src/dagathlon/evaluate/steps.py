"""The evaluation steps of a plan: a graph from a chain, a row of metrics from two graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from dagathlon.data import Dataset, LinearSem
from dagathlon.errors import DagathlonError
from dagathlon.evaluate.chains import estimate_graph
from dagathlon.evaluate.comparison import compare
from dagathlon.evaluate.control import random_control
from dagathlon.evaluate.fit import (
    cross_validated_log_likelihood,
    fit,
    gaussian_cross_entropy,
    held_out_log_likelihood,
)
from dagathlon.evaluate.sortability import r2_sortability, varsortability
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate
from dagathlon.modules import Count, Module, Natural, Probability


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
        """The estimate with this estimator's graph; the posterior stays with the sampler."""
        if estimate.posterior is None:
            raise DagathlonError("the sampler returned no chain of graphs")
        graph = estimate_graph(
            estimate.posterior, self.mcmc_estimator, self.threshold, self.burnin_frac
        )
        return Estimate(graph, estimate.stats)


@dataclass(frozen=True, kw_only=True)
class StandardMetrics(Module):
    """All metrics of an estimate against the truth.

    Parameters
    ----------
    causal
        Whether to compute SID and the AIDs; null does for graphs of up to 50 nodes.
    """

    name = "metrics"
    kind = "metric"
    version = 2
    causal: bool | None = None

    def compute(self, truth: Graph, estimate: Estimate) -> dict[str, Any]:
        """One row of metrics."""
        return compare(estimate, truth, self.causal)


@dataclass(frozen=True, kw_only=True)
class CaseDiagnostics(Module):
    """What a data set gives away about its graph, and what random graphs would score on it.

    Parameters
    ----------
    draws
        How many random graphs to average over.
    """

    name = "diagnostics"
    kind = "metric"
    draws: Count = 10

    def compute(self, truth: Graph, data: Dataset) -> dict[str, Any]:
        """One row for the data set."""
        pairs = len(truth) * (len(truth) - 1) / 2
        row: dict[str, Any] = {
            "n": len(data),
            "kind": "discrete" if data.is_discrete else "mixed" if data.is_mixed else "continuous",
            "n_nodes": len(truth),
            "n_edges": truth.n_edges,
            "density": truth.n_edges / pairs if pairs else None,
            "varsortability": None,
            "r2_sortability": None,
        }
        if truth.is_dag and truth.n_edges and set(truth.names) <= set(data.names) and len(data):
            row["varsortability"] = varsortability(data, truth)
            row["r2_sortability"] = r2_sortability(data, truth)
        return row | random_control(truth, self.draws)


@dataclass(frozen=True, kw_only=True)
class HeldOut(Module):
    """Log-likelihood of fresh data from the true model under the network fitted on an estimate.

    Parameters
    ----------
    exact
        Whether rows are plain draws from the model, so that the cross-entropy of a linear Gaussian
        model is known; else it is estimated from the fresh rows.
    scaled
        Whether the data were standardised.
    """

    name = "held_out"
    kind = "metric"
    exact: bool = False
    scaled: bool = False

    def compute(
        self, model: Any, training: Dataset, test: Dataset, estimate: Estimate
    ) -> dict[str, Any]:
        """One row: mean log-likelihood per row and cross-entropy, or why there are none."""
        try:
            value = held_out_log_likelihood(estimate.graph, training, test)
            entropy = -value
            if self.exact and isinstance(model, LinearSem):
                network = fit(estimate.graph, training)
                entropy = gaussian_cross_entropy(network, model, self.scaled)
        except DagathlonError as error:
            return _nothing(error)
        return {"held_out_log_likelihood": value, "cross_entropy": entropy}


@dataclass(frozen=True, kw_only=True)
class CrossValidated(Module):
    """Log-likelihood of data without a known model, by cross-validation of the parameters.

    Parameters
    ----------
    folds
        Number of parts; each is scored with parameters fitted to the others.
    """

    name = "cross_validated"
    kind = "metric"
    folds: Natural = 5

    def compute(self, data: Dataset, estimate: Estimate) -> dict[str, Any]:
        """One row: mean log-likelihood per row, or why there is none."""
        try:
            value = cross_validated_log_likelihood(estimate.graph, data, self.folds)
        except DagathlonError as error:
            return _nothing(error)
        return {"held_out_log_likelihood": value, "cross_entropy": None}


def _nothing(error: DagathlonError) -> dict[str, Any]:
    return {"held_out_log_likelihood": None, "cross_entropy": None, "held_out_note": str(error)}
