"""DAGs drawn uniformly from all labelled DAGs."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dagathlon.graphs import Graph
from dagathlon.simulate.base import GraphGenerator, Nodes, check
from dagathlon.simulate.random_graph import numbered

EXACT = 40
"""Number of remaining nodes up to which root counts are exact; beyond, their limit is used."""


@dataclass(frozen=True, kw_only=True)
class UniformDag(GraphGenerator):
    """Uniform distribution over all labelled DAGs of a number of nodes.

    The DAG is drawn layer by layer: the roots, then the roots of what remains, and so on. Up to
    40 nodes the sizes of the layers come from exact counts; beyond, from the limit of these
    counts, which differs by less than the rounding of a double.

    Parameters
    ----------
    nodes
        Number of nodes, called 1, 2, ….
    """

    name = "uniform_dag"
    references = ("Kuipers and Moffa 2015, Statistics and Computing 25",)

    nodes: Nodes = 20

    def sample(self, rng: np.random.Generator) -> Graph:
        """Draw the sizes of the layers, the edges between them, and the names."""
        check(self)
        matrix = _edges_between(_layers(self.nodes, rng), rng)
        order = rng.permutation(self.nodes)
        return Graph.from_adjacency(numbered(self.nodes), matrix[np.ix_(order, order)])


@functools.cache
def count_by_roots(n: int) -> tuple[int, ...]:
    """Return, for k = 1, …, n, the number of labelled DAGs with n nodes, k of them roots."""
    return tuple(
        math.comb(n, k) * (_continuations(n - k, k) if k < n else 1) for k in range(1, n + 1)
    )


def _continuations(m: int, k: int) -> int:
    """Count the DAGs on m nodes below k roots, each root of the m having a parent among the k."""
    return sum(_continuations_by_roots(m, k))


@functools.cache
def _continuations_by_roots(m: int, k: int) -> tuple[int, ...]:
    """Count them by the number s = 1, …, m of roots among the m nodes."""
    return tuple(
        (2**k - 1) ** s * 2 ** (k * (m - s)) * count
        for s, count in enumerate(count_by_roots(m), start=1)
    )


@functools.cache
def _limit() -> npt.NDArray[np.float64]:
    """Return the probabilities of 1, 2, … roots in a large uniform DAG."""
    counts = count_by_roots(EXACT)
    total = sum(counts)
    return np.array([count / total for count in counts])


def _layers(n: int, rng: np.random.Generator) -> list[int]:
    """Draw the sizes of the layers, the roots first."""
    sizes: list[int] = []
    remaining = n
    while remaining > 0:
        if remaining > EXACT:
            size = _limit_size(sizes[-1] if sizes else None, rng)
        else:
            weights = (
                _continuations_by_roots(remaining, sizes[-1])
                if sizes
                else count_by_roots(remaining)
            )
            size = 1 + _weighted_index(weights, rng)
        sizes.append(size)
        remaining -= size
    return sizes


def _limit_size(before: int | None, rng: np.random.Generator) -> int:
    weights = _limit()
    if before is not None:
        weights = weights * (1 - 0.5**before) ** np.arange(1, len(weights) + 1)
    return 1 + int(rng.choice(len(weights), p=weights / weights.sum()))


def _weighted_index(weights: tuple[int, ...], rng: np.random.Generator) -> int:
    """Draw an index with probability exactly proportional to its integer weight."""
    rest = _uniform_below(sum(weights), rng)
    place = 0
    while rest >= weights[place]:
        rest -= weights[place]
        place += 1
    return place


def _uniform_below(bound: int, rng: np.random.Generator) -> int:
    """Draw a uniform integer from 0 to bound - 1, of any size."""
    bits = (bound - 1).bit_length()
    size = (bits + 7) // 8
    while True:
        number = int.from_bytes(rng.bytes(size), "little") >> (8 * size - bits) if bits else 0
        if number < bound:
            return number


def _edges_between(sizes: list[int], rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    """Draw edges: at least one parent of each node in the previous layer, any in earlier ones."""
    n = sum(sizes)
    matrix = np.zeros((n, n), dtype=bool)
    start, before = sizes[0], 0
    for size in sizes[1:]:
        matrix[:start, start : start + size] = _coins((start, size), rng)
        orphans = np.arange(start, start + size)
        while True:
            orphans = orphans[~matrix[before:start, orphans].any(axis=0)]
            if not len(orphans):
                break
            matrix[before:start, orphans] = _coins((start - before, len(orphans)), rng)
        before, start = start, start + size
    return matrix


def _coins(shape: tuple[int, int], rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    return rng.integers(0, 2, shape, dtype=np.uint8).astype(bool)
