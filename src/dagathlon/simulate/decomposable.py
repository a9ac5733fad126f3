"""Random decomposable graphs by the Christmas tree algorithm."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TypeAlias

import numpy as np

from dagathlon.graphs import Graph
from dagathlon.modules import Probability
from dagathlon.simulate.base import GraphGenerator, GraphKind, Nodes, check
from dagathlon.simulate.random_graph import numbered

Subtree: TypeAlias = dict[int, set[int]]
"""A subtree of a junction tree: clique numbers, each with its neighbours in the subtree."""


@dataclass(frozen=True, kw_only=True)
class DecomposableGraph(GraphGenerator):
    """Random decomposable graph, grown by adding nodes to its junction tree one by one.

    For each new node a random subtree of the junction tree is drawn; the node joins a subset of
    each clique in it, which contains at least the subtree's separators.

    Parameters
    ----------
    nodes
        Number of nodes, called 0, 1, ….
    spread
        Probability that the subtree extends to a neighbouring clique: larger values make denser
        graphs.
    attach
        Probability that a new node is joined to any other.
    """

    name = "decomposable_graph"
    references = ("Olsson, Pavlenko and Rios 2022, Statistics and Computing 32",)

    nodes: Nodes = 20
    spread: Probability = 0.5
    attach: Probability = 0.5

    @property
    def gives(self) -> GraphKind:
        """Return "undirected"."""
        return "undirected"

    def sample(self, rng: np.random.Generator) -> Graph:
        """Grow a junction tree over the nodes in random order."""
        check(self)
        first, *others = rng.permutation(self.nodes).tolist()
        tree = _JunctionTree([{first}])
        for node in others:
            if rng.random() < self.attach:
                tree.join(node, tree.random_subtree(self.spread, rng), rng)
            else:
                tree.add_isolated(node, rng)
        pairs = {pair for clique in tree.cliques if clique for pair in _pairs(clique)}
        return Graph.from_pairs(numbered(self.nodes, first=0), sorted(pairs), directed=False)


@dataclass
class _JunctionTree:
    """A junction tree of numbered cliques, connected also across empty separators.

    A clique that was absorbed by another one is empty and has no neighbours.
    """

    cliques: list[set[int]]
    neighbours: list[set[int]] = field(init=False)

    def __post_init__(self) -> None:
        self.neighbours = [set() for _ in self.cliques]

    def random_subtree(self, spread: float, rng: np.random.Generator) -> Subtree:
        """Draw a subtree by extending a random clique to neighbours with probability `spread`."""
        alive = [k for k, clique in enumerate(self.cliques) if clique]
        start = alive[int(rng.integers(len(alive)))]
        subtree: Subtree = {start: set()}
        waiting = [(start, -1)]
        for clique, origin in waiting:
            for other in sorted(self.neighbours[clique] - {origin}):
                if rng.random() < spread:
                    subtree[clique].add(other)
                    subtree[other] = {clique}
                    waiting.append((other, clique))
        return subtree

    def join(self, node: int, subtree: Subtree, rng: np.random.Generator) -> None:
        """Join a new node to a subset of each clique of a subtree."""
        copies = {}
        for clique in subtree:
            part = self._drawn_subset(clique, subtree, rng)
            copies[clique] = self._add(part | {node})
        for clique, inside in subtree.items():
            for other in inside:
                self._link(copies[clique], copies[other])
                self._unlink(clique, other)
        for clique, copy in copies.items():
            self._link_copy(clique, copy, rng)

    def add_isolated(self, node: int, rng: np.random.Generator) -> None:
        """Add an isolated node; the connections between components are drawn anew."""
        self._add({node})
        edges = [
            (a, b) for a, neighbours in enumerate(self.neighbours) for b in neighbours if a < b
        ]
        for a, b in edges:
            if not self.cliques[a] & self.cliques[b]:
                self._unlink(a, b)
        self._connect(self._parts(), rng)

    def _drawn_subset(self, clique: int, subtree: Subtree, rng: np.random.Generator) -> set[int]:
        """Draw the subset of a clique that a new node joins: its separators and random others.

        At least one other node is needed where a single separator contains everything that
        the subtree shares with the clique; otherwise the new clique would be no larger than
        its neighbour's.
        """
        members = self.cliques[clique]
        shared = [members & self.cliques[other] for other in subtree[clique]]
        separator = set().union(*shared)
        free = sorted(members - separator)
        needed = len(subtree) == 1 or separator in shared
        chosen = {node for node in free if rng.random() < 0.5}
        if needed and free:
            # One node for certain, each of the others with probability one half.
            chosen.add(free[int(rng.integers(len(free)))])
        return separator | chosen

    def _link_copy(self, clique: int, copy: int, rng: np.random.Generator) -> None:
        """Link a clique of the subtree to its enlarged copy, or replace it by the copy."""
        swallowed = len(self.cliques[copy]) == len(self.cliques[clique]) + 1
        for other in sorted(self.neighbours[clique]):
            shared = self.cliques[other] & self.cliques[clique]
            if swallowed or (shared <= self.cliques[copy] and rng.random() < 0.5):
                self._unlink(clique, other)
                self._link(copy, other)
        if swallowed:
            self.cliques[clique] = set()
        else:
            self._link(clique, copy)

    def _parts(self) -> list[list[int]]:
        """Return the cliques of each connected component."""
        seen: set[int] = set()
        parts = []
        for start, clique in enumerate(self.cliques):
            if not clique or start in seen:
                continue
            part = [start]
            seen.add(start)
            for k in part:
                fresh = sorted(self.neighbours[k] - seen)
                seen.update(fresh)
                part.extend(fresh)
            parts.append(part)
        return parts

    def _connect(self, parts: Sequence[list[int]], rng: np.random.Generator) -> None:
        """Connect the components to a tree, uniformly among all ways to do so.

        A tree over the components is drawn by its Prüfer code, in which a component counts
        as often as it has cliques (Thomas and Green 2009).
        """
        home = {clique: p for p, part in enumerate(parts) for clique in part}
        cliques = list(home)
        code = [home[cliques[int(i)]] for i in rng.integers(len(cliques), size=len(parts) - 2)]
        for one, other in _prufer_tree(code, len(parts)):
            ends = [part[int(rng.integers(len(part)))] for part in (parts[one], parts[other])]
            self._link(*ends)

    def _add(self, members: set[int]) -> int:
        self.cliques.append(members)
        self.neighbours.append(set())
        return len(self.cliques) - 1

    def _link(self, a: int, b: int) -> None:
        self.neighbours[a].add(b)
        self.neighbours[b].add(a)

    def _unlink(self, a: int, b: int) -> None:
        self.neighbours[a].discard(b)
        self.neighbours[b].discard(a)


def _prufer_tree(code: Sequence[int], n: int) -> Iterable[tuple[int, int]]:
    """Return the edges of the labelled tree with this Prüfer code."""
    degree = [1] * n
    for node in code:
        degree[node] += 1
    for node in code:
        leaf = degree.index(1)
        yield leaf, node
        degree[leaf] -= 1
        degree[node] -= 1
    last = [node for node in range(n) if degree[node] == 1]
    yield last[0], last[1]


def _pairs(clique: Iterable[int]) -> Iterable[tuple[int, int]]:
    return combinations(sorted(clique), 2)
