"""The authors' dual PC program, step by step and slowly: the oracle of `dualpc`."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]
Marks = npt.NDArray[np.int_]
# May be ends of a collider, and what separated them.
Separations = tuple[set[frozenset[int]], dict[frozenset[int], tuple[int, ...]]]

MIN_ROWS = 3


class Tests:
    """Fisher's z of partial correlations."""

    __test__ = False

    def __init__(self, correlation: Matrix, rows: int, alpha: float) -> None:
        self.correlation = correlation
        self.rows = rows
        self.quantile = NormalDist().inv_cdf(1 - alpha / 2)

    def independent(self, x: int, y: int, given: tuple[int, ...]) -> bool:
        """Whether the partial correlation passes for zero."""
        nodes = [x, y, *given]
        precision = np.linalg.inv(self.correlation[np.ix_(nodes, nodes)])
        r = -precision[0, 1] / np.sqrt(precision[0, 0] * precision[1, 1])
        return bool(np.sqrt(self.rows - len(given) - 3) * abs(np.arctanh(r)) <= self.quantile)

    def enough(self, given: int) -> bool:
        """Whether the rows suffice for a test given all neighbours."""
        return self.rows - given - 3 >= MIN_ROWS


def plain_dual_pc(
    correlation: Matrix, rows: int, alpha: float, max_order: int | None = None
) -> tuple[npt.NDArray[np.bool_], Separations]:
    """The skeleton, the vetoed pairs and the separating sets."""
    n = len(correlation)
    tests = Tests(correlation, rows, alpha)
    graph, vetoed = _marginal_level(tests, n)
    stored: dict[frozenset[int], tuple[int, ...]] = {}
    order, more = 1, True
    while more and graph.any() and (max_order is None or order <= max_order):
        removed, more = set(), False
        for y in range(n):
            for x in map(int, np.flatnonzero(graph[:, y])):
                others = tuple(int(z) for z in np.flatnonzero(graph[x]) if z != y)
                if order > len(others):
                    continue
                more = more or order < len(others) - 1
                found = _visit(tests, x, y, others, order)
                if found is not None:
                    removed.add(frozenset((x, y)))
                    stored[frozenset((x, y))] = found
        for first, second in removed:
            graph[first, second] = graph[second, first] = False
        order += 1
    return graph, (vetoed, stored)


def _marginal_level(tests: Tests, n: int) -> tuple[npt.NDArray[np.bool_], set[frozenset[int]]]:
    graph = ~np.eye(n, dtype=bool)
    vetoed = set()
    for x, y in combinations(range(n), 2):
        rest = tuple(z for z in range(n) if z not in (x, y))
        if tests.enough(n - 2) and tests.independent(x, y, rest):
            vetoed.add(frozenset((x, y)))
        elif not tests.independent(x, y, ()):
            continue
        graph[x, y] = graph[y, x] = False
    return graph, vetoed


def _visit(
    tests: Tests, x: int, y: int, others: tuple[int, ...], order: int
) -> tuple[int, ...] | None:
    """What separates an edge's ends by the neighbours of x, as the program stores it."""
    m = len(others)
    if tests.enough(m) and tests.independent(x, y, others):
        return others
    if order == m:
        return None
    for subset in combinations(others, min(order, m - order)):
        rest = tuple(z for z in others if z not in subset)
        if 2 * order <= m and tests.independent(x, y, subset):
            return rest
        if 2 * order != m and tests.independent(x, y, rest):
            return rest
    return None


def directed(
    graph: npt.NDArray[np.bool_], separations: Separations, *, conflicts: bool = False
) -> Marks:
    """Entries as pcalg writes them: 1 from row to column, 2 in both for a conflict."""
    colliders = _colliders(graph, separations)
    marks = graph.astype(int)
    for x, y, z in colliders:
        for end in (x, z):
            if not conflicts or (marks[end, y] == 1 and marks[y, end] in (0, 1)):
                marks[end, y], marks[y, end] = 1, 0
            else:
                marks[end, y] = marks[y, end] = 2
    rules: list[Callable[[Marks, Marks, bool], None]] = [_rule1, _rule2, _rule3]
    while True:
        before = marks.copy()
        for rule in rules:
            rule(marks, marks.copy() if conflicts else marks, conflicts)
        if np.array_equal(before, marks):
            return marks


def _colliders(
    graph: npt.NDArray[np.bool_], separations: Separations
) -> list[tuple[int, int, int]]:
    vetoed, stored = separations
    found = []
    for y in range(len(graph)):
        around = np.flatnonzero(graph[y])
        for x in around:
            for z in around:
                pair = frozenset((int(x), int(z)))
                if x == z or graph[x, z] or pair in vetoed or y in stored.get(pair, ()):
                    continue
                found.append((int(x), y, int(z)))
    return found


def _direct(marks: Marks, a: int, b: int, conflicts: bool) -> None:
    if not conflicts or (marks[a, b] == 1 and marks[b, a] == 1):
        marks[a, b], marks[b, a] = 1, 0
    elif marks[a, b] == 0 and marks[b, a] == 1:
        marks[a, b] = marks[b, a] = 2


def _pairs(held: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Second members ascending outside."""
    return [(int(a), int(b)) for b, a in np.argwhere(held.T)]


def _rule1(marks: Marks, seen: Marks, conflicts: bool) -> None:
    for a, b in _pairs((marks == 1) & (marks.T == 0)):
        for c in range(len(marks)):
            if c != a and seen[b, c] == 1 and seen[c, b] == 1 and not seen[a, c] and not seen[c, a]:
                _direct(marks, b, c, conflicts)


def _rule2(marks: Marks, seen: Marks, conflicts: bool) -> None:
    for a, b in _pairs((marks == 1) & (marks.T == 1)):
        if any(
            seen[a, c] == 1 and seen[c, a] == 0 and seen[c, b] == 1 and seen[b, c] == 0
            for c in range(len(marks))
        ):
            _direct(marks, a, b, conflicts)


def _rule3(marks: Marks, seen: Marks, conflicts: bool) -> None:
    for a, b in _pairs((marks == 1) & (marks.T == 1)):
        between = [
            c
            for c in range(len(marks))
            if seen[a, c] == 1 and seen[c, a] == 1 and seen[c, b] == 1 and seen[b, c] == 0
        ]
        if any(not seen[c, d] and not seen[d, c] for c, d in combinations(between, 2)):
            _direct(marks, a, b, conflicts)
