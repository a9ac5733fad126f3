"""Facts about a true graph: edges, degrees, cliques, free parameters."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from dagathlon.data import Dataset
from dagathlon.errors import GraphError
from dagathlon.graphs import Graph, Mark
from dagathlon.graphs.cliques import all_maximal_cliques

Value: TypeAlias = int | float | None


def graph_statistics(graph: Graph) -> dict[str, Value]:
    """Return the figures of Benchpress's ``graph_true_stats``, and degrees.

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
    pairs, marks = graph.edge_arrays()
    directed = (marks == Mark.ARROW) & (marks[:, ::-1] == Mark.TAIL)
    symmetric = not directed.any()
    sizes = [len(clique) for clique in all_maximal_cliques(graph)] if symmetric else []
    degrees = np.bincount(pairs.ravel(), minlength=len(graph))
    # Edges that are not directed count as incoming at both nodes.
    entered = ~directed[:, ::-1]
    indegrees = np.bincount(pairs[entered], minlength=len(graph))
    edges = int(indegrees.sum()) // (2 if symmetric else 1)
    return {
        "n_inedges": edges,
        "n_nodes": len(graph),
        "max_indegree": int(indegrees.max(initial=0)),
        "clique_size_min": min(sizes, default=None),
        "clique_size_max": max(sizes, default=None),
        "clique_size_avg": sum(sizes) / len(sizes) if sizes else None,
        "indegree_avg": edges / len(graph) if len(graph) else None,
        "max_degree": int(degrees.max(initial=0)),
        "mean_degree": float(degrees.mean()) if len(graph) else None,
    }


def free_parameters(truth: Graph, data: Dataset) -> int:
    """Return the number of free parameters of a model on the true graph.

    On a DAG, a discrete variable has one less than its levels for each configuration of its
    parents; a continuous one an intercept, a coefficient for each continuous parent and a
    standard deviation for each configuration of its discrete parents. On an undirected graph of
    continuous variables there are means, variances and one number for each edge.

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
    """Return the rows of the data divided by the free parameters of the truth (n/p)."""
    return len(data) / free_parameters(truth, data)


def _parameters_of(name: str, truth: Graph, data: Dataset) -> int:
    levels = {
        parent: data.variables[data.position(parent)].levels for parent in truth.parents(name)
    }
    configurations = math.prod(
        len(parent_levels) for parent_levels in levels.values() if parent_levels is not None
    )
    own_levels = data.variables[data.position(name)].levels
    if own_levels is not None:
        return (len(own_levels) - 1) * configurations
    return (2 + sum(parent_levels is None for parent_levels in levels.values())) * configurations
