"""Chordal undirected graphs: elimination orders, cliques, junction trees."""

from __future__ import annotations

from dataclasses import dataclass

from dagathlon import _core
from dagathlon.graphs.checks import not_chordal, require_undirected
from dagathlon.graphs.graph import Graph


@dataclass(frozen=True)
class JunctionTree:
    """Maximal cliques of a chordal graph, joined into a tree.

    The cliques that contain a node form a subtree. A graph with several components has one tree
    per component.

    Attributes
    ----------
    cliques
        Node names of each maximal clique. What a clique shares with all cliques before it lies in
        a single one of them (the running intersection property).
    edges
        Pairs of places in `cliques`, the earlier first.
    separators
        For each edge, the nodes that its two cliques share.
    """

    cliques: tuple[tuple[str, ...], ...]
    edges: tuple[tuple[int, int], ...]
    separators: tuple[tuple[str, ...], ...]


def perfect_elimination_order(graph: Graph) -> tuple[str, ...]:
    """Return an elimination order: the neighbours of each node that come after it are a clique."""
    require_undirected(graph, "a perfect elimination order")
    order = _core.perfect_elimination_order(graph.native)
    if order is None:
        raise not_chordal(graph, "a perfect elimination order")
    return graph.nodes_at(order)


def maximal_cliques(graph: Graph) -> tuple[tuple[str, ...], ...]:
    """Return the maximal cliques of a chordal undirected graph."""
    cliques, _, _ = _clique_tree(graph, "a list of maximal cliques")
    return tuple(map(graph.nodes_at, cliques))


def junction_tree(graph: Graph) -> JunctionTree:
    """Return a tree of the maximal cliques of a chordal undirected graph and their separators."""
    cliques, separators, parents = _clique_tree(graph, "a junction tree")
    edges = [(parent, child) for child, parent in enumerate(parents) if parent != child]
    return JunctionTree(
        cliques=tuple(map(graph.nodes_at, cliques)),
        edges=tuple(edges),
        separators=tuple(graph.nodes_at(separators[child]) for _, child in edges),
    )


def log_junction_trees(graph: Graph) -> float:
    """Return the logarithm of the number of junction trees of a chordal undirected graph.

    Trees over all maximal cliques are counted, those of several components joined by empty
    separators (Thomas and Green 2009).
    """
    _clique_tree(graph, "the number of junction trees")
    return _core.log_junction_trees(graph.native)


def _clique_tree(graph: Graph, what: str) -> tuple[list[list[int]], list[list[int]], list[int]]:
    """Return cliques, separators from the parent clique, and parent cliques, all as row numbers."""
    require_undirected(graph, what)
    tree = _core.clique_tree(graph.native)
    if tree is None:
        raise not_chordal(graph, what)
    return tree
