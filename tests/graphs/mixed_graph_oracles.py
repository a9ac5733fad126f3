"""Slow and obvious ways to answer questions about mixed graphs, and enumerations of small ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations, product

import numpy as np

import strategies
from dagathlon import _core
from dagathlon.graphs import Mark

# (mark at i, mark at j) of an edge between i and j.
NONE, RIGHT, LEFT, BOTH, UNDIRECTED = (0, 0), (3, 2), (2, 3), (2, 2), (3, 3)
DIRECTED_KINDS = (NONE, RIGHT, LEFT)
CAUSAL_KINDS = (*DIRECTED_KINDS, BOTH)
ALL_KINDS = (*CAUSAL_KINDS, UNDIRECTED)

Query = tuple[int, int, tuple[int, ...]]


def graphs(p: int, kinds: Sequence[tuple[int, int]]) -> Iterator[np.ndarray]:
    """All mark matrices on p nodes with edges of these kinds."""
    pairs = list(combinations(range(p), 2))
    for choice in product(kinds, repeat=len(pairs)):
        marks = np.zeros((p, p), dtype=np.uint8)
        for (i, j), (at_i, at_j) in zip(pairs, choice, strict=True):
            marks[i, j], marks[j, i] = at_j, at_i
        yield marks


def dags(p: int) -> Iterator[np.ndarray]:
    return (marks for marks in graphs(p, DIRECTED_KINDS) if not has_directed_cycle(marks))


def random_dag(p: int, degree: float, rng: np.random.Generator) -> np.ndarray:
    return strategies.random_dag(p, rng, degree=degree).marks


@cache
def queries(p: int) -> list[Query]:
    """All pairs of p nodes with all sets of other nodes."""
    result = []
    for x, y in combinations(range(p), 2):
        others = [v for v in range(p) if v not in (x, y)]
        result += [(x, y, z) for k in range(p - 1) for z in combinations(others, k)]
    return result


def model(marks: np.ndarray) -> tuple[bool, ...]:
    """The separations of a graph, in the order of `queries`, by the package's own oracle."""
    oracle = _core.SeparationOracle(_core.MarkedGraph(marks))
    return tuple(oracle.separated([x], [y], list(z)) for x, y, z in queries(len(marks)))


def parents(marks: np.ndarray, v: int) -> list[int]:
    return [int(u) for u in np.flatnonzero((marks[:, v] == Mark.ARROW) & (marks[v] == Mark.TAIL))]


def ancestors(marks: np.ndarray, nodes: Iterable[int]) -> set[int]:
    found: set[int] = set()
    todo = list(nodes)
    while todo:
        v = todo.pop()
        if v not in found:
            found.add(v)
            todo += parents(marks, v)
    return found


def has_directed_cycle(marks: np.ndarray) -> bool:
    return any(v in ancestors(marks, parents(marks, v)) for v in range(len(marks)))


def admits_separation(marks: np.ndarray) -> bool:
    """No arrow at a node with an undirected edge, no directed cycle (no circles are tried)."""
    undirected = ((marks == Mark.TAIL) & (marks.T == Mark.TAIL)).any(axis=0)
    return not (undirected & (marks == Mark.ARROW).any(axis=0)).any() and not has_directed_cycle(
        marks
    )


def is_ancestral(marks: np.ndarray) -> bool:
    both = np.argwhere((marks == Mark.ARROW) & (marks.T == Mark.ARROW)).tolist()
    return admits_separation(marks) and not any(i in ancestors(marks, [j]) for i, j in both)


def paths(
    marks: np.ndarray, x: int, y: int, path: tuple[int, ...] = ()
) -> Iterator[tuple[int, ...]]:
    """All paths from x to y without repeated nodes."""
    path = (*path, x)
    if x == y:
        yield path
        return
    for v in np.flatnonzero(marks[x]).tolist():
        if v not in path:
            yield from paths(marks, v, y, path)


def separated_by_paths(marks: np.ndarray, x: int, y: int, given: Iterable[int]) -> bool:
    """m-separation by its definition: every path is blocked at some node."""
    known = set(given)
    open_colliders = ancestors(marks, known)

    def open_at(u: int, v: int, w: int) -> bool:
        collider = marks[u, v] == Mark.ARROW and marks[w, v] == Mark.ARROW
        return v in open_colliders if collider else v not in known

    return not any(
        all(open_at(*path[k : k + 3]) for k in range(len(path) - 2)) for path in paths(marks, x, y)
    )


def separated_by_moralising(
    marks: np.ndarray, x: Iterable[int], y: Iterable[int], given: Iterable[int]
) -> bool:
    """d-separation in a DAG as separation in the moral graph of the ancestral subgraph."""
    starts, ends, known = set(x), set(y), set(given)
    moral: dict[int, set[int]] = {v: set() for v in ancestors(marks, starts | ends | known)}
    for v in moral:
        family = [v, *parents(marks, v)]
        for a, b in combinations(family, 2):
            moral[a].add(b)
            moral[b].add(a)
    reached, todo = set(starts), list(starts)
    while todo:
        fresh = moral[todo.pop()] - reached - known
        reached |= fresh
        todo += fresh
    return not reached & ends
