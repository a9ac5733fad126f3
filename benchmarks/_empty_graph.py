"""A module that costs nothing, for the scheduler; its workers load it as a user's file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dagathlon.graphs import Graph
from dagathlon.simulate.base import GraphGenerator

_GRAPH = Graph(["A"])


@dataclass(frozen=True, kw_only=True)
class EmptyGraph(GraphGenerator):
    """Does nothing, and returns the same graph every time."""

    name = "benchmark_empty"

    def sample(self, rng: np.random.Generator) -> Graph:
        return _GRAPH
