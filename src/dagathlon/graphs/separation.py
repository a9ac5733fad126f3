"""Separation: the conditional independences implied by a graph."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from dagathlon import _core
from dagathlon.errors import GraphError, listing
from dagathlon.graphs.graph import Graph
from dagathlon.graphs.marks import Mark


def separated(
    graph: Graph,
    x: str | Collection[str],
    y: str | Collection[str],
    given: str | Collection[str] = (),
) -> bool:
    """Whether a graph separates `x` from `y` given other nodes.

    This is m-separation: d-separation in a DAG, blocking of all paths in an undirected graph,
    and the common generalisation of both in ancestral graphs and acyclic directed mixed graphs.
    The analysis of a graph is cached, so that many queries on one graph are fast.

    Parameters
    ----------
    graph
        A graph of directed, bidirected and undirected edges without directed cycles, in which no
        arrow points at a node that has an undirected edge. Other graphs (with circles; CPDAGs and
        other chain graphs; cyclic graphs) are refused, since separation has no one meaning there:
        take a DAG of the CPDAG, or a MAG of the PAG.
    x, y
        A node or several; nodes of `x` and `y` are different.
    given
        The conditioning set: a node or several, none of them in `x` or `y`.

    Examples
    --------
    >>> from dagathlon.graphs import Graph, separated
    >>> lawn = Graph.from_edges(["rain -> wet", "sprinkler -> wet"])
    >>> separated(lawn, "rain", "sprinkler")
    True
    >>> separated(lawn, "rain", "sprinkler", given="wet")
    False
    """
    oracle = _oracle(graph)
    left, right, known = rows_of(graph, x), rows_of(graph, y), rows_of(graph, given)
    try:
        return oracle.separated(left, right, known)
    except ValueError:
        _check_disjoint(graph, left, right, known)
        raise


def separating_set(graph: Graph, x: str, y: str) -> tuple[str, ...] | None:
    """Return a minimal set of nodes given which two nodes are separated; None if there is none.

    No proper subset separates, though another set may have fewer nodes. Of the minimal sets
    this is one near to `x`.

    Parameters
    ----------
    graph
        As in `separated`.
    x, y
        Two different nodes.
    """
    oracle = _oracle(graph)
    left, right = graph.position(x), graph.position(y)
    if left == right:
        raise GraphError(f"two different nodes are needed to separate, found {x} twice")
    rows = oracle.separating_set(left, right)
    return None if rows is None else tuple(graph.names[row] for row in rows)


def check_separation(graph: Graph) -> None:
    """Raise a `GraphError` with the reason if separation is not defined in this graph."""
    _oracle(graph)


def _oracle(graph: Graph) -> _core.SeparationOracle:
    """Return the graph's separation oracle, cached with the graph."""
    cache = vars(graph)
    oracle: _core.SeparationOracle | None = cache.get("_separation_oracle")
    if oracle is None:
        try:
            oracle = _core.SeparationOracle(graph.native)
        except ValueError:
            raise GraphError(f"separation is not defined here: {_obstacle(graph)}") from None
        cache["_separation_oracle"] = oracle
    return oracle


def rows_of(graph: Graph, nodes: str | Collection[str]) -> list[int]:
    """Return the row numbers of one or several nodes."""
    return graph.positions((nodes,) if isinstance(nodes, str) else nodes)


def _check_disjoint(graph: Graph, x: list[int], y: list[int], given: list[int]) -> None:
    for one, other, where in (
        (x, y, "x and y"),
        (x, given, "x and given"),
        (y, given, "y and given"),
    ):
        if both := set(one) & set(other):
            raise GraphError(
                f"separation: {_listed(graph, both)} in both {where}, which may not overlap"
            )


def _obstacle(graph: Graph) -> str:
    marks = graph.marks
    if np.any(marks == Mark.CIRCLE):
        i, j = np.argwhere(marks == Mark.CIRCLE)[0]
        return f"the edge between {graph.names[i]} and {graph.names[j]} has a circle"
    undirected = np.any((marks == Mark.TAIL) & (marks.T == Mark.TAIL), axis=0)
    if np.any(mixed := undirected & np.any(marks == Mark.ARROW, axis=0)):
        name = graph.names[int(np.flatnonzero(mixed)[0])]
        return f"an arrow points at {name}, which also has an undirected edge"
    return f"there is a directed cycle among {_listed(graph, _cyclic_nodes(graph))}"


def _cyclic_nodes(graph: Graph) -> list[int]:
    """Return the nodes on or between directed cycles, by repeatedly removing sources and sinks."""
    directed = (graph.marks == Mark.ARROW) & (graph.marks.T == Mark.TAIL)
    left = np.ones(len(graph), dtype=bool)
    while np.any(ends := left & ~(directed[left].any(axis=0) & directed[:, left].any(axis=1))):
        left &= ~ends
    return np.flatnonzero(left).tolist()


def _listed(graph: Graph, rows: Iterable[int]) -> str:
    return listing(graph.names[row] for row in sorted(rows))
