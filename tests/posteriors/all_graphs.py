"""Oracles: all DAGs of few nodes, and sums over them in plain Python."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import strategies
from dagathlon.graphs import Graph


def all_dags(names: str) -> list[Graph]:
    """Every DAG over nodes with names of one letter."""
    return [Graph.from_adjacency(names, dag) for dag in strategies.all_dags(len(names))]


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
