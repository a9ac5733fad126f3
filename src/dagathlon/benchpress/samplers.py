"""The samplers of decomposable graphs of A. Thomas."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any, Literal

from dagathlon.benchpress.base import BenchpressSampler
from dagathlon.benchpress.translation import same
from dagathlon.learners.base import Sampler
from dagathlon.learners.undirected.decomposable_score import DecomposableSampler
from dagathlon.learners.undirected.giudici_green import GiudiciGreen
from dagathlon.learners.undirected.junction_tree_mcmc import JunctionTreeMcmc
from dagathlon.modules import Count, NonNegative


@dataclass(frozen=True, kw_only=True)
class AthomasJtsamplers(BenchpressSampler):
    """Sampling of decomposable graphs: single edges, or junction trees.

    Parameters
    ----------
    num_samples
        Length of the chain.
    sampler
        Single edges of the graph (0), single (1) or several edges through a junction tree (2).
    edge_penalty
        Penalty of an edge in the log prior.
    size_maxclique
        Largest number of variables of a clique.
    """

    name = "athomas_jtsamplers"
    gives = "chain"
    anytime = True
    runs = JunctionTreeMcmc
    inherits = same("mcmc_seed", *Sampler.ESTIMATOR_FIELDS)
    takes = frozenset({"continuous"})
    implementation = "dagathlon (re-implementation of the junction tree samplers of A. Thomas)"
    references = ("Giudici and Green 1999, Biometrika 86", "Green and Thomas 2013, Biometrika 100")

    num_samples: Count = 10_000
    sampler: Literal[0, 1, 2] = 1
    edge_penalty: NonNegative = 0.0
    size_maxclique: Count = 10_000

    def native(self) -> DecomposableSampler:
        """The same sampler under our name; every sample is saved, from the empty graph on."""
        values: dict[str, Any] = {
            **self.translated(),
            "iterations": self.num_samples,
            "stepsave": 1,
            "warmup": 0,
            "first_graph": "empty",
            "edge_probability": penalised_edge(self.edge_penalty),
            "max_clique": max(self.size_maxclique, 1),
        }
        if self.sampler == 0:
            return GiudiciGreen(**values)
        return JunctionTreeMcmc(**values, several=self.sampler == 2)


def penalised_edge(penalty: float) -> float:
    """The probability of an edge whose log odds are minus a penalty."""
    # The smallest probability still has finite odds.
    odds = max(math.exp(-penalty), sys.float_info.min)
    return odds / (1 + odds)
