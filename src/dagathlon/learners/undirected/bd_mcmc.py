"""Birth-death MCMC over Gaussian graphical models."""

from __future__ import annotations

from dataclasses import dataclass

from dagathlon import _core
from dagathlon.graphs import Graph
from dagathlon.learners.undirected.g_wishart_sampler import GWishartSampler, Scatter
from dagathlon.modules import NonNegative


@dataclass(frozen=True, kw_only=True)
class BdMcmc(GWishartSampler):
    """Birth-death MCMC over Gaussian graphical models: edges appear and vanish by rates.

    Each pair of variables has a rate at which its edge appears or disappears, given the
    precision matrix. A sweep runs this process for a fixed time and then draws the precision
    matrix given the graph. Graphs are weighted by their expected waiting times.

    Parameters
    ----------
    jumps
        Mean number of births and deaths in a sweep, above 0. The time of a sweep is adapted to it
        during the warm-up.
    """

    name = "bd_mcmc"
    references = (
        "Mohammadi and Wit 2015, Bayesian structure learning in sparse Gaussian graphical models, "
        "Bayesian Analysis 10",
        "Lenkoski 2013, A direct sampler for G-Wishart variates, Stat 2",
        "Mohammadi, Massam and Letac 2021, Accelerating Bayesian structure learning in sparse "
        "Gaussian graphical models, JASA 118",
    )

    jumps: NonNegative = 1.0

    def problem(self) -> str:
        """Return a message if a sweep would change nothing; empty otherwise."""
        return "jumps: found 0, expected a number above 0" if not self.jumps else super().problem()

    def chain(
        self, start: Graph, given: Scatter | _core.CopulaStart, options: _core.ChainOptions
    ) -> _core.GaussianChain:
        """Run one birth-death chain."""
        prior = self.prior()
        if not isinstance(given, Scatter):
            return _core.copula_birth_death_chain(start.native, given, prior, self.jumps, options)
        return _core.birth_death_chain(
            start.native, given.products, given.rows, prior, self.jumps, options
        )
