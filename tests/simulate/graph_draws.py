"""Random streams of the tests."""

from __future__ import annotations

import numpy as np

from dagathlon.graphs import Graph
from dagathlon.simulate.base import GraphGenerator


def stream(seed: int = 1) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(seed))


def draws(generator: GraphGenerator, n: int, seed: int = 1) -> list[Graph]:
    rng = stream(seed)
    return [generator.sample(rng) for _ in range(n)]


def degrees(graph: Graph) -> np.ndarray:
    joined = graph.adjacency | graph.adjacency.T
    return joined.sum(axis=0, dtype=np.int64)
