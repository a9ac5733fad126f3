"""Random and structured Gaussian models on undirected graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dagathlon.data import MultivariateNormal
from dagathlon.graphs import Graph
from dagathlon.modules import NonNegative, Probability
from dagathlon.simulate.base import GraphKind, ParameterGenerator
from dagathlon.simulate.completion import complete_covariance


@dataclass(frozen=True, kw_only=True)
class GWishart(ParameterGenerator):
    """A precision matrix from the G-Wishart distribution with identity scale.

    The density of the precision matrix K is proportional to ``|K|^((b-2)/2) exp(-tr(K)/2)`` over
    the positive definite matrices with the zeros of the graph.

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
        """The distribution must exist, and the completion must end."""
        if self.b == 0:
            return "the degrees of freedom of a G-Wishart distribution are above 0"
        if self.tolerance == 0:
            return "the tolerance must be above 0"
        return ""

    def sample(self, graph: Graph, rng: np.random.Generator) -> MultivariateNormal:
        """Draw a full precision matrix, then impose the zeros of the graph."""
        p = len(graph)
        factor = np.tril(rng.standard_normal((p, p)), -1)
        freedom = self.b + p - 1 - np.arange(p)
        np.fill_diagonal(factor, np.sqrt(rng.chisquare(freedom)))
        full = np.asarray(np.linalg.inv(factor @ factor.T), dtype=np.float64)
        joined = graph.adjacency.astype(bool)
        return MultivariateNormal(graph.names, complete_covariance(full, joined, self.tolerance))


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
        """The covariance must be positive definite."""
        if self.rho == 1:
            return "rho must be below 1: variables with correlation 1 are copies of each other"
        if self.sigma2 == 0:
            return "sigma2 must be above 0"
        return ""

    def sample(self, graph: Graph, rng: np.random.Generator) -> MultivariateNormal:
        """The model; nothing is random."""
        p = len(graph)
        within = self.sigma2 * np.where(np.eye(p, dtype=bool), 1.0, self.rho)
        covariance = complete_covariance(within, graph.adjacency.astype(bool), 1e-12 * self.sigma2)
        return MultivariateNormal(graph.names, covariance)
