"""Random linear structural equation models."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dagathlon.data import LinearSem
from dagathlon.graphs import Graph
from dagathlon.modules import NonNegative
from dagathlon.simulate.base import ParameterGenerator


@dataclass(frozen=True, kw_only=True)
class RandomLinearSem(ParameterGenerator):
    """Weights of random size and sign on the edges of a DAG; standard normal noise.

    Parameters
    ----------
    min
        Smallest absolute weight.
    max
        Largest absolute weight.
    """

    name = "linear_sem"

    min: NonNegative = 0.25
    max: NonNegative = 1.0

    def problem(self) -> str:
        """The interval must not be empty."""
        if self.min > self.max:
            return f"min {self.min:g} is above max {self.max:g}"
        return ""

    def sample(self, graph: Graph, rng: np.random.Generator) -> LinearSem:
        """Draw all sizes, then all signs."""
        rows, columns = np.nonzero(graph.adjacency)
        sizes = rng.uniform(self.min, self.max, len(rows))
        signs = rng.choice([-1.0, 1.0], len(rows))
        weights = np.zeros((len(graph), len(graph)))
        weights[rows, columns] = sizes * signs
        return LinearSem(graph.names, weights)
