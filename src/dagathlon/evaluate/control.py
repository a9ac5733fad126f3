"""The negative control: what graphs drawn at random, as dense as the truth, would score."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dagathlon.errors import GraphError
from dagathlon.evaluate.comparison import compare_by, standard_families
from dagathlon.evaluate.metric import Value
from dagathlon.graphs import Graph


def random_graphs(truth: Graph, draws: int, seed: int = 0) -> Iterator[Graph]:
    """Random graphs with the nodes and the number of edges of the truth.

    They are undirected when the truth is; else DAGs, with directions along a random order.

    Parameters
    ----------
    truth
        Gives names and number of edges.
    draws
        How many graphs.
    seed
        The same seed gives the same graphs.
    """
    if draws < 0:
        raise GraphError(f"the number of random graphs is at least 0, found {draws}")
    p, rng = len(truth), np.random.default_rng(seed)
    rows, columns = np.triu_indices(p, 1)
    for _ in range(draws):
        chosen = rng.permutation(len(rows))[: truth.n_edges]
        matrix = np.zeros((p, p), dtype=np.uint8)
        matrix[rows[chosen], columns[chosen]] = 1
        if truth.is_undirected and truth.n_edges:
            matrix |= matrix.T
        order = rng.permutation(p)
        yield Graph.from_adjacency(truth.names, matrix[np.ix_(order, order)])


def random_control(truth: Graph, draws: int = 10, seed: int = 0) -> dict[str, Value]:
    """Mean metrics of random graphs as dense as the truth, as ``control_<metric>``.

    An algorithm that is no better than its control has learned nothing.

    Parameters
    ----------
    truth
        The true graph.
    draws
        How many graphs to average over.
    seed
        The same seed gives the same graphs.
    """
    families = standard_families()
    columns = [one.name for family in families for one in family.measures if one.control]
    asked = [family for family in families if any(one.control for one in family.measures)]
    found = [
        compare_by(asked, graph, truth, causal=None) for graph in random_graphs(truth, draws, seed)
    ]
    means: dict[str, Value] = {}
    for metric in columns:
        values = [row.get(metric) for row in found]
        numbers = [float(value) for value in values if isinstance(value, int | float)]
        means[f"control_{metric}"] = float(np.mean(numbers)) if numbers else None
    return means
