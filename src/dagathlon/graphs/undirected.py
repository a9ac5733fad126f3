"""Undirected graphs derived from directed ones: moral graphs, unconditional dependence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

import numpy as np

from dagathlon import _core
from dagathlon.errors import GraphError, unknown
from dagathlon.graphs.checks import require_dag
from dagathlon.graphs.equivalence import extension, moral
from dagathlon.graphs.graph import Graph

UndirectedForm: TypeAlias = Literal["moral", "dependence"]


def unconditional_dependence(dag: Graph) -> Graph:
    """Return the unconditional dependence graph of a DAG: pairs d-connected given nothing.

    Two nodes are joined where they share an ancestor, each node being an ancestor of itself:
    where one is an ancestor of the other or both have a common cause. Such variables are
    dependent as a rule while nothing is known of the others. Markov equivalent DAGs have the
    same graph.
    """
    require_dag(dag, "an unconditional dependence graph")
    parents = dag.adjacency != 0
    above = np.eye(len(dag), dtype=np.float32)  # from ancestor to descendant
    for node in _core.topological_order(dag.native):
        above[:, node] = np.maximum(above[:, node], above[:, parents[:, node]].max(1, initial=0))
    joined = above.T @ above > 0
    np.fill_diagonal(joined, False)
    return Graph.from_adjacency(dag.names, joined)


_FORMS: Mapping[str, Callable[[Graph], Graph]] = {
    "moral": moral,
    "dependence": unconditional_dependence,
}


def as_undirected(graph: Graph, form: UndirectedForm) -> Graph:
    """Return the skeleton or the moral graph of a graph of directed edges, as `form` says.

    Undirected graphs are returned unchanged. A CPDAG, or any graph that a DAG extends, has the
    form of that DAG, which is the same for all DAGs of its class.

    Parameters
    ----------
    graph
        An undirected graph, a DAG, or a graph of directed and undirected edges that a DAG extends.
    form
        The moral graph (``moral``: the least undirected graph whose separations all hold in the
        DAG) or the graph of unconditional dependence (``dependence``).
    """
    if form not in _FORMS:
        raise GraphError(unknown("undirected form of a graph", form, _FORMS))
    if graph.is_undirected:
        return graph
    return _FORMS[form](graph if graph.is_dag else extension(graph))


def undirected_form(graph: Graph, form: UndirectedForm) -> Graph | None:
    """Return `as_undirected`, or None for a graph without such a form."""
    try:
        return as_undirected(graph, form)
    except GraphError:
        return None
