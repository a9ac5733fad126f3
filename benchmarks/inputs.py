"""What the topics measure on: random graphs, data of linear models with their true graphs."""

from __future__ import annotations

import numpy as np

from dagathlon.data import Dataset, Variable
from dagathlon.evaluate import shd
from dagathlon.graphs import Graph, cpdag


def random_dag(p: int, degree: float, seed: int = 1) -> Graph:
    """An Erdős–Rényi DAG with a mean number of neighbours."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(p)
    matrix = np.triu(rng.random((p, p)) < degree / (p - 1), 1)
    return Graph.from_adjacency([f"V{i}" for i in range(p)], matrix[np.ix_(order, order)])


def linear_data(p: int, n: int, degree: float = 4, seed: int = 1, noise: str = "normal") -> Dataset:
    """Rows of a linear model on `random_dag(p, degree, seed)`.

    The weights lie between 0.25 and 1 with random signs; `noise` is a method of numpy's generator.
    """
    rng = np.random.default_rng(seed + 1)
    arcs = random_dag(p, degree, seed).marks == 2
    weights = arcs * rng.uniform(0.25, 1, (p, p)) * rng.choice([-1, 1], (p, p))
    errors = getattr(rng, noise)(size=(n, p))
    values = np.linalg.solve((np.eye(p) - weights).T, errors.T).T
    return Dataset([Variable(f"V{i}") for i in range(p)], values=values)


def shd_to_truth(found: Graph, truth: Graph) -> int:
    """Structural Hamming distance of the equivalence classes; `found` is a DAG or a CPDAG."""
    return shd(cpdag(found) if found.is_dag else found, cpdag(truth))
