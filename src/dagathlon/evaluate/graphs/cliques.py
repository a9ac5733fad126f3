"""Maximal cliques of undirected graphs: number, size, and share of the true ones."""

from __future__ import annotations

from itertools import islice

from dagathlon.evaluate.graphs.counts import on_shared_nodes
from dagathlon.evaluate.metric import Measure, Value, metric_family
from dagathlon.graphs import Graph, maximal_cliques
from dagathlon.graphs.cliques import all_maximal_cliques

MOST_CLIQUES = 5_000
"""Most maximal cliques that are counted, since there can be exponentially many."""
_TAKES = ("undirected",)


def maximal_clique_sets(graph: Graph) -> frozenset[frozenset[str]] | None:
    """Return the maximal cliques of an undirected graph; None if they are too many to list."""
    if graph.is_chordal:  # these have at most as many as nodes, and are quick to list
        return frozenset(map(frozenset, maximal_cliques(graph)))
    cliques = list(islice(all_maximal_cliques(graph), MOST_CLIQUES + 1))
    return None if len(cliques) > MOST_CLIQUES else frozenset(map(frozenset, cliques))


def _size(name: str, title: str, short: str) -> Measure:
    return Measure(name, title, "", short, "nodes", _TAKES, truth=False)


@metric_family(
    "cliques",
    Measure(
        "n_cliques", "maximal cliques of the estimate", "", "cliques", "cliques", _TAKES, False
    ),
    _size("clique_max", "nodes of the largest clique of the estimate", "largest clique"),
    _size("clique_mean", "mean number of nodes of a maximal clique", "mean clique"),
    Measure(
        "clique_recall",
        "maximal cliques of the truth that are maximal cliques of the estimate, as a share",
        "more",
        "cliques found",
        takes=_TAKES,
    ),
    Measure(
        "clique_precision",
        "maximal cliques of the estimate that are maximal cliques of the truth, as a share",
        "more",
        "cliques that are true",
        takes=_TAKES,
    ),
    order=45,
)
def clique_metrics(estimate: Graph, truth: Graph) -> dict[str, Value]:
    """Return number and size of the maximal cliques of an undirected estimate and of the truth.

    Isolated nodes are cliques too. There is no value for graphs of other kinds, nor for more
    than 5,000 cliques of a graph that is not chordal.
    """
    learned, true = on_shared_nodes(estimate, truth)
    mine = maximal_clique_sets(learned) if learned.is_undirected else None
    if not mine:
        return {}
    row: dict[str, Value] = {
        "n_cliques": len(mine),
        "clique_max": max(map(len, mine)),
        "clique_mean": sum(map(len, mine)) / len(mine),
    }
    others = maximal_clique_sets(true) if true.is_undirected else None
    if others:
        both = len(mine & others)
        row |= {"clique_recall": both / len(others), "clique_precision": both / len(mine)}
    return row
