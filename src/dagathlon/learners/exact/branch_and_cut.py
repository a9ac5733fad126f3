"""Branch and cut over the arcs of a DAG."""

from __future__ import annotations

import heapq
import itertools
import math
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dagathlon import _core
from dagathlon.learners.exact.relaxation import Flags, Floats, Relaxation, Solution

# Differences of losses below this are rounding of the linear program.
TOLERANCE = 1e-7
# Arc values this close to 0 or 1 count as integral.
_WHOLE = 1e-6
_CUTS_OF_A_KIND = 100
# Number of nodes of the DAG polytopes whose facets are used as cuts.
_HULL = 8
# Share of the gap from which on a reduced loss makes a column unlikely to be used.
_FAR = 0.25
# Rounds of cuts end when several in a row close less than this share of the gap.
_PROGRESS, _PATIENCE, _ROOT_PATIENCE = 0.02, 2, 4
# Strong branching: number of candidate arcs, and simplex iterations for each.
_TRIALS, _TRIAL_ITERATIONS = 8, 100

# Parent, child, and whether there is an arc.
Decision = tuple[int, int, bool]


class _Branch(NamedTuple):
    """A branch: decided arcs, a lower bound of the loss, closed parent sets and the cuts used.

    Closed parent sets are in no DAG of the branch that is as good as the best DAG.
    """

    loss: float
    number: int
    decisions: tuple[Decision, ...]
    closed: Flags
    cuts: tuple[int, ...]


class BranchAndCut:
    """Search for the acyclic choice of parent sets with the least total loss.

    The loss of a node is how far its parent set scores below its best one.

    Parameters
    ----------
    program
        The integer program with its columns (parent sets).
    nodes
        Number of nodes.
    best, least
        A first DAG, and its loss.
    """

    def __init__(
        self, program: _core.FamilyProgram, nodes: int, best: list[list[int]], least: float
    ) -> None:
        self.nodes = nodes
        self.best, self.least = best, least
        self.lower = 0.0
        self.cuts = 0
        self.branches = 0
        self._program = program
        losses = program.losses()
        highest = least if math.isfinite(least) else float(losses.max(initial=0.0)) * nodes
        self._relaxation = Relaxation(program, nodes, no_parents_loss=10 * highest + 1)
        self._open: list[_Branch] = []
        self._numbers = itertools.count()

    def search(self, allowed: float, end: float) -> None:
        """Search until no DAG can be better by more than `allowed`, or until the time `end`."""
        self._allowed, self._end = max(allowed, TOLERANCE), end
        self._push(0.0, (), np.zeros(len(self._program), dtype=bool))
        while self._open and time.monotonic() < end:
            branch = heapq.heappop(self._open)
            self.lower = max(self.lower, min(branch.loss, self.least))
            if not self._hopeless(branch.loss):
                self._explore(branch)
        if not self._open:
            self.lower = max(self.lower, self.least - allowed)

    def _hopeless(self, loss: float) -> bool:
        return loss >= self.least - self._allowed

    def _push(self, loss: float, decisions: tuple[Decision, ...], closed: Flags) -> None:
        if not self._hopeless(loss):
            cuts = tuple(self._relaxation.cuts)
            branch = _Branch(loss, next(self._numbers), decisions, closed, cuts)
            heapq.heappush(self._open, branch)

    def _explore(self, branch: _Branch) -> None:
        """Bound a branch by cuts, and split it unless that prunes it."""
        self.branches += 1
        self._relaxation.close(self._with_excluded(branch.closed, branch.decisions))
        self._relaxation.exchange(branch.cuts)
        solution = self._cut(branch)
        if solution is None:
            return
        # Cuts of an earlier bound may have been dropped since.
        loss = max(branch.loss, solution.loss)
        closed = self._relaxation.closed
        if time.monotonic() > self._end:
            self._push(loss, branch.decisions, closed)
            return
        arc = self._branching_arc(solution, branch.decisions, closed)
        if arc is not None:
            for present in (True, False):
                self._push(loss, (*branch.decisions, (*arc, present)), closed)

    def _with_excluded(self, closed: Flags, decisions: Sequence[Decision]) -> Flags:
        """Return the mask of closed parent sets, with those that the decisions exclude."""
        result = closed.copy()
        result[self._program.excluded(list(decisions))] = True
        return result

    def _cut(self, branch: _Branch) -> Solution | None:
        """Add cuts in rounds; return the last solution, or None if the branch is pruned."""
        reached, in_vain = -math.inf, 0
        patience = _PATIENCE if branch.decisions else _ROOT_PATIENCE
        while True:
            solution = self._relaxation.solve()
            if self._hopeless(solution.loss) or self._store_if_dag(solution.values):
                return None
            if branch.decisions:
                self._narrow(solution, branch)
            else:
                solution = self._fix(solution)
            gap = self.least - solution.loss
            in_vain = in_vain + 1 if solution.loss < reached + _PROGRESS * gap else 0
            reached = max(reached, solution.loss)
            is_undecided = bool(self._undecided(solution.values))
            if time.monotonic() > self._end or (in_vain > patience and is_undecided):
                return solution
            cuts = self._separate(solution.values, thoroughly=in_vain > 0)
            if not cuts:
                return solution
            self._relaxation.drop(solution.slack > TOLERANCE)
            self._relaxation.remove_columns(solution, _FAR * gap)
            self._relaxation.add(cuts)
            self.cuts += len(cuts)

    def _separate(self, values: Floats, thoroughly: bool) -> list[int]:
        """Return new cuts that a solution violates."""
        cuts = self._program.separate(values, _CUTS_OF_A_KIND)
        if thoroughly or not cuts:
            cuts += self._program.separate_hulls(values, _HULL, _CUTS_OF_A_KIND)
        present = set(self._relaxation.cuts)
        return [cut for cut in dict.fromkeys(cuts) if cut not in present]

    def _fix(self, solution: Solution) -> Solution:
        """Remove columns that cannot be in a DAG as good as the best one (reduced-cost fixing)."""
        self.lower = max(self.lower, min(solution.loss, self.least))
        useful = ~self._is_worse(solution)
        self._relaxation.keep(useful)
        return solution._replace(values=solution.values[useful], reduced=solution.reduced[useful])

    def _narrow(self, solution: Solution, branch: _Branch) -> None:
        """Close parent sets of a branch by reduced-cost fixing and by implied arcs.

        An arc that is in all open parent sets of its child is treated like a decided one.
        """
        closed = self._relaxation.closed | self._is_worse(solution)
        arcs, total = self._open_counts(closed)
        implied = [(x, y, True) for x, y in np.argwhere((arcs == total) & (total > 0)).tolist()]
        self._relaxation.close(self._with_excluded(closed, [*branch.decisions, *implied]))

    def _is_worse(self, solution: Solution) -> Flags:
        """Return the mask of parent sets that are in no DAG as good as the best one."""
        return solution.loss + solution.reduced > self.least + 10 * TOLERANCE

    def _undecided(self, values: Floats) -> list[tuple[int, int]]:
        """Return the arcs with fractional values, those nearest to 1/2 first."""
        arcs = self._program.arcs(values)
        even = np.minimum(arcs, 1 - arcs)
        order = np.argsort(-even.round(6), axis=None, kind="stable")
        places = order[even.ravel()[order] > _WHOLE]
        return [divmod(int(place), self.nodes) for place in places]

    def _branching_arc(
        self, solution: Solution, decisions: Sequence[Decision], closed: Flags
    ) -> tuple[int, int] | None:
        """Return the arc to branch on, by strong branching; None if all arcs are decided."""
        basis = self._relaxation.basis()
        best, gained = self._any_arc(closed), -1.0
        for arc in self._undecided(solution.values)[:_TRIALS]:
            sides = [
                self._with_excluded(closed, [*decisions, (*arc, has)]) for has in (True, False)
            ]
            losses = [self._try(side, basis) for side in sides]
            gains = [max(min(loss, self.least) - solution.loss, 1e-6) for loss in losses]
            if math.prod(gains) > gained:
                best, gained = arc, math.prod(gains)
        self._relaxation.restart(basis)
        return best

    def _any_arc(self, closed: Flags) -> tuple[int, int] | None:
        """Return an arc that some open parent sets have and others have not; None without any.

        For the rare solution in which a node takes a fraction of no parent set at all.
        """
        arcs, total = self._open_counts(closed)
        places = np.argwhere((arcs > 0) & (arcs < total)).tolist()
        return (places[0][0], places[0][1]) if places else None

    def _open_counts(self, closed: Flags) -> tuple[Floats, Floats]:
        """Return the number of open parent sets with each arc, and that of each node."""
        is_open = np.where(closed, 0.0, 1.0)
        total = np.bincount(self._program.children(), is_open, minlength=self.nodes)
        return self._program.arcs(is_open), total.astype(np.float64)

    def _try(self, closed: Flags, basis: object) -> float:
        self._relaxation.close(closed)
        self._relaxation.restart(basis)
        return self._relaxation.trial(_TRIAL_ITERATIONS)

    def _store_if_dag(self, values: Floats) -> bool:
        """Return whether a solution is a DAG; store it if it is the best so far."""
        chosen = np.flatnonzero(values > 1 - _WHOLE)
        if len(chosen) < self.nodes:
            return False
        children = self._program.children()[chosen]
        parents = [list(self._program.parents(int(k))) for k in chosen[np.argsort(children)]]
        if not _is_acyclic(parents):
            return False
        loss = math.fsum(self._program.losses()[chosen])
        if loss < self.least - TOLERANCE:
            self.best, self.least = parents, loss
        return True


def _is_acyclic(parents: Sequence[Sequence[int]]) -> bool:
    placed: set[int] = set()
    while len(placed) < len(parents):
        ready = [j for j, p in enumerate(parents) if j not in placed and placed.issuperset(p)]
        if not ready:
            return False
        placed.update(ready)
    return True
