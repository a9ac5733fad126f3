"""Edge directions in SaiyanH's spanning graph."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from dagathlon import _core
from dagathlon.learners.hybrid.spanning_graph import Pairs, Weights, weakest_first
from dagathlon.pulse import beat

# Scores of one class, added up in another order.
_TIE = 1e-6


class Directions:
    """A partially directed graph whose edges are directed one by one without a cycle.

    Parameters
    ----------
    edges
        The edges, symmetric.
    forbidden
        Forbidden arcs, from row to column.
    max_parents
        Largest number of parents of a node.
    """

    def __init__(self, edges: Pairs, forbidden: Pairs, max_parents: int) -> None:
        self.edges = edges
        self.arcs = np.zeros_like(edges)
        self._open = edges.copy()
        self._forbidden = forbidden
        self._max_parents = max_parents

    def open(self, a: int, b: int) -> None:
        """Add an undirected edge."""
        self._open[a, b] = self._open[b, a] = True

    def is_open(self, a: int, b: int) -> bool:
        """Return whether an edge is still undirected."""
        return bool(self._open[a, b])

    def parents(self, node: int) -> list[int]:
        """Return the parents of a node by the arcs so far."""
        return [int(i) for i in np.flatnonzero(self.arcs[:, node])]

    def descendants(self, node: int) -> set[int]:
        """Return the descendants of a node by the arcs so far."""
        reached: set[int] = set()
        waiting = [node]
        while waiting:
            new = set(np.flatnonzero(self.arcs[waiting.pop()]).tolist()) - reached
            reached |= new
            waiting.extend(new)
        return reached

    def possible(self, a: int, b: int) -> bool:
        """Return whether an undirected edge may be directed from a to b."""
        return bool(
            self._open[a, b]
            and not self._forbidden[a, b]
            and self.arcs[:, b].sum() < self._max_parents
            and a not in self.descendants(b)
        )

    def direct(self, a: int, b: int) -> None:
        """Direct an edge from a to b."""
        self._open[a, b] = self._open[b, a] = False
        self.arcs[a, b] = True


class _Triple(NamedTuple):
    """Two neighbours of a node, and the change of their association given that node."""

    change: float
    a: int
    middle: int
    b: int


def by_triples(
    found: Directions,
    association: Weights,
    native: _core.Discrepancies,
    threshold: float,
    independence: float,
) -> None:
    """Direct edges by triples: first colliders, then edges away from arcs into non-colliders.

    Two neighbours of a node are dependent given it if their association rises from below the
    threshold to above it, and by the share `independence`; independent given it if it falls by
    that share. All other triples are ignored.
    """
    colliders: list[_Triple] = []
    chains: list[_Triple] = []
    for middle in range(len(association)):
        around = np.flatnonzero(found.edges[middle]).tolist()
        for a, b in combinations(around, 2):
            before, given = association[a, b], native.given(a, b, middle)
            triple = _Triple(given - before, a, middle, b)
            if before < threshold <= given and given >= (1 + independence) * before:
                colliders.append(triple)
            elif before >= threshold and given < (1 - independence) * before:
                chains.append(triple)
    for triple in sorted(colliders, reverse=True):
        for end in (triple.a, triple.b):
            if found.possible(end, triple.middle):
                found.direct(end, triple.middle)
    _away(found, chains)


def _away(found: Directions, chains: Sequence[_Triple]) -> None:
    """Apply Meek's rule 1 until nothing changes: a → m – b in a chain becomes m → b."""
    again = True
    while again:
        again = False
        for _, a, middle, b in chains:
            for start, end in ((a, b), (b, a)):
                if found.arcs[start, middle] and found.possible(middle, end):
                    found.direct(middle, end)
                    again = True


def settle(found: Directions, association: Weights, score: _core.Score) -> None:
    """Direct the remaining edges, the strongest first: by score, on ties by descendants.

    The effect of an intervention reaches all descendants, so an edge is directed away from the
    end that has more of them. Edges that fit in neither direction are removed.
    """
    edges = [pair for pair in reversed(weakest_first(association)) if found.is_open(*pair)]
    for _ in range(2):
        by_score(found, edges, score)
        _by_effect(found, edges)


def by_score(
    found: Directions, edges: Sequence[tuple[int, int]], score: _core.Score, ties: bool = False
) -> None:
    """Direct edges in the direction of higher score, or in the only possible one.

    Parameters
    ----------
    found
        The graph; edges not listed are left as they are.
    edges
        The edges to be directed.
    score
        The score.
    ties
        Whether edges of equal scores are directed by the order of the columns; otherwise they are
        not.
    """
    for a, b in edges:
        beat()
        onward, back = found.possible(a, b), found.possible(b, a)
        if onward and back:
            difference = _gain(found, a, b, score) - _gain(found, b, a, score)
            if abs(difference) < _TIE and not ties:
                continue
            onward = difference > -_TIE
        if onward:
            found.direct(a, b)
        elif back:
            found.direct(b, a)


def _gain(found: Directions, a: int, b: int, score: _core.Score) -> float:
    """Return the score gain of an arc from a to b, given the arcs so far."""
    parents = found.parents(b)
    return score.local(b, sorted([*parents, a])) - score.local(b, parents)


def _by_effect(found: Directions, edges: Sequence[tuple[int, int]]) -> None:
    for a, b in edges:
        beat()
        onward, back = found.possible(a, b), found.possible(b, a)
        if onward and back:
            onward = len(found.descendants(a)) >= len(found.descendants(b))
        if onward:
            found.direct(a, b)
        elif back:
            found.direct(b, a)
