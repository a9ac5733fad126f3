"""Point estimates of a graph from edge probabilities."""

from __future__ import annotations

import numpy as np

from dagathlon.graphs import Graph
from dagathlon.posteriors.edge_strength import EdgeStrengths, averaged_graph, optimal_threshold
from dagathlon.posteriors.packed import Floats


def acyclic_above(names: tuple[str, ...], probabilities: Floats, threshold: float) -> Graph:
    """Return edges above a threshold, except those that close a cycle with more probable ones."""
    p = len(names)
    reaches = np.eye(p, dtype=bool)
    chosen = np.zeros_like(reaches)
    for cell in np.argsort(-probabilities, axis=None, kind="stable").tolist():
        i, j = divmod(cell, p)
        if probabilities[i, j] <= threshold:
            break
        if reaches[j, i]:
            continue
        chosen[i, j] = True
        reaches |= np.outer(reaches[:, i], reaches[j])
    return Graph.from_adjacency(names, chosen)


def consensus(strengths: EdgeStrengths, threshold: float | None, marks: Floats | None) -> Graph:
    """Return the pairs adjacent with enough probability, each with its most probable edge.

    Parameters
    ----------
    strengths
        How often pairs are joined, and in which direction.
    threshold
        A strength must be greater than this; None is the optimal threshold.
    marks
        For graphs with other edges than directed and undirected ones: how often each pair of marks
        (at the row, at the column) stands at the ends of each edge.
    """
    least = optimal_threshold(strengths.strength) if threshold is None else threshold
    if marks is None:
        return averaged_graph(strengths, least)
    p = len(strengths.names)
    matrix = np.zeros((p, p), dtype=np.uint8)
    for i, j in np.argwhere(np.triu(strengths.strength > least, 1)).tolist():
        at_i, at_j = np.unravel_index(int(np.argmax(marks[:, :, i, j])), (4, 4))
        matrix[j, i], matrix[i, j] = at_i, at_j
    return Graph(strengths.names, matrix)
