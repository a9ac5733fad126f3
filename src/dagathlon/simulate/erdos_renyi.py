"""Erdős–Rényi graphs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dagathlon.simulate.pairs import Pairs, random_pairs
from dagathlon.simulate.random_graph import RandomGraph


@dataclass(frozen=True, kw_only=True)
class ErdosRenyi(RandomGraph):
    """Erdős–Rényi graph: each pair is joined with one probability, directed by a random order."""

    name = "erdos_renyi"
    version = 2
    references = ("Erdős and Rényi 1959, On random graphs I, Publicationes Mathematicae 6",)

    def edges(self, rng: np.random.Generator) -> Pairs:
        """Draw each pair independently."""
        others = max(self.nodes - 1, 1)
        return random_pairs(self.nodes, min(self.neighbours / others, 1.0), rng)
