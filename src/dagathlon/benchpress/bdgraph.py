"""BDgraph 2.72: Bayesian Gaussian graphical models and Gaussian copulas."""

from __future__ import annotations

from dataclasses import dataclass

from dagathlon.benchpress.base import BenchpressSampler
from dagathlon.data.spec import DataFacts
from dagathlon.learners.undirected.bdgraph_mcmc import BdgraphMcmc


@dataclass(frozen=True, kw_only=True)
class Bdgraph(BenchpressSampler):
    """Birth-death or reversible-jump sampling of Gaussian graphical models.

    The score of a graph is the logarithm of the share of the chain that it takes up. The results
    are BDgraph's; ``bd_mcmc`` and ``rj_mcmc`` sample the posterior itself.
    """

    name = "bdgraph"
    assumes = BdgraphMcmc.assumes

    def problem(self) -> str:
        """Return an error for dfprior below 3, or gprior 0 or 1; else our sampler's."""
        # The fields of inherited parameters are made when the class is.
        values = self.translated()
        if values["b"] < 3:
            return f"dfprior: found {values['b']}, expected at least 3"
        if values["edge_probability"] in (0, 1):
            found = f"found {values['edge_probability']:g}"
            return f"gprior: {found}, expected a number above 0 and below 1"
        return super().problem()

    def why_unsuitable(self, data: DataFacts) -> str:
        """Reject missing values for Gaussian graphical models; copulas accept them."""
        if data.missing and self.translated()["method"] == "ggm":
            return (
                f"{self.name} with method 'ggm' cannot handle missing values; set method to "
                "'gcgm', impute them first or drop the rows"
            )
        return super().why_unsuitable(data)
