"""Ancestral graphs: latent projection, and the PAG that data can identify."""

from __future__ import annotations

from collections.abc import Collection

from dagathlon import _core
from dagathlon.errors import GraphError, listing
from dagathlon.graphs.graph import Graph
from dagathlon.graphs.separation import check_separation, rows_of


def latent_projection(
    graph: Graph, latent: str | Collection[str], selection: str | Collection[str] = ()
) -> Graph:
    """Return the maximal ancestral graph (MAG) over the observed nodes.

    Two observed nodes are adjacent when no set of observed nodes separates them. The mark at
    ``x`` on the edge between ``x`` and ``y`` is a tail when ``x`` is an ancestor of ``y`` or of
    a selection node, otherwise an arrow; so common latent causes give ``x <-> y``, and
    selection on common effects gives ``x - y``.

    Parameters
    ----------
    graph
        A DAG, a MAG, or any other graph in which `separated` is defined.
    latent
        Nodes that are not observed.
    selection
        Nodes that are not observed either but have a fixed value in all data, because they decided
        which cases entered the data.

    Returns
    -------
    Graph
        The MAG over the other nodes, in their order.
    """
    check_separation(graph)
    hidden, chosen = rows_of(graph, latent), rows_of(graph, selection)
    if both := set(hidden) & set(chosen):
        names = listing(graph.names[row] for row in sorted(both))
        raise GraphError(f"a node is latent or a selection node, not both: {names}")
    native = _core.latent_projection(graph.native, hidden, chosen)
    gone = {*hidden, *chosen}
    return Graph._of(tuple(name for i, name in enumerate(graph.names) if i not in gone), native)


def pag(graph: Graph) -> Graph:
    """Return the partial ancestral graph (PAG) of a MAG or a DAG.

    It has a tail or an arrow where all Markov-equivalent MAGs have it, and a circle where they
    differ: this is what observational data can identify when there may be latent causes and
    selection.

    Parameters
    ----------
    graph
        A MAG; DAGs are MAGs, and so are undirected graphs. For a DAG with latent nodes take the
        `latent_projection` first.
    """
    try:
        return Graph._of(graph.names, _core.pag(graph.native))
    except ValueError:
        check_separation(graph)
        raise GraphError(
            "a PAG is made from a maximal ancestral graph, which this is not: a bidirected edge "
            "joins a node and its ancestor, or two nodes without an edge cannot be separated; "
            "latent_projection(graph, ()) gives the MAG with the same separations"
        ) from None


def mag_of_pag(graph: Graph) -> Graph:
    """Return a MAG of a PAG's class, with as few bidirected and undirected edges as possible.

    ``o->`` and ``-o`` become ``->``; the edges ``o-o`` are directed without new unshielded
    colliders.

    Parameters
    ----------
    graph
        A PAG with every mark that its separations imply, as `pag` makes it.
    """
    native = _core.mag_of_pag(graph.native)
    if native is None:
        raise GraphError("this is not a PAG: it is not the PAG of any maximal ancestral graph")
    return Graph._of(graph.names, native)
