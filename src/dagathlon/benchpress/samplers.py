"""The samplers of decomposable graphs of A. Thomas."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any

from dagathlon.benchpress.base import BenchpressSampler
from dagathlon.learners.undirected.decomposable_score import DecomposableSampler
from dagathlon.learners.undirected.giudici_green import GiudiciGreen
from dagathlon.learners.undirected.junction_tree_mcmc import JunctionTreeMcmc


@dataclass(frozen=True, kw_only=True)
class AthomasJtsamplers(BenchpressSampler):
    """Sampling of decomposable graphs: single edges, or junction trees."""

    name = "athomas_jtsamplers"

    def native(self) -> DecomposableSampler:
        """Return our sampler, which saves every sample from the empty graph on."""
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
    """Return the edge probability whose log odds are minus the penalty."""
    # The smallest probability still has finite odds.
    odds = max(math.exp(-penalty), sys.float_info.min)
    return odds / (1 + odds)
