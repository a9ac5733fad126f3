"""Distances of a posterior over graphs from the true graph: expected SHD, AUROC, AUPRC.

For exact posteriors the values are exact; for draws they are means over the draws.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dagathlon import _core
from dagathlon.errors import DataError, GraphError, listing
from dagathlon.evaluate.graphs.distance import shd
from dagathlon.graphs import Graph, cpdag
from dagathlon.posteriors.arrays import distinct_graphs
from dagathlon.posteriors.dag_weights import MOST_LISTED
from dagathlon.posteriors.marginal_posterior import MarginalPosterior
from dagathlon.posteriors.packed import Bools, Floats, Packing, Words
from dagathlon.posteriors.posterior import Posterior


class MissingInputError(DataError):
    """Error: an input that a metric needs was not given."""


def expected_shd(posterior: Posterior, truth: Graph) -> float:
    """Return the expected structural Hamming distance; a reversed edge counts once.

    The distance is a sum over pairs of nodes, so that the probabilities of edges determine it:
    of an exact posterior over DAGs it is exact.

    Parameters
    ----------
    posterior
        Draws or exact marginals.
    truth
        The true graph, over the same nodes.
    """
    true = reorder_nodes(truth, posterior.names, "the true graph")
    if posterior.chains and posterior.chains[0].form == "marks":
        return float(posterior.expect(lambda graph: shd(graph, true)))
    edges = posterior.edge_probabilities
    undirected = np.maximum(edges + edges.T - posterior.strengths.strength, 0.0)
    return _expected_pairs(edges - undirected, undirected, true)


def expected_cpdag_shd(posterior: Posterior, truth: Graph) -> float:
    """Return the expected number of node pairs whose edge differs between the two CPDAGs.

    Parameters
    ----------
    posterior
        Draws of DAGs, or of graphs that DAGs extend.
    truth
        The true graph: a DAG, or its CPDAG.
    """
    true = cpdag(reorder_nodes(truth, posterior.names, "the true graph"))
    edges, undirected = cpdag_edges(posterior)
    return _expected_pairs(edges, undirected, true)


def cpdag_edges(posterior: Posterior) -> tuple[Floats, Floats]:
    """Return CPDAG probabilities of directed edges (from row to column) and undirected edges.

    Exact for an exact posterior of at most five variables, else by the draws.
    """
    p = len(posterior.names)
    if p < 2:
        return np.zeros((p, p)), np.zeros((p, p))
    weights = posterior.dag_weights if isinstance(posterior, MarginalPosterior) else None
    if weights is not None and p <= MOST_LISTED:
        rows, shares = weights.classes()
    else:
        rows, shares = _drawn_classes(posterior)
    classes = Packing(p, "arcs").adjacency(rows)
    both = classes & classes.transpose(0, 2, 1)
    directed = np.tensordot(shares, classes & ~both, 1)
    return directed, np.tensordot(shares, both, 1)


def _drawn_classes(posterior: Posterior) -> tuple[Words, Floats]:
    """Return the CPDAG of each distinct graph, and its probability."""
    if not posterior.chains:
        raise MissingInputError("exact marginals without draws")
    drawn = distinct_graphs(posterior)
    p = len(drawn.names)
    arcs = drawn.arcs()
    rows, first_without = _core.cpdag_rows(arcs, p)
    if first_without < len(arcs):
        bad = drawn.packing.graph(drawn.names, drawn.rows[first_without])
        raise GraphError(f"a drawn graph has no CPDAG: {_reason(bad)}")
    return rows, drawn.shares


def _reason(graph: Graph) -> str:
    try:
        cpdag(graph)
    except GraphError as error:
        return str(error)
    return "it has edges that are neither directed nor undirected"


def _expected_pairs(directed: Floats, undirected: Floats, truth: Graph) -> float:
    """Return the expected number of pairs whose edge differs from the truth."""
    i, j = np.triu_indices(len(truth), 1)
    true = truth.adjacency != 0
    there, back = true[i, j], true[j, i]
    forward, backward, both = directed[i, j], directed[j, i], undirected[i, j]
    absent = 1.0 - forward - backward - both
    right = np.select([there & back, there, back], [both, forward, backward], absent)
    return float(np.maximum(1.0 - right, 0.0).sum())


class RankedEdges(NamedTuple):
    """Ordered node pairs: the probability of each edge, and whether the truth has it."""

    probability: Floats
    present: Bools


def ranked_edges(posterior: Posterior, truth: Graph, diagonal: bool = False) -> RankedEdges:
    """Return the probabilities of all edges, from row to column, and whether the truth has them.

    Parameters
    ----------
    posterior, truth
        Over the same nodes.
    diagonal
        Whether self-loops, which have probability 0, count as pairs.
    """
    true = reorder_nodes(truth, posterior.names, "the true graph")
    chosen = ~np.eye(len(true), dtype=bool) | diagonal
    return RankedEdges(posterior.edge_probabilities[chosen], (true.adjacency != 0)[chosen])


def edge_auroc(posterior: Posterior, truth: Graph) -> float:
    """Return the area under the ROC curve of the edge probabilities; see `auroc`."""
    return auroc(*ranked_edges(posterior, truth))


def edge_auprc(posterior: Posterior, truth: Graph) -> float:
    """Return the average precision of the edge probabilities; see `average_precision`."""
    return average_precision(*ranked_edges(posterior, truth))


def auroc(scores: Floats, present: Bools, ties: float = 0.5) -> float:
    """Return the probability that a positive has a higher score than a negative.

    NaN where all or none are positive.

    Parameters
    ----------
    scores, present
        A score each, and whether it is present.
    ties
        Weight of a tie. An implementation that sorts and breaks ties in the order of the entries
        has a weight between 0 and 1 here, depending on that order.
    """
    positive, negative = scores[present], np.sort(scores[~present])
    if not len(positive) or not len(negative):
        return math.nan
    below = np.searchsorted(negative, positive, side="left")
    up_to = np.searchsorted(negative, positive, side="right")
    won = below.sum() + ties * (up_to - below).sum()
    return float(won / (len(positive) * len(negative)))


def average_precision(scores: Floats, present: Bools) -> float:
    """Return the mean precision at the scores of the positives; equal scores enter together.

    NaN without positives.
    """
    if not present.any():
        return math.nan
    levels, level = np.unique(-scores, return_inverse=True)
    hits = np.bincount(level, weights=present, minlength=len(levels))
    chosen = np.cumsum(np.bincount(level, minlength=len(levels)))
    return float((hits * np.cumsum(hits) / chosen).sum() / hits.sum())


def edge_error(posterior: Posterior, reference: Posterior) -> float:
    """Return the largest difference between two posteriors in the probability of an edge."""
    other = reorder_matrix(reference.edge_probabilities, reference.names, posterior.names)
    return float(np.abs(posterior.edge_probabilities - other).max(initial=0.0))


def reorder_nodes(graph: Graph, names: tuple[str, ...], what: str) -> Graph:
    """Return the graph with its nodes in the order of a posterior over the same nodes."""
    if graph.names == names:
        return graph
    require_same_nodes(graph.names, names, what)
    return graph.subgraph(names)


def reorder_matrix(values: Floats, given: tuple[str, ...], names: tuple[str, ...]) -> Floats:
    """Return a matrix with rows and columns in the node order of a posterior."""
    if given == names:
        return values
    order = node_positions(given, names, "the reference")
    return values[np.ix_(order, order)]


def node_positions(given: tuple[str, ...], names: tuple[str, ...], what: str) -> list[int]:
    """Return the positions of a posterior's nodes in another list of nodes."""
    require_same_nodes(given, names, what)
    where = {name: k for k, name in enumerate(given)}
    return [where[name] for name in names]


def require_same_nodes(given: tuple[str, ...], names: tuple[str, ...], what: str) -> None:
    """Refuse an object whose nodes differ from a posterior's."""
    if set(given) != set(names):
        mine = [name for name in names if name not in given]
        other = [name for name in given if name not in names]
        raise GraphError(
            f"the posterior and {what} are over different nodes: only the posterior has "
            f"{listing(mine)}, only {what} {listing(other)}"
        )
