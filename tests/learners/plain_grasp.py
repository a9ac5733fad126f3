"""GRaSP as its paper has it: every tuck moves the order, and all parents are found again."""

from __future__ import annotations

from dagathlon import _core

# Scores closer than this are equal.
_TIE = 2.0**-26


def parents_among(score: _core.Score, child: int, before: list[int]) -> tuple[list[int], float]:
    """Grow by the best candidate while the score rises, then shrink likewise."""
    parents: list[int] = []
    best = score.local(child, parents)
    while True:
        values = score.additions(child, parents)
        better = [x for x in sorted(before) if x not in parents and values[x] > best]
        if not better:
            break
        taken = max(better, key=lambda x: values[x])
        parents, best = sorted([*parents, taken]), values[taken]
    while parents:
        rests = [[x for x in parents if x != gone] for gone in parents]
        rest = max(rests, key=lambda family: score.local(child, family))
        if not score.local(child, rest) > best:
            break
        parents, best = rest, score.local(child, rest)
    return parents, best


class PlainGrasp:
    """The search from the order of the columns; `steps` counts orders that were better."""

    def __init__(self, score: _core.Score, depth: int = 3) -> None:
        self._native, self._depth, self.steps = score, depth, 0
        self._known: dict[tuple[int, frozenset[int]], tuple[list[int], float]] = {}
        self._set(list(range(len(score))))
        for uncovered, nonsingular in ((0, 0), (1, 0), (1, 1)):
            self._rules = uncovered, nonsingular
            while self._search(1, self.score):
                self.steps += 1

    def _set(self, order: list[int]) -> None:
        self.order = order
        found = [self._found(node, order[: order.index(node)]) for node in range(len(order))]
        self.parents = [parents for parents, _ in found]
        self.score = 0.0
        for _, term in found:  # sum() may round otherwise than the search does
            self.score += term

    def _found(self, node: int, before: list[int]) -> tuple[list[int], float]:
        key = node, frozenset(before)
        if key not in self._known:
            self._known[key] = parents_among(self._native, node, before)
        return self._known[key]

    def _above(self, x: int, y: int) -> set[int]:
        """Ancestors of y that stand behind x, and y."""
        above = {y}
        for node in reversed(self.order[self.order.index(x) + 1 :]):
            if node in above:
                above |= set(self.parents[node])
        return above - set(self.order[: self.order.index(x) + 1])

    def _allowed(self, x: int, y: int, depth: int) -> bool:
        uncovered, nonsingular = self._rules
        covered = set(self.parents[y]) == {x, *self.parents[x]}
        paths = [v for v in self._above(x, y) if v != y and x in self.parents[v]]
        return (depth <= uncovered or covered) and (depth <= nonsingular or not paths)

    def _search(self, depth: int, start: float) -> bool:
        for y in range(len(self.order)):
            for x in self.parents[y]:
                if not self._allowed(x, y, depth):
                    continue
                saved = self.order
                self._tuck(x, y)
                if self.score > start + _TIE:
                    return True
                equal = self.score > start - _TIE and depth < self._depth
                if equal and self._search(depth + 1, start):
                    return True
                self._set(saved)
        return False

    def _tuck(self, x: int, y: int) -> None:
        first, last, above = self.order.index(x), self.order.index(y), self._above(x, y)
        part = self.order[first : last + 1]
        part = [v for v in part if v in above] + [v for v in part if v not in above]
        self._set([*self.order[:first], *part, *self.order[last + 1 :]])
