"""Slow and obvious versions of the graph algorithms, on sets of arcs (from, to)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations, product

import numpy as np
from hypothesis import strategies as st

import strategies
from dagathlon.graphs import Graph

Arcs = frozenset[tuple[int, int]]


def names_of(p: int) -> list[str]:
    return [f"V{i}" for i in range(p)]


def graph_of(arcs: Iterable[tuple[int, int]], p: int) -> Graph:
    """Arcs in both directions are an undirected edge."""
    matrix = np.zeros((p, p), dtype=int)
    for i, j in arcs:
        matrix[i, j] = 1
    return Graph.from_adjacency(names_of(p), matrix)


def arcs_of(graph: Graph) -> Arcs:
    return frozenset((i, j) for i, j in np.argwhere(graph.adjacency).tolist())


def is_acyclic(arcs: Arcs, p: int) -> bool:
    left = set(range(p))
    while left:
        sources = {j for j in left if not any((i, j) in arcs for i in left)}
        if not sources:
            return False
        left -= sources
    return True


@cache
def all_dags(p: int) -> list[Arcs]:
    return [frozenset(map(tuple, np.argwhere(dag).tolist())) for dag in strategies.all_dags(p)]


def random_dag(p: int, degree: float, seed: int) -> Arcs:
    dag = strategies.random_dag(p, np.random.default_rng(seed), degree=degree)
    return frozenset(map(tuple, np.argwhere(dag.adjacency).tolist()))


def all_pdags(p: int) -> Iterator[Arcs]:
    pairs = list(combinations(range(p), 2))
    for choice in product(range(4), repeat=len(pairs)):
        arcs: set[tuple[int, int]] = set()
        for (i, j), c in zip(pairs, choice, strict=True):
            arcs |= {(i, j)} if c & 1 else set()
            arcs |= {(j, i)} if c & 2 else set()
        yield frozenset(arcs)


def skeleton_of(arcs: Arcs) -> frozenset[frozenset[int]]:
    return frozenset(frozenset(arc) for arc in arcs)


def strict(arcs: Arcs) -> Arcs:
    return frozenset((i, j) for i, j in arcs if (j, i) not in arcs)


def v_structures_of(arcs: Arcs) -> frozenset[tuple[int, int, int]]:
    adjacent = skeleton_of(arcs)
    return frozenset(
        (x, c, y)
        for (x, c), (y, d) in product(strict(arcs), repeat=2)
        if c == d and x < y and frozenset((x, y)) not in adjacent
    )


def class_key(arcs: Arcs) -> tuple[object, ...]:
    return skeleton_of(arcs), v_structures_of(arcs)


@cache
def classes(p: int) -> dict[tuple[object, ...], list[Arcs]]:
    found: dict[tuple[object, ...], list[Arcs]] = defaultdict(list)
    for arcs in all_dags(p):
        found[class_key(arcs)].append(arcs)
    return dict(found)


def union(members: Iterable[Arcs]) -> Arcs:
    return frozenset().union(*members)


def pattern_of(arcs: Arcs) -> Arcs:
    into = {arc for x, c, y in v_structures_of(arcs) for arc in ((x, c), (y, c))}
    both = {(i, j) for i, j in arcs} | {(j, i) for i, j in arcs}
    return frozenset((i, j) for i, j in both if (j, i) not in into)


def naive_cpdag(dag: Arcs, p: int) -> Arcs:
    """The pattern closed by applying R1 to R3 over and over."""
    arcs = set(pattern_of(dag))
    adjacent = {frozenset(arc) for arc in dag}

    def directed(i: int, j: int) -> bool:
        return (i, j) in arcs and (j, i) not in arcs

    def compelled(a: int, b: int) -> bool:
        into_b = [c for c in range(p) if directed(c, b)]
        new_collider = any(directed(c, a) and frozenset((c, b)) not in adjacent for c in range(p))
        cycle = any(directed(a, c) for c in into_b)
        sides = [c for c in into_b if (a, c) in arcs and (c, a) in arcs]
        kite = any(frozenset(pair) not in adjacent for pair in combinations(sides, 2))
        return new_collider or cycle or kite

    changed = True
    while changed:
        undirected = [(a, b) for a, b in arcs if (b, a) in arcs]
        turned = [(a, b) for a, b in undirected if compelled(a, b)]
        arcs -= {(b, a) for a, b in turned}
        changed = bool(turned)
    return frozenset(arcs)


@st.composite
def dags(draw: st.DrawFn, max_size: int = 9) -> Graph:
    p = draw(st.integers(0, max_size))
    order = draw(st.permutations(range(p)))
    pairs = list(combinations(order, 2))
    kept = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    return graph_of([pair for pair, keep in zip(pairs, kept, strict=True) if keep], p)


@st.composite
def pdags(draw: st.DrawFn, max_size: int = 6) -> Graph:
    p = draw(st.integers(0, max_size))
    cells = draw(st.lists(st.booleans(), min_size=p * p, max_size=p * p))
    return graph_of([(k // p, k % p) for k, on in enumerate(cells) if on and k // p != k % p], p)
