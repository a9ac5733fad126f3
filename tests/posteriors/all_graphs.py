"""Oracles: all DAGs of few nodes, and sums over them in plain Python."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from dagathlon.graphs import Graph


def all_dags(names: str) -> list[Graph]:
    """Every DAG, from the orders of the nodes and the subsets of the pairs."""
    found: dict[frozenset[tuple[str, str]], Graph] = {}
    for order in itertools.permutations(names):
        pairs = list(itertools.combinations(order, 2))
        for size in range(len(pairs) + 1):
            for chosen in itertools.combinations(pairs, size):
                found.setdefault(frozenset(chosen), Graph.from_edges(chosen, names))
    return list(found.values())


def mean(graphs: list[Graph], weights: np.ndarray, measure: Callable[[Graph], float]) -> float:
    total = sum(weights)
    return float(sum(w * measure(g) for g, w in zip(graphs, weights, strict=True)) / total)


def edge_matrix(graphs: list[Graph], weights: np.ndarray) -> np.ndarray:
    names = graphs[0].names
    cells = [
        [mean(graphs, weights, lambda g, a=a, b=b: a in g.parents(b)) for b in names] for a in names
    ]
    return np.array(cells)


def path_matrix(graphs: list[Graph], weights: np.ndarray) -> np.ndarray:
    names = graphs[0].names
    return np.array(
        [
            [
                0.0 if a == b else mean(graphs, weights, lambda g, a=a, b=b: b in g.descendants(a))
                for b in names
            ]
            for a in names
        ]
    )
