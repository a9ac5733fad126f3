"""Reversible-jump MCMC over Gaussian graphical models."""

from __future__ import annotations

from dataclasses import dataclass

from dagathlon import _core
from dagathlon.graphs import Graph
from dagathlon.learners.undirected.g_wishart_sampler import GWishartSampler, Scatter
from dagathlon.modules import Natural


@dataclass(frozen=True, kw_only=True)
class RjMcmc(GWishartSampler):
    """Reversible-jump MCMC over Gaussian graphical models: edges are added or removed.

    A sweep proposes changes of pairs drawn at random, each accepted or rejected given the
    precision matrix, and then draws the precision matrix given the graph.

    Parameters
    ----------
    proposals
        Number of pairs in a sweep; null is the number of variables.
    """

    name = "rj_mcmc"
    references = (
        "Cheng and Lenkoski 2012, Hierarchical Gaussian graphical models: beyond reversible jump, "
        "Electronic Journal of Statistics 6",
        "Lenkoski 2013, A direct sampler for G-Wishart variates, Stat 2",
        "Murray, Ghahramani and MacKay 2006, MCMC for doubly-intractable distributions, UAI",
    )

    proposals: Natural | None = None

    def chain(
        self, start: Graph, given: Scatter | _core.CopulaStart, options: _core.ChainOptions
    ) -> _core.GaussianChain:
        """Run one reversible-jump chain."""
        proposals = self.proposals or max(len(start), 1)
        prior = self.prior()
        if not isinstance(given, Scatter):
            return _core.copula_reversible_jump_chain(
                start.native, given, prior, proposals, options
            )
        return _core.reversible_jump_chain(
            start.native, given.products, given.rows, prior, proposals, options
        )
