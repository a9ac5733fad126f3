"""Facts about a true graph: edges, degrees, cliques, free parameters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from dagathlon.data import Dataset
from dagathlon.errors import GraphError
from dagathlon.graphs import Graph

Value: TypeAlias = int | float | None


def graph_statistics(graph: Graph) -> dict[str, Value]:
    """The figures that Benchpress's ``graph_true_stats`` has of a true graph, and degrees.

    Parameters
    ----------
    graph
        Any graph; edges that are not directed count in both directions.

    Returns
    -------
    dict
        ``n_inedges`` (an undirected graph's edges count once), ``n_nodes``, ``max_indegree``, the
        least, greatest and mean size of the maximal cliques of an undirected graph (None for
        others), then ``indegree_avg``, ``max_degree`` and ``mean_degree``.
    """
    matrix = graph.adjacency.astype(int)
    symmetric = bool(np.array_equal(matrix, matrix.T))
    sizes = [len(clique) for clique in all_maximal_cliques(graph)] if symmetric else []
    degrees = (matrix | matrix.T).sum(axis=0)
    edges = int(matrix.sum()) // (2 if symmetric else 1)
    return {
        "n_inedges": edges,
        "n_nodes": len(graph),
        "max_indegree": int(matrix.sum(axis=0).max(initial=0)),
        "clique_size_min": min(sizes, default=None),
        "clique_size_max": max(sizes, default=None),
        "clique_size_avg": sum(sizes) / len(sizes) if sizes else None,
        "indegree_avg": edges / len(graph) if len(graph) else None,
        "max_degree": int(degrees.max(initial=0)),
        "mean_degree": float(degrees.mean()) if len(graph) else None,
    }


def all_maximal_cliques(graph: Graph) -> Iterator[tuple[str, ...]]:
    """The maximal cliques of the skeleton of any graph (Bron and Kerbosch, with pivots)."""
    near = [_mask(np.flatnonzero(row).tolist()) for row in graph.marks != 0]
    stack: list[tuple[tuple[int, ...], int, int]] = []
    if len(graph):
        stack.append(((), _mask(range(len(graph))), 0))
    while stack:
        clique, candidates, done = stack.pop()
        if not candidates and not done:
            yield graph.nodes_at(clique)
            continue
        open_nodes = candidates & ~near[_pivot(near, candidates, done)]
        for node in _members(open_nodes):
            stack.append(((*clique, node), candidates & near[node], done & near[node]))
            candidates &= ~(1 << node)
            done |= 1 << node


def _pivot(near: Sequence[int], candidates: int, done: int) -> int:
    """A node with as many candidates near as any: only those that are not have to be tried."""
    best, most = -1, -1
    for node in _members(candidates | done):
        count = (near[node] & candidates).bit_count()
        if count > most:
            best, most = node, count
    return best


def _mask(nodes: Iterable[int]) -> int:
    """A set of nodes as the bits of a number."""
    return sum(1 << node for node in nodes)


def _members(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def free_parameters(truth: Graph, data: Dataset) -> int:
    """Number of free parameters of a model on the true graph with the variables of the data.

    On a DAG, a discrete variable has one less than its levels for each configuration of its
    parents; a continuous one an intercept, a coefficient for each continuous parent and a standard
    deviation for each configuration of its discrete parents. On an undirected graph of continuous
    variables there are means, variances and one number for each edge.

    Parameters
    ----------
    truth
        A DAG, or an undirected graph of continuous variables.
    data
        Data with a column for each node.
    """
    if truth.is_dag:
        return sum(_parameters_of(name, truth, data) for name in truth.names)
    if truth.is_undirected and data.is_continuous:
        return 2 * len(truth) + truth.n_edges
    raise GraphError(
        "parameters are counted on a DAG, or on an undirected graph of continuous variables; "
        f"this is a {truth.kind} graph"
    )


def samples_per_parameter(truth: Graph, data: Dataset) -> float:
    """Rows of the data divided by the free parameters of the truth (n/p)."""
    return len(data) / free_parameters(truth, data)


def _parameters_of(name: str, truth: Graph, data: Dataset) -> int:
    levels = {
        parent: data.variables[data.position(parent)].levels for parent in truth.parents(name)
    }
    configurations = math.prod(len(found) for found in levels.values() if found is not None)
    own = data.variables[data.position(name)].levels
    if own is not None:
        return (len(own) - 1) * configurations
    return (2 + sum(found is None for found in levels.values())) * configurations
