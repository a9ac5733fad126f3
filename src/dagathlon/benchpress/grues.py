"""gues 0.3.0: unconditional dependence graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dagathlon.benchpress.base import BenchpressSampler
from dagathlon.benchpress.translation import same
from dagathlon.learners.undirected.unconditional_mcmc import UnconditionalMcmc
from dagathlon.modules import Count


@dataclass(frozen=True, kw_only=True)
class Grues(BenchpressSampler):
    """Sampling of unconditional dependence graphs by Gröbner moves.

    Parameters
    ----------
    n_iterations
        Length of the chain.
    prior_n_sources
        Most probable number of sources; 0 is no prior.
    """

    name = "grues"
    anytime = True
    gives = "chain"
    runs = UnconditionalMcmc
    inherits = same("timeout")
    takes = frozenset({"continuous"})
    implementation = "dagathlon (re-implementation of gues 0.3.0)"
    references = UnconditionalMcmc.references

    n_iterations: Count = 10_000
    prior_n_sources: Count = 0

    def translated(self) -> dict[str, Any]:
        """Every state of the chain is saved, from the empty graph on."""
        return super().translated() | {
            # The criterion with variances of maximum likelihood, as in gues.
            "score": "l0-g",
            "iterations": self.n_iterations,
            "stepsave": 1,
            "warmup": 0,
            "temperatures": (1.0,),
            "expected_sources": self.prior_n_sources or None,
        }
