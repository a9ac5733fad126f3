"""Checks of the kind of graph that a function requires, with their error messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from dagathlon import _core
from dagathlon.errors import GraphError

if TYPE_CHECKING:
    from dagathlon.graphs.graph import Graph


def cycle_text(names: Sequence[str], connector: str) -> str:
    """Format a directed cycle, back to its first node."""
    return f" {connector} ".join([*names, names[0]])


def require_dag(graph: Graph, what: str) -> None:
    """Raise `GraphError` unless the graph is a DAG, naming the edge or cycle at fault."""
    if _core.is_dag(graph.native):
        return
    _refuse_other_edges(graph, f"{what} needs a DAG", {"->"})
    raise GraphError(f"{what} needs a DAG: {directed_cycle(graph)} is a directed cycle")


def require_pdag(graph: Graph, what: str) -> None:
    """Raise `GraphError` if the graph has bidirected edges or circles."""
    if not _core.is_pdag(graph.native):
        needs = f"{what} needs a graph of directed and undirected edges"
        _refuse_other_edges(graph, needs, {"->", "-"})


def require_undirected(graph: Graph, what: str) -> None:
    """Raise `GraphError` if any edge is not undirected."""
    if not _core.is_undirected(graph.native):
        _refuse_other_edges(graph, f"{what} needs an undirected graph", {"-"})


def not_chordal(graph: Graph, what: str) -> GraphError:
    """Return the error for an undirected graph that is not chordal, with a chordless cycle."""
    cycle = graph.nodes_at(_core.chordless_cycle(graph.native))
    return GraphError(
        f"{what} needs a chordal graph: the cycle {cycle_text(cycle, '-')} has no chord"
    )


def require_cpdag(graph: Graph, what: str) -> None:
    """Raise `GraphError` unless the graph is a CPDAG."""
    require_pdag(graph, what)
    if not _core.is_cpdag(graph.native):
        raise GraphError(
            f"{what} needs a CPDAG, found a graph that is the CPDAG of no DAG "
            "(cpdag() makes it from a DAG)"
        )


def directed_cycle(graph: Graph) -> str:
    """Return one directed cycle as text, or the empty string."""
    cycle = graph.nodes_at(_core.directed_cycle(graph.native))
    return cycle_text(cycle, "->") if cycle else ""


def _refuse_other_edges(graph: Graph, needs: str, allowed: Iterable[str]) -> None:
    for edge in graph.edges():
        if edge.connector not in allowed:
            raise GraphError(f"{needs}, found the edge {edge}")
