"""A DAG that extends a partially directed graph, approximately where there is no extension."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon.graphs import Graph, Mark

REMARK = (
    "no DAG has all its directions and no further v-structure, as happens where tests contradict "
    "each other; a DAG with the same edges stands for it"
)
_Bools = npt.NDArray[np.bool_]


class ApproximateExtension(NamedTuple):
    """A DAG, and whether it is a consistent extension of the graph."""

    dag: Graph
    exact: bool


def why_no_dag(graph: Graph) -> str:
    """Return why a graph has no likelihood that factorises over its nodes; empty if it has."""
    if graph.kind in ("pag", "mag"):
        return f"a {graph.kind.upper()} leaves room for hidden variables, which have no parameters"
    if (graph.marks == Mark.CIRCLE).any():
        return "edges with circles leave open what they mean"
    if graph.is_undirected and not graph.is_chordal:
        return "an undirected graph has parameters of this kind only where it is chordal"
    return ""


def approximate_extension(graph: Graph) -> ApproximateExtension:
    """Return a consistent extension of a graph, or a DAG that violates few of its directions.

    Nodes are removed one by one, each with its remaining edges pointing to it: first those that
    Dor and Tarsi's algorithm allows, which gives an extension if there is one; else the node
    that reverses the fewest directed edges, and then makes the fewest new v-structures.
    Bidirected edges count as undirected.

    Parameters
    ----------
    graph
        A graph without circles.
    """
    if graph.is_dag:
        return ApproximateExtension(graph, True)
    marks = graph.marks
    joined: _Bools = marks != Mark.NONE
    points: _Bools = (marks == Mark.ARROW) & (marks.T == Mark.TAIL)
    remaining = np.ones(len(graph), dtype=bool)
    costs = {node: _cost(node, joined, points, remaining) for node in range(len(graph))}
    arcs: list[tuple[int, int]] = []
    exact = not ((marks == Mark.ARROW) & (marks.T == Mark.ARROW)).any()
    while costs:
        last = min(costs, key=lambda node: (*costs[node], node))
        cost = costs.pop(last)
        exact = exact and cost == (0, 0)
        remaining[last] = False
        around = np.flatnonzero(joined[last] & remaining).tolist()
        arcs += [(other, last) for other in around]
        near = np.flatnonzero(joined[around].any(axis=0) & remaining).tolist() if around else []
        for node in {*around, *near}:
            costs[node] = _cost(node, joined, points, remaining)
    return ApproximateExtension(Graph.from_pairs(graph.names, arcs), exact)


def _cost(node: int, joined: _Bools, points: _Bools, remaining: _Bools) -> tuple[int, int]:
    """Count the node's outgoing directed edges, and the v-structures that removing it creates."""
    around = np.flatnonzero(joined[node] & remaining)
    out = int(points[node, around].sum())
    open_ends = around[~points[around, node]]
    apart = ~joined[np.ix_(open_ends, around)]
    # A node is not joined to itself, which is no pair.
    return out, int(apart.sum()) - len(open_ends)
