"""Posteriors of Gaussian graphical models by enumeration, from formulas of their own."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations, product

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from dagathlon.graphs import Graph
from dagathlon.learners.undirected.g_wishart_constant import log_constant

Matrix = NDArray[np.float64]


def names(p: int) -> tuple[str, ...]:
    return tuple(f"V{k}" for k in range(p))


def all_graphs(p: int) -> Iterator[Graph]:
    pairs = list(combinations(range(p), 2))
    for bits in product((0, 1), repeat=len(pairs)):
        matrix = np.zeros((p, p), dtype=np.int64)
        for there, (i, j) in zip(bits, pairs, strict=True):
            matrix[i, j] = matrix[j, i] = there
        yield Graph.from_adjacency(names(p), matrix)


def parts(graph: Graph) -> tuple[list[list[int]], list[list[int]]] | None:
    """Cliques and separators by networkx; nothing where the graph is not decomposable."""
    plain = nx.from_numpy_array(np.asarray(graph.adjacency))
    if not nx.is_chordal(plain):
        return None
    tree = nx.junction_tree(plain)
    cliques = [sorted(node) for node, kind in tree.nodes(data="type") if kind == "clique"]
    separators = [sorted(node) for node, kind in tree.nodes(data="type") if kind == "sepset"]
    # A separator of several pairs of cliques is one node of networkx's tree.
    times = [tree.degree(node) - 1 for node, kind in tree.nodes(data="type") if kind == "sepset"]
    return cliques, [one for one, n in zip(separators, times, strict=True) for _ in range(n)]


def clique_constant(b: float, scale: Matrix) -> float:
    k = len(scale)
    a = (b + k - 1) / 2
    gammas = sum(math.lgamma(a - i / 2) for i in range(k)) + k * (k - 1) / 4 * math.log(math.pi)
    return a * (k * math.log(2) - float(np.linalg.slogdet(scale)[1])) + gammas


def decomposable_constant(graph: Graph, b: float, scale: Matrix) -> float | None:
    found = parts(graph)
    if found is None:
        return None
    sums = [sum(clique_constant(b, scale[np.ix_(c, c)]) for c in sets) for sets in found]
    return sums[0] - sums[1]


def mean_precision(graph: Graph, b: float, scale: Matrix) -> Matrix:
    """The mean of a G-Wishart distribution on a decomposable graph."""
    found, mean = parts(graph), np.zeros_like(scale)
    assert found is not None
    for sign, sets in ((1, found[0]), (-1, found[1])):
        for c in sets:
            mean[np.ix_(c, c)] += sign * (b + len(c) - 1) * np.linalg.inv(scale[np.ix_(c, c)])
    return mean


def exact_posterior(
    scatter: Matrix, rows: float, edge_probability: float, draws: int = 1
) -> tuple[list[Graph], Matrix, float]:
    """All graphs, their probabilities for b = 3 and D = I, and the mean error of constants."""
    p, weights, errors = len(scatter), [], []
    graphs = list(all_graphs(p))
    for graph in graphs:
        sums = doubt = 0.0
        for sign, b, scale in ((1, 3 + rows, np.eye(p) + scatter), (-1, 3.0, np.eye(p))):
            value, error = decomposable_constant(graph, b, scale), 0.0
            if value is None:
                value, error = log_constant(graph, b, scale, draws=draws)
            sums, doubt = sums + sign * value, doubt + error
        edges, pairs = graph.adjacency.sum() / 2, p * (p - 1) / 2
        sums += edges * math.log(edge_probability) + (pairs - edges) * math.log1p(-edge_probability)
        weights.append(sums)
        errors.append(doubt)
    shares = np.exp(np.array(weights) - max(weights))
    shares /= shares.sum()
    return graphs, shares, float(shares @ errors)
