"""FCI and RFCI as pcalg makes them, step by step and slowly: the oracle of `fci` and `rfci`.

A matrix entry (i, j) is the mark at j on the edge i–j: 0 none, 1 circle, 2 arrow, 3 tail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt

CIRCLE, ARROW, TAIL = 1, 2, 3
Marks = npt.NDArray[np.int_]
Test = Callable[[int, int, Sequence[int]], bool]
Triple = tuple[int, int, int]
Sets = dict[tuple[int, int], tuple[int, ...]]
Held = npt.NDArray[np.bool_]


def plain_skeleton(test: Test, n: int) -> tuple[Held, Sets]:
    """The stable skeleton and what separated the ordered pairs."""
    graph, sets = ~np.eye(n, dtype=bool), Sets()
    order, more = 0, True
    while more:
        frozen, more = graph.copy(), False
        for x, y in np.argwhere(frozen):
            if not graph[x, y]:
                continue
            around = [int(z) for z in np.flatnonzero(frozen[x]) if z != y]
            more = more or len(around) > order
            for subset in combinations(around, order):
                if test(int(x), int(y), subset):
                    graph[x, y] = graph[y, x] = False
                    sets[int(x), int(y)] = subset
                    break
        order += 1
    return graph, sets


def separating(sets: Sets, x: int, z: int) -> list[int]:
    """The members stored for both directions."""
    return list(dict.fromkeys((*sets.get((x, z), ()), *sets.get((z, x), ()))))


def by_second(held: Held) -> list[tuple[int, int]]:
    """Pairs, the second member ascending outside."""
    return [(int(a), int(b)) for b, a in np.argwhere(held.T)]


class Rules:
    """Zhang's ten rules; `check` is asked before rule 4 uses a path."""

    def __init__(
        self, marks: Marks, sets: Sets, check: Callable[[list[int]], bool] | None = None
    ) -> None:
        self.m = marks
        self.sets = sets
        self.check = check
        self.nodes = range(len(marks))

    def together(self, numbers: Sequence[int]) -> None:
        """Apply rules by turns until a round changes nothing."""
        while True:
            before = self.m.copy()
            for k in numbers:
                getattr(self, f"rule{k}")()
            if np.array_equal(before, self.m):
                return

    def rule1(self) -> None:
        for a, b in by_second(self.m == ARROW):
            for c in self.nodes:
                if c != a and self.m[c, b] == CIRCLE and not self.m[a, c]:
                    self.m[b, c], self.m[c, b] = ARROW, TAIL

    def rule2(self) -> None:
        for a, c in by_second(self.m == CIRCLE):
            for b in self.nodes:
                into = self.m[a, b] == ARROW and self.m[b, c] == ARROW
                if into and (self.m[b, a] == TAIL or self.m[c, b] == TAIL):
                    self.m[a, c] = ARROW

    def rule3(self) -> None:
        for b, d in by_second(self.m.T == CIRCLE):
            into = [q for q in self.nodes if self.m[q, b] == ARROW and self.m[q, d] == CIRCLE]
            if any(not self.m[p, q] for p, q in combinations(into, 2)):
                self.m[d, b] = ARROW

    def rule4(self) -> None:
        for b, c in by_second(self.m.T == CIRCLE):
            for a in [a for a in self.nodes if self.m[b, a] == ARROW and self._child(a, c)]:
                while self.m[c, b] == CIRCLE and self.m[a, b] and self.m[a, c]:
                    path = self._discriminating(a, b, c)
                    if path is None:
                        break
                    if self.check is not None and not self.check(path):
                        continue
                    if b in separating(self.sets, path[0], c):
                        self.m[b, c], self.m[c, b] = ARROW, TAIL
                    else:
                        self.m[a, b] = self.m[b, c] = self.m[c, b] = ARROW

    def _child(self, a: int, c: int) -> bool:
        return bool(self.m[a, c] == ARROW and self.m[c, a] == TAIL)

    def _discriminating(self, a: int, b: int, c: int) -> list[int] | None:
        """A shortest path, whole."""
        queue = [
            [int(d), a, b, c] for d in np.flatnonzero(self.m[:, a] == ARROW) if d not in (b, c)
        ]
        visited = {a, b, c}
        while queue:
            path = queue.pop(0)
            d, before = path[:2]
            if not self.m[d, c]:
                return path
            if self._child(d, c) and self.m[before, d] == ARROW:
                visited.add(d)
                queue += [
                    [int(r), *path]
                    for r in np.flatnonzero(self.m[:, d] == ARROW)
                    if r not in visited
                ]
        return None

    def rule5(self) -> None:
        def round_edge(v: int, w: int) -> bool:
            return bool(self.m[v, w] == CIRCLE and self.m[w, v] == CIRCLE)

        for a, b in by_second((self.m == CIRCLE) & (self.m.T == CIRCLE)):
            ends_c = [c for c in self.nodes if c != b and round_edge(a, c) and not self.m[c, b]]
            ends_d = [d for d in self.nodes if d != a and round_edge(b, d) and not self.m[d, a]]
            for c in ends_c:
                for d in ends_d:
                    if self.m[a, b] != CIRCLE:
                        continue
                    path = self._circle_path(a, b, c, d, round_edge)
                    for v, w in pairwise(path):
                        self.m[v, w] = self.m[w, v] = TAIL

    def _circle_path(
        self, a: int, b: int, c: int, d: int, round_edge: Callable[[int, int], bool]
    ) -> list[int]:
        """An uncovered cycle a, c, …, d, b, a of circles; empty for none."""
        if c == d:
            return []
        if round_edge(c, d):
            return [a, c, d, b, a]
        visited = {a, b, c, d}
        queue = [[c, x] for x in self.nodes if round_edge(c, x) and x not in visited]
        while queue:
            path = queue.pop(0)
            x = path[-1]
            visited.add(x)
            if round_edge(x, d):
                whole = [a, *path, d, b]
                if self._uncovered(whole):
                    return [*whole, a]
            else:
                queue += [[*path, r] for r in self.nodes if round_edge(x, r) and r not in visited]
        return []

    def _uncovered(self, path: Sequence[int]) -> bool:
        return not any(self.m[u, w] for u, w in zip(path, path[2:], strict=False))

    def rule6(self) -> None:
        for b, c in by_second(self.m.T == CIRCLE):
            if any(self.m[a, b] == TAIL and self.m[b, a] == TAIL for a in self.nodes):
                self.m[c, b] = TAIL

    def rule7(self) -> None:
        for b, c in by_second(self.m.T == CIRCLE):
            for a in self.nodes:
                if a != c and self.m[b, a] == TAIL and self.m[a, b] == CIRCLE and not self.m[a, c]:
                    self.m[c, b] = TAIL

    def _half_arrows(self) -> list[tuple[int, int]]:
        return by_second((self.m == ARROW) & (self.m.T == CIRCLE))

    def rule8(self) -> None:
        for a, c in self._half_arrows():
            for b in self.nodes:
                if self.m[b, a] == TAIL and self.m[a, b] in (CIRCLE, ARROW) and self._child(b, c):
                    self.m[c, a] = TAIL

    def _step(self, v: int, w: int) -> bool:
        return bool(self.m[v, w] in (CIRCLE, ARROW) and self.m[w, v] in (CIRCLE, TAIL))

    def _way(self, a: int, f: int, t: int) -> bool:
        """Whether an uncovered potentially directed path leads from a over f to t."""
        if self._step(f, t) and not self.m[a, t]:
            return True
        outside = {a, f, t}
        visited: set[int] = set()
        queue = [
            [a, f, d]
            for d in self.nodes
            if self._step(f, d) and not self.m[a, d] and d not in outside
        ]
        while queue:
            path = queue.pop(0)
            d = path[-1]
            visited.add(d)
            if self._step(d, t):
                if self._uncovered([*path, t]):
                    return True
            else:
                queue += [
                    [*path, r]
                    for r in self.nodes
                    if self._step(d, r) and r not in visited | outside
                ]
        return False

    def rule9(self) -> None:
        for a, c in self._half_arrows():
            for b in self.nodes:
                if self.m[c, a] != CIRCLE:
                    break
                if b != c and not self.m[b, c] and self._step(a, b) and self._way(a, b, c):
                    self.m[c, a] = TAIL

    def rule10(self) -> None:
        for a, c in self._half_arrows():
            parents = [b for b in self.nodes if self._child(b, c)]
            for b in parents:
                for d in parents:
                    if b != d and self.m[c, a] == CIRCLE and self._two_ways(a, b, d, c):
                        self.m[c, a] = TAIL

    def _two_ways(self, a: int, b: int, d: int, c: int) -> bool:
        if self._step(a, b) and self._step(a, d) and not self.m[b, d]:
            return True
        begins = [x for x in self.nodes if x != c and self._step(a, x)]
        return any(
            not self.m[i, j] and self._reaches(a, i, b) and self._reaches(a, j, d)
            for i in begins
            for j in begins
            if i != j
        )

    def _reaches(self, a: int, i: int, target: int) -> bool:
        if i == target:
            return self.check is None
        return self._way(a, i, target)


def unshielded(graph: Held) -> list[Triple]:
    """Triples by their middle, then by their ends."""
    return [
        (int(x), y, int(z))
        for y in range(len(graph))
        for x, z in combinations(np.flatnonzero(graph[y]), 2)
        if not graph[x, z]
    ]


def plain_rfci(test: Test, n: int) -> Marks:
    """RFCI."""
    graph, sets = plain_skeleton(test, n)
    marks = np.where(graph, CIRCLE, 0)
    _colliders_of_rfci(test, marks, sets, unshielded(graph))
    rules = Rules(marks, sets, lambda path: _path_stands(test, marks, sets, path))
    rules.together(range(1, 11))
    return marks


def _colliders_of_rfci(test: Test, marks: Marks, sets: Sets, triples: list[Triple]) -> None:
    """Direct the colliders that tests confirm, and unchecked what a removal makes unshielded."""
    standing, unchecked = [], []
    for x, y, z in triples:
        if not (marks[x, y] and marks[y, z]):
            continue
        given = [v for v in separating(sets, x, z) if v != y]
        stands = True
        for end in (x, z):
            if given and test(end, y, given):
                stands = False
                subset = next(s for s in subsets(given) if test(end, y, s))
                unchecked += [
                    (u, v, w)
                    for u, v, w in _take_out(marks, sets, end, y, subset)
                    if marks[u, v] == marks[v, u] == marks[v, w] == marks[w, v] == CIRCLE
                ]
        if stands:
            standing.append((x, y, z))
    for x, y, z in standing + unchecked:
        if marks[x, y] and marks[y, z] and not marks[x, z] and y not in separating(sets, x, z):
            marks[x, y] = marks[z, y] = ARROW


def subsets(given: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All but the empty one, small ones first."""
    for size in range(1, len(given) + 1):
        yield from combinations(given, size)


def _take_out(marks: Marks, sets: Sets, u: int, v: int, subset: tuple[int, ...]) -> list[Triple]:
    """Remove an edge; the triples that this makes unshielded."""
    sets[u, v] = sets[v, u] = subset
    marks[u, v] = marks[v, u] = 0
    low, high = sorted((u, v))
    return [(low, int(m), high) for m in np.flatnonzero((marks[u] > 0) & (marks[v] > 0))]


def _path_stands(test: Test, marks: Marks, sets: Sets, path: list[int]) -> bool:
    """Whether no subset of what separated the ends separates neighbours on a path.

    pcalg keeps the first two and the last two nodes of a path, and may take out an edge that is not
    there, over and over.
    """
    known = separating(sets, path[0], path[-1])
    for u, v in pairwise([*path[:2], *path[-2:]]):
        if not marks[u, v]:
            continue
        for subset in subsets([w for w in known if w not in (u, v)]):
            if test(u, v, subset):
                _colliders_of_rfci(test, marks, sets, _take_out(marks, sets, u, v, subset))
                return False
    return True


def plain_fci(test: Test, n: int) -> Marks:
    """FCI."""
    graph, sets = plain_skeleton(test, n)
    _second_pass(test, graph, sets)
    marks = _with_colliders(graph, sets)
    rules = Rules(marks, sets)
    for numbers in (range(1, 5), range(5, 8), range(8, 11)):
        rules.together(numbers)
    return marks


def _with_colliders(graph: Held, sets: Sets) -> Marks:
    marks = np.where(graph, CIRCLE, 0)
    for x, y, z in unshielded(graph):
        if y not in separating(sets, x, z):
            marks[x, y] = marks[z, y] = ARROW
    return marks


def _second_pass(test: Test, graph: Held, sets: Sets) -> None:
    """Try all sets of the nodes that paths of possible colliders reach."""
    marks = _with_colliders(graph, sets)
    reached = [_reached(marks, x) for x in range(len(graph))]
    for x in range(len(graph)):
        around = {int(y) for y in np.flatnonzero(graph[x])}
        for y in sorted(around):
            candidates = [z for z in reached[x] if z != y]
            if set(candidates) <= around:
                continue
            for subset in subsets(candidates):
                if set(subset) <= around:
                    continue
                if test(x, y, subset):
                    graph[x, y] = graph[y, x] = False
                    sets[x, y] = sets[y, x] = subset
                    break


def _reached(marks: Marks, x: int) -> list[int]:
    steps = [(x, int(a)) for a in np.flatnonzero(marks[x])]
    for p, a in steps:
        for b in map(int, np.flatnonzero(marks[a])):
            collider = marks[p, a] == ARROW and marks[b, a] == ARROW
            if b not in (p, x) and (a, b) not in steps and (marks[p, b] or collider):
                steps.append((a, b))
    return sorted({b for _, b in steps})
