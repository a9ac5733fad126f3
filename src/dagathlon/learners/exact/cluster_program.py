"""Integer programming for optimal DAGs: a variable per parent set, cluster cuts against cycles.

Each node takes one parent set; in each cluster of nodes some node takes one outside the cluster
(Jaakkola et al. 2010, Cussens 2011). There are too many of these constraints to list, so those that
a solution of the linear program violates are added as cuts, at the root and in every branch of the
search.
"""

from __future__ import annotations

import math
import time
from typing import NamedTuple

from dagathlon import _core
from dagathlon.errors import DataError
from dagathlon.learners.exact.branch_and_cut import BranchAndCut
from dagathlon.pulse import best_so_far, time_left, until_deadline

_MANY_SETS = 50_000


class SolverLimits(NamedTuple):
    """Limits at which a search stops before its proof of optimality is complete."""

    seconds: float = math.inf
    gap: float = 0.0


class Bounded(NamedTuple):
    """A choice of parents for each node, an upper bound of the score, and solver statistics."""

    parents: list[list[int]]
    bound: float
    solver: str
    cuts: int
    branches: int


def solve_by_cuts(sets: _core.ParentSets, limits: SolverLimits) -> Bounded:
    """Return the best acyclic choice of parents, or the best found when a limit is reached."""
    if sets.count() > _MANY_SETS and math.isinf(min(limits.seconds, time_left())):
        raise DataError(
            f"{len(sets)} variables that depend on each other choose from {sets.count():,} parent "
            f"sets, and a proof may take days beyond {_MANY_SETS:,}: give a time_limit, set "
            "max_parents to a lower number, or use winasobs"
        )
    ideal = math.fsum(found[0][0] for found in sets.lists())
    how = _core.WindowSearch(starts=500, patience=50, window=3, acyclic_selection=True, seed=0)
    score, best, *_ = _core.window_search(sets, how)
    search = BranchAndCut(_core.FamilyProgram(sets), len(sets), best, ideal - score)
    with until_deadline():
        if not best_so_far():
            allowed = limits.gap * max(abs(score), 1.0)
            search.search(allowed, time.monotonic() + limits.seconds)
    if not math.isfinite(search.least):
        raise DataError("no DAG was found that has the required edges within the limits")
    bound = ideal - min(search.lower, search.least)
    return Bounded(search.best, bound, _solver(), search.cuts, search.branches)


def _solver() -> str:
    """Return the name and version of the solver."""
    from importlib.metadata import version  # noqa: PLC0415 - only for a result

    return f"branch and cut, HiGHS {version('highspy')}"
