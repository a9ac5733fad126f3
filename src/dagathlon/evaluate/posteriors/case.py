"""`PosteriorCase`: a posterior with truth, model and data, in one order of nodes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from dagathlon.data import Dataset, LinearSem
from dagathlon.evaluate.posteriors.entropy import MOST_ROWS
from dagathlon.evaluate.posteriors.graphs import MissingInputError, node_positions, reorder_nodes
from dagathlon.evaluate.posteriors.likelihoods import complete_rows
from dagathlon.evaluate.posteriors.quasi_random import normal_points
from dagathlon.graphs import Graph
from dagathlon.posteriors.arrays import LinearModels, linear_models, sample_of
from dagathlon.posteriors.packed import Floats
from dagathlon.posteriors.posterior import Posterior
from dagathlon.simulate.linear_sem import rescaled

Parameters: TypeAlias = Literal["own", "nig", "wishart"]
# Streams of their own, the same for all posteriors, so that they are compared on equal terms.
_PARAMETERS, _REFERENCE = 1, 2


@dataclass(frozen=True)
class PosteriorCase:
    """Inputs of the metrics of one posterior, with derived quantities cached.

    Parameters
    ----------
    posterior
        The posterior to score.
    truth
        The true graph.
    model
        The true model; a linear Gaussian one gives exact moments.
    data
        The data that were learned from.
    test_data
        Fresh rows of the same model.
    reference
        The posterior to compare with, exact if possible.
    draw_parameters
        Parameters of draws that have none: those that the method gave (``own``), or drawn given
        each DAG from the normal–inverse-gamma (``nig``) or normal–Wishart posterior.
    scaled
        Whether the data were brought to variance 1, so that the true model is scaled alike.
    draws
        At most so many draws are used where parameters matter; more are thinned evenly.
    """

    posterior: Posterior
    truth: Graph | None = None
    model: Any = None
    data: Dataset | None = None
    test_data: Dataset | None = None
    reference: Posterior | None = None
    draw_parameters: Parameters = "own"
    scaled: bool = False
    draws: int = 500

    @property
    def names(self) -> tuple[str, ...]:
        """The nodes, in the order of the posterior."""
        return self.posterior.names

    @property
    def drawn(self) -> Posterior:
        """The posterior; raise `MissingInputError` if it has no draws."""
        if not self.posterior.chains:
            raise MissingInputError("exact marginals without draws")
        return self.posterior

    @property
    def drawn_dags(self) -> Posterior:
        """The posterior; raise `MissingInputError` if its draws are no DAGs."""
        posterior = self.drawn
        if (
            not posterior.edge_probabilities.any()
        ):  # graphs without edges are kept as undirected ones
            return posterior
        if any(chain.form != "arcs" for chain in posterior.chains) or _undirected(posterior):
            raise MissingInputError("the draws are no DAGs")
        return posterior

    @cached_property
    def true_graph(self) -> Graph:
        """The true graph, with its nodes in the posterior's order."""
        known = self.truth
        if known is None and isinstance(self.model, LinearSem):
            known = self.model.graph
        if known is None:
            raise MissingInputError("there is no true graph to compare with")
        return reorder_nodes(known, self.names, "the true graph")

    @cached_property
    def true_model(self) -> LinearSem:
        """The true linear model on the scale of the data, in the posterior's order."""
        if not isinstance(self.model, LinearSem):
            raise MissingInputError("the true model is not a linear Gaussian one, or not known")
        sem = rescaled(self.model, "standardized" if self.scaled else "raw")
        if sem.names == self.names:
            return sem
        order = node_positions(sem.names, self.names, "the true model")
        weights = sem.weights[np.ix_(order, order)]
        return LinearSem(self.names, weights, sem.variances[order])

    @cached_property
    def moments(self) -> Floats:
        """Second moments of true rows: exact if the linear model is known, else of fresh rows.

        Parameters of the normal–Wishart posterior are about the mean of the data.
        """
        if isinstance(self.model, LinearSem):
            return self.true_model.covariance()
        rows = self._fresh()
        return rows.T @ rows / len(rows)

    @cached_property
    def held_out(self) -> Floats:
        """A few rows of the true model, always the same for a data set."""
        if isinstance(self.model, LinearSem):
            sem = self.true_model
            noise = normal_points(MOST_ROWS, len(self.names)) * np.sqrt(sem.variances)
            return noise @ np.linalg.inv(np.eye(len(self.names)) - sem.weights)
        return self._fresh()[:MOST_ROWS]

    def _fresh(self) -> Floats:
        if self.test_data is None:
            raise MissingInputError("there are no fresh rows, and no known model to draw them from")
        rows = complete_rows(self.test_data, self.names)
        if self.draw_parameters == "wishart" and self.data is not None:
            rows = rows - complete_rows(self.data, self.names).mean(axis=0)
        return rows

    @property
    def other(self) -> Posterior:
        """The reference posterior; raise `MissingInputError` if there is none."""
        if self.reference is None:
            raise MissingInputError("there is no reference posterior to compare with")
        return self.reference

    @cached_property
    def models(self) -> LinearModels:
        """The draws with their parameters, which are drawn if they have none."""
        return self._with_parameters(self.posterior, _PARAMETERS)

    @cached_property
    def reference_models(self) -> LinearModels:
        """The reference's draws with parameters, with nodes in the posterior's order."""
        models = self._with_parameters(self.other, _REFERENCE)
        if models.names == self.names:
            return models
        order = node_positions(models.names, self.names, "the reference")
        coefficients = models.coefficients[:, order][:, :, order]
        return LinearModels(self.names, coefficients, models.variances[:, order], models.shares)

    def _with_parameters(self, posterior: Posterior, stream: int) -> LinearModels:
        if not posterior.chains:
            raise MissingInputError("exact marginals without draws have no parameters")
        if all(chain.parameters is not None for chain in posterior.chains):
            return linear_models(posterior).thinned(self.draws)
        if self.draw_parameters == "own" or self.data is None:
            raise MissingInputError("the draws have no coefficients and noise variances")
        from dagathlon.posteriors.parameters import (  # noqa: PLC0415 - only where they are drawn
            NormalInverseGamma,
            NormalWishart,
        )

        prior = NormalInverseGamma() if self.draw_parameters == "nig" else NormalWishart()
        rng = np.random.Generator(np.random.Philox(key=stream))
        sample = prior.draw(sample_of(posterior, self.draws), self.data, rng)
        return linear_models(Posterior([sample]))


def _undirected(posterior: Posterior) -> bool:
    """Whether any draw has an undirected edge, as opposed to a cycle."""
    edges = posterior.edge_probabilities
    return bool(np.any(edges + edges.T - posterior.strengths.strength > 1e-12))
