"""The DAGs of a Markov equivalence class: enumeration, counting, sampling."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import accumulate
from math import prod
from random import Random
from typing import TypeAlias

import numpy as np

from dagathlon import _core
from dagathlon.errors import GraphError
from dagathlon.graphs.checks import require_cpdag
from dagathlon.graphs.graph import Graph, MarkMatrix
from dagathlon.graphs.marks import Mark

Nodes: TypeAlias = tuple[int, ...]
Arc: TypeAlias = tuple[int, int]

_REMEMBERED = 10_000


def members(cpdag: Graph) -> Iterator[Graph]:
    """Yield all DAGs of the Markov equivalence class of `cpdag`, each once."""
    require_cpdag(cpdag, "listing the members of a class")
    return (Graph._of(cpdag.names, dag) for dag in _fully_directed(cpdag.native))


def count_members(cpdag: Graph) -> int:
    """Return the number of DAGs in the class of `cpdag`, in polynomial time."""
    require_cpdag(cpdag, "counting the members of a class")
    parts = _UndirectedPart(cpdag.marks)
    return prod(map(parts.count, parts.components))


def sample_members(cpdag: Graph, n: int, seed: int) -> list[Graph]:
    """Draw DAGs from the class of `cpdag`, independently and uniformly.

    Parameters
    ----------
    cpdag
        The CPDAG of the class.
    n
        How many DAGs to draw.
    seed
        The same seed gives the same DAGs on every machine.
    """
    require_cpdag(cpdag, "drawing members of a class")
    if n < 0:
        raise GraphError(f"the number of members to draw is at least 0, found {n}")
    drawn, random = ClassMembers(cpdag), Random(seed)
    return [drawn.draw(random) for _ in range(n)]


class ClassMembers:
    """Sampler of DAGs from one Markov equivalence class, reusable for many draws.

    Parameters
    ----------
    graph
        The CPDAG of a class, or the graph of a class that interventions divide further: each
        undirected part of it is chordal and can be directed without regard to the others.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._part = _UndirectedPart(graph.marks)

    def draw(self, random: Random) -> Graph:
        """Draw one DAG of the class uniformly."""
        return _with_arcs(self._graph, self._part.draw(random))


class _UndirectedPart:
    """Undirected edges of a CPDAG: connected components that are chordal and independent.

    A member of a component has one source. Making a node the source directs some edges and
    leaves smaller components of the same kind, so the counts of those are the weights by which
    to draw the source. The package cliquepicking counts but takes no seed, hence this way of
    drawing.
    """

    def __init__(self, marks: MarkMatrix) -> None:
        self._joined = (marks == Mark.TAIL) & (marks.T == Mark.TAIL)
        # Drawing often meets the same components again; the limit is for the memory.
        remember = lru_cache(maxsize=_REMEMBERED)
        self.count = remember(self._count)
        self._sources = remember(self._cumulative_source_weights)
        self._from_source = remember(self._split)

    @cached_property
    def components(self) -> list[Nodes]:
        return _components(self._joined)

    def draw(self, random: Random) -> list[Arc]:
        """Draw one member: the directions of all undirected edges."""
        arcs: list[Arc] = []
        waiting = list(self.components)
        while waiting:
            component = waiting.pop()
            weights = self._sources(component)
            source = bisect_right(weights, random.randrange(weights[-1]))
            directed, smaller = self._from_source(component, source)
            arcs += directed
            waiting += smaller
        return arcs

    def _count(self, component: Nodes) -> int:
        import cliquepicking  # noqa: PLC0415

        rows, columns = np.nonzero(self._joined[np.ix_(component, component)])
        size: int = cliquepicking.mec_size(list(zip(rows.tolist(), columns.tolist(), strict=True)))
        return size

    def _cumulative_source_weights(self, component: Nodes) -> list[int]:
        """Return cumulative counts of the members by their source node."""
        inside = self._joined[np.ix_(component, component)]
        # Nodes with the same closed neighbourhood are interchangeable: one count serves them all.
        twins = [row.tobytes() for row in inside | np.eye(len(component), dtype=bool)]
        weights: dict[bytes, int] = {}
        for source, twin in enumerate(twins):
            if twin not in weights:
                _, smaller = self._split(component, source)
                weights[twin] = prod(map(self.count, smaller))
        return list(accumulate(weights[twin] for twin in twins))

    def _split(self, component: Nodes, source: int) -> tuple[list[Arc], list[Nodes]]:
        """Make a node the source: return the edges this directs, and the remaining components."""
        inside = self._joined[np.ix_(component, component)]
        native = _core.MarkedGraph(np.where(inside, np.uint8(Mark.TAIL), np.uint8(Mark.NONE)))
        out = [(source, int(other)) for other in np.flatnonzero(inside[source])]
        marks = _closed(native, out).marks()
        arcs = np.argwhere(marks == Mark.ARROW).tolist()
        left = _components((marks == Mark.TAIL) & (marks.T == Mark.TAIL))
        return (
            [(component[a], component[b]) for a, b in arcs],
            [tuple(component[i] for i in nodes) for nodes in left],
        )


def _components(joined: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> list[Nodes]:
    """Return the connected components of two or more nodes."""
    components: list[Nodes] = []
    unseen = joined.any(axis=0)
    while unseen.any():
        reached = np.zeros(len(joined), dtype=bool)
        front = np.zeros(len(joined), dtype=bool)
        front[np.argmax(unseen)] = True
        while front.any():
            reached |= front
            front = joined[front].any(axis=0) & ~reached
        unseen &= ~reached
        components.append(tuple(np.flatnonzero(reached).tolist()))
    return components


def _fully_directed(pdag: _core.MarkedGraph) -> Iterator[_core.MarkedGraph]:
    waiting = [pdag]
    while waiting:
        graph = waiting.pop()
        edge = _an_undirected_edge(graph)
        if edge is None:
            yield graph
        else:
            # In a graph closed under Meek's rules both directions of an edge have a member.
            waiting += [_closed(graph, [edge[::-1]]), _closed(graph, [edge])]


def _closed(graph: _core.MarkedGraph, arcs: list[Arc]) -> _core.MarkedGraph:
    closed, _ = _core.meek(graph, arcs)
    return closed


def _an_undirected_edge(graph: _core.MarkedGraph) -> Arc | None:
    for node in range(len(graph)):
        for other in graph.neighbours(node):
            return node, other
    return None


def _with_arcs(cpdag: Graph, arcs: list[Arc]) -> Graph:
    marks = cpdag.marks.copy()
    for start, end in arcs:
        marks[start, end] = Mark.ARROW
    return Graph._of(cpdag.names, _core.MarkedGraph(marks))
