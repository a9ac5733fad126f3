"""Chordal undirected graphs: elimination orders, cliques, junction trees."""

from __future__ import annotations

from dataclasses import dataclass

from dagathlon import _core
from dagathlon.graphs.checks import not_chordal, require_undirected
from dagathlon.graphs.graph import Graph


@dataclass(frozen=True)
class JunctionTree:
    """The maximal cliques of a chordal graph, joined to a tree.

    The cliques that hold a node form a subtree. A graph in several connected parts has one tree
    for each of them.

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
    """All nodes such that the adjacent nodes of each that come after it are mutually adjacent."""
    require_undirected(graph, "a perfect elimination order")
    order = _core.perfect_elimination_order(graph.native)
    if order is None:
        raise not_chordal(graph, "a perfect elimination order")
    return graph.nodes_at(order)


def maximal_cliques(graph: Graph) -> tuple[tuple[str, ...], ...]:
    """The maximal cliques of a chordal undirected graph."""
    cliques, _, _ = _clique_tree(graph, "a list of maximal cliques")
    return tuple(map(graph.nodes_at, cliques))


def junction_tree(graph: Graph) -> JunctionTree:
    """The maximal cliques of a chordal undirected graph, joined to a tree by their separators."""
    cliques, separators, parents = _clique_tree(graph, "a junction tree")
    edges = [(parent, child) for child, parent in enumerate(parents) if parent != child]
    return JunctionTree(
        cliques=tuple(map(graph.nodes_at, cliques)),
        edges=tuple(edges),
        separators=tuple(graph.nodes_at(separators[child]) for _, child in edges),
    )


def log_junction_trees(graph: Graph) -> float:
    """The logarithm of the number of junction trees of a chordal undirected graph.

    Trees over all maximal cliques count, those of several connected parts of the graph joined by
    empty separators (Thomas and Green 2009).
    """
    _clique_tree(graph, "the number of junction trees")
    return _core.log_junction_trees(graph.native)


def _clique_tree(graph: Graph, what: str) -> tuple[list[list[int]], list[list[int]], list[int]]:
    """Cliques, separators from the clique before, and that clique, all as numbers."""
    require_undirected(graph, what)
    tree = _core.clique_tree(graph.native)
    if tree is None:
        raise not_chordal(graph, what)
    return tree
