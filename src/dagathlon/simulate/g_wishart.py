"""Random and structured Gaussian models on undirected graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dagathlon.data import MultivariateNormal
from dagathlon.graphs import Graph
from dagathlon.graphs.checks import require_undirected
from dagathlon.modules import NonNegative, Probability
from dagathlon.simulate.base import GraphKind, ParameterGenerator, check, not_positive
from dagathlon.simulate.completion import complete_covariance, complete_inverse


@dataclass(frozen=True, kw_only=True)
class GWishart(ParameterGenerator):
    """Precision matrix from the G-Wishart distribution with identity scale.

    The density of the precision matrix K is proportional to ``|K|^((b-2)/2) exp(-tr(K)/2)``
    over the positive definite matrices with the zeros of the graph. The direct sampler is exact
    for decomposable graphs; for other graphs its draws are somewhat overdispersed.

    Parameters
    ----------
    b
        Degrees of freedom, above 0; 3 is the usual weak prior.
    tolerance
        Precision of the entries that the zeros of the graph determine.
    """

    name = "g_wishart"
    needs: ClassVar[GraphKind] = "undirected"
    references = ("Lenkoski 2013, A direct sampler for G-Wishart variates, Stat 2",)

    b: NonNegative = 3.0
    tolerance: NonNegative = 1e-8

    def problem(self) -> str:
        """Return a message if the distribution is improper or the tolerance is not above 0."""
        return not_positive(self, "b", "tolerance")

    def sample(self, graph: Graph, rng: np.random.Generator) -> MultivariateNormal:
        """Draw a full precision matrix, then impose the zeros of the graph by completion."""
        check(self)
        require_undirected(graph, "a Gaussian graphical model")
        p = len(graph)
        factor = np.tril(rng.standard_normal((p, p)), -1)
        freedom = self.b + p - 1 - np.arange(p)
        np.fill_diagonal(factor, np.sqrt(rng.chisquare(freedom)))
        return MultivariateNormal(graph.names, complete_inverse(factor, graph, self.tolerance))


@dataclass(frozen=True, kw_only=True)
class IntraClass(ParameterGenerator):
    """Equal variances, and the same correlation along every edge of an undirected graph.

    Parameters
    ----------
    rho
        Correlation of two joined variables, below 1.
    sigma2
        Variance of every variable, above 0.
    """

    name = "intra_class"
    needs: ClassVar[GraphKind] = "undirected"
    references = ("Green and Thomas 2013, Biometrika 100",)

    rho: Probability = 0.5
    sigma2: NonNegative = 1.0

    def problem(self) -> str:
        """Return a message if the covariance is not positive definite; empty otherwise."""
        if self.rho == 1:
            return "rho must be below 1: variables with correlation 1 are copies of each other"
        return not_positive(self, "sigma2")

    def sample(self, graph: Graph, rng: np.random.Generator) -> MultivariateNormal:
        """Return the model, which is deterministic."""
        check(self)
        require_undirected(graph, "a Gaussian graphical model")
        p = len(graph)
        within = self.sigma2 * np.where(np.eye(p, dtype=bool), 1.0, self.rho)
        covariance = complete_covariance(within, graph, 1e-12 * self.sigma2)
        return MultivariateNormal(graph.names, covariance)
