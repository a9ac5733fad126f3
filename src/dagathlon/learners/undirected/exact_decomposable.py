"""The exact posterior over the decomposable graphs of few variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.data.spec import DataFacts
from dagathlon.errors import DataError
from dagathlon.learners.base import Estimate, Statistic
from dagathlon.learners.undirected.decomposable_score import DecomposablePosterior
from dagathlon.modules import Probability
from dagathlon.posteriors.posterior import Posterior
from dagathlon.posteriors.sample import Sample

MOST_VARIABLES = _core.MAX_ENUMERATED


@dataclass(frozen=True, kw_only=True)
class ExactDecomposable(DecomposablePosterior):
    """The exact posterior over all decomposable graphs of at most 7 variables, by enumeration.

    The samplers of decomposable graphs converge to it with the same prior.

    Parameters
    ----------
    estimator
        The most probable graph (map), or all edges above a probability (threshold).
    threshold
        Probability above which the threshold estimator keeps an edge.
    """

    gives = "undirected"
    gives_posterior = True
    name = "exact_decomposable"
    references = ("Dawid and Lauritzen 1993, Hyper Markov laws, Annals of Statistics 21",)

    estimator: Literal["map", "threshold"] = "map"
    threshold: Probability = 0.5

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return a message if there are too many variables for enumeration; empty otherwise."""
        if data.n_columns is not None and data.n_columns > MOST_VARIABLES:
            return _too_many(data.n_columns)
        return super().why_unsuitable(data)

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Compute the weight of every decomposable graph."""
        if len(data.names) > MOST_VARIABLES:
            raise DataError(_too_many(len(data.names)))
        edges, weights, precision = _core.decomposable_graphs(self.target(data))
        words = edges if len(data.names) > 1 else np.empty((len(edges), 0), dtype=np.uint64)
        log_weights = weights.ravel()
        sample = Sample(data.names, "undirected", words, log_weights=log_weights)
        posterior = Posterior([sample], space=self.space(len(data.names)))
        graph = posterior.map()
        if self.estimator == "threshold":
            graph = posterior.above(self.threshold)
        stats: dict[str, Statistic] = {
            "score": float(log_weights.max()),
            "graphs": len(log_weights),
            "log_partition": float(np.logaddexp.reduce(log_weights)),
            "entropy": posterior.entropy,
        }
        return Estimate(graph, stats, posterior, precision=precision)


def _too_many(variables: int) -> str:
    """Return the error message for too many variables, with remedies."""
    return (
        f"all decomposable graphs are enumerated for at most {MOST_VARIABLES} variables, "
        f"not {variables}; choose fewer, or sample with junction_tree_mcmc"
    )
