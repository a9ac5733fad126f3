"""Distances between an estimated and a true graph."""

from __future__ import annotations

from dagathlon import _core
from dagathlon.errors import GraphError, listing
from dagathlon.graphs import Graph


def shd(estimate: Graph, truth: Graph) -> int:
    """Structural Hamming distance: the number of node pairs whose edge differs.

    A pair counts once, whether an edge is missing, extra or has other marks. Nodes are matched by
    name. Works on graphs of every kind; compare CPDAGs with CPDAGs for the distance between
    equivalence classes.
    """
    return _core.differing_pairs(estimate.native, _reordered(truth, estimate).native)


def _reordered(truth: Graph, estimate: Graph) -> Graph:
    """The truth with its nodes in the order of the estimate."""
    if estimate.names == truth.names:
        return truth
    if set(estimate.names) != set(truth.names):
        only_estimate = [name for name in estimate.names if name not in truth]
        only_truth = [name for name in truth.names if name not in estimate]
        raise GraphError(
            "the estimate and the truth are not graphs of the same nodes: only in the estimate: "
            f"{listing(only_estimate)}; only in the truth: {listing(only_truth)}"
        )
    return truth.subgraph(estimate.names)
