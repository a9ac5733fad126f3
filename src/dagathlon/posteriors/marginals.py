"""`EdgeMarginals`: base class of edge probabilities and the graphs derived from them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np

from dagathlon.graphs import Graph
from dagathlon.posteriors.edge_strength import EdgeStrengths, averaged_graph, optimal_threshold
from dagathlon.posteriors.packed import Floats


class EdgeMarginals(ABC):
    """Edge probabilities, and point estimates of a graph derived from them.

    Attributes
    ----------
    names
        The nodes.
    """

    names: tuple[str, ...]

    # Sums rather than shares, so that shares of unweighted draws are rounded once.
    @property
    @abstractmethod
    def _total(self) -> float:
        """Total weight of all graphs."""

    @property
    @abstractmethod
    def _edge_sums(self) -> Floats:
        """Total weight of graphs with each edge, from row to column."""

    @property
    @abstractmethod
    def _undirected_sums(self) -> Floats:
        """Return the total weight of graphs with an undirected edge, by pair."""

    def _mark_sums(self) -> Floats | None:
        """Return total weights by marks at row and column; None for graphs without circles."""
        return None

    @cached_property
    def edge_probabilities(self) -> Floats:
        """Probability of each edge, from row to column."""
        return frozen(np.clip(self._edge_sums / self._total, 0.0, 1.0))

    @cached_property
    def strengths(self) -> EdgeStrengths:
        """Return adjacency probabilities, and those of each direction given adjacency."""
        edges, both = self._edge_sums, self._undirected_sums
        joined = np.maximum(edges + edges.T - both, 0.0)
        forward = np.clip(edges - 0.5 * both, 0.0, joined)
        direction = np.divide(forward, joined, out=np.zeros_like(joined), where=joined > 0)
        return EdgeStrengths(self.names, np.minimum(joined / self._total, 1.0), direction)

    @property
    def expected_edges(self) -> float:
        """Return the expected number of edges."""
        return float(np.triu(self.strengths.strength).sum())

    def median(self) -> Graph:
        """Return the median-probability graph: all edges with probability above one half."""
        return self.above(0.5)

    def above(self, threshold: float, acyclic: bool = False) -> Graph:
        """Return all edges with probability above a threshold.

        Parameters
        ----------
        threshold
            A probability must be greater than this. An edge that is probable in both directions
            becomes undirected.
        acyclic
            Whether edges that close a cycle with more probable ones are left out.
        """
        if acyclic:
            return acyclic_above(self.names, self.edge_probabilities, threshold)
        return Graph.from_adjacency(self.names, self.edge_probabilities > threshold)

    def consensus(self, threshold: float | None = None) -> Graph:
        """Return the pairs with adjacency above a threshold, each as its most probable edge.

        Parameters
        ----------
        threshold
            A probability must be greater than this; by default the threshold of Scutari and
            Nagarajan (2013), see `optimal_threshold`.
        """
        return consensus(self.strengths, threshold, self._mark_sums())


def frozen(array: Floats) -> Floats:
    """Mark the array as read-only and return it."""
    array.flags.writeable = False
    return array


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
