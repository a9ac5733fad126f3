"""Modules that cost next to nothing, for the scheduler; its workers load them as a user's file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dagathlon.data import Dataset, Variable
from dagathlon.graphs import Graph
from dagathlon.simulate.base import DataGenerator, GraphGenerator

_GRAPH = Graph(["A"])


@dataclass(frozen=True, kw_only=True)
class EmptyGraph(GraphGenerator):
    """Does nothing, and returns the same graph every time."""

    name = "benchmark_empty"

    def sample(self, rng: np.random.Generator) -> Graph:
        return _GRAPH


@dataclass(frozen=True, kw_only=True)
class LargeData(DataGenerator):
    """A data set of so many megabytes, another for every stream."""

    name = "benchmark_large"
    megabytes: int = 10

    def sample(self, rng: np.random.Generator) -> Dataset:  # type: ignore[override]
        values = np.full((self.megabytes * 2**17, 1), rng.random())
        return Dataset([Variable("x")], values=values)
