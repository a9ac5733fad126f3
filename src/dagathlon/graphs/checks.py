"""What a function needs of its graph, checked in one place and refused in plain words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from dagathlon import _core
from dagathlon.errors import GraphError

if TYPE_CHECKING:
    from dagathlon.graphs.graph import Graph


def circuit(names: Sequence[str], connector: str) -> str:
    """A cycle as it is written, back to its first node."""
    return f" {connector} ".join([*names, names[0]])


def require_dag(graph: Graph, what: str) -> None:
    """Refuse a graph that is no DAG, with the edge or the cycle that makes it none."""
    if _core.is_dag(graph.native):
        return
    _refuse_other_edges(graph, f"{what} needs a DAG", {"->"})
    raise GraphError(f"{what} needs a DAG: {directed_cycle(graph)} is a directed cycle")


def require_pdag(graph: Graph, what: str) -> None:
    """Refuse a graph with bidirected edges or circles."""
    if not _core.is_pdag(graph.native):
        needs = f"{what} needs a graph of directed and undirected edges"
        _refuse_other_edges(graph, needs, {"->", "-"})


def require_undirected(graph: Graph, what: str) -> None:
    """Refuse a graph with any edge that is not undirected."""
    if not _core.is_undirected(graph.native):
        _refuse_other_edges(graph, f"{what} needs an undirected graph", {"-"})


def not_chordal(graph: Graph, what: str) -> GraphError:
    """The error for an undirected graph that is not chordal, with a cycle that has no chord."""
    cycle = graph.nodes_at(_core.chordless_cycle(graph.native))
    return GraphError(f"{what} needs a chordal graph: the cycle {circuit(cycle, '-')} has no chord")


def require_cpdag(graph: Graph, what: str) -> None:
    """Refuse a graph that stands for no Markov equivalence class."""
    require_pdag(graph, what)
    if not _core.is_cpdag(graph.native):
        raise GraphError(
            f"{what} needs a CPDAG, found a graph that is the CPDAG of no DAG "
            "(cpdag() makes it from a DAG)"
        )


def directed_cycle(graph: Graph) -> str:
    """One directed cycle as it is written, or the empty string."""
    cycle = graph.nodes_at(_core.directed_cycle(graph.native))
    return circuit(cycle, "->") if cycle else ""


def _refuse_other_edges(graph: Graph, needs: str, allowed: Iterable[str]) -> None:
    for edge in graph.edges():
        if edge.connector not in allowed:
            raise GraphError(f"{needs}, found the edge {edge}")
