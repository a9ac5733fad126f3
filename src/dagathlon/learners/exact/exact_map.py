"""The DAG of highest score, with a proof: dynamic or integer programming over parent sets."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.errors import DataError, OutOfTimeError
from dagathlon.graphs import Graph
from dagathlon.learners.background import starting_dag
from dagathlon.learners.base import Estimate, Statistic
from dagathlon.learners.exact.candidate_families import candidate_families
from dagathlon.learners.exact.cluster_program import (
    SolverLimits,
    solve_by_cuts,
)
from dagathlon.learners.order.asobs import WinAsobs
from dagathlon.learners.run import run_inner_learner
from dagathlon.learners.score.score_based import ScoreBased
from dagathlon.modules import Count, Delegate, NonNegative
from dagathlon.pulse import best_so_far, stop_early, time_left, until_deadline, watch

ParentLists: TypeAlias = Sequence[Sequence[tuple[float, Sequence[int]]]]

# Beyond the first the integer program is faster, beyond the second there is not enough memory.
QUICK_COMPONENT, LARGEST_COMPONENT = 21, 25
# Share of a time limit after which an order search replaces the scoring of all sets, and
# its number of unsuccessful starts before it ends.
_SCORING_SHARE, _PATIENCE = 0.5, 50
# Larger scores, which need an absurd penalty, could not be summed.
_OVERFLOW = 1e300


@dataclass(frozen=True)
class OptimalDag:
    """A DAG with its certificate: score, bound and solver.

    Parameters
    ----------
    parents
        For each node its parents.
    score
        Score of the DAG.
    bound
        Upper bound of the score of any acyclic choice of parents.
    solver
        The solver that proved the bound.
    cuts
        Number of inequalities in the integer program that cut off cycles.
    branches
        Number of bounded branches of its search tree, the root included.
    largest
        Size of the largest component that was solved at once.
    """

    parents: list[list[int]]
    score: float
    bound: float
    solver: str = "components"
    cuts: int = 0
    branches: int = 0
    largest: int = 1

    @property
    def gap(self) -> float:
        """Relative gap between the bound and the score."""
        return (self.bound - self.score) / max(abs(self.score), 1.0)

    @property
    def proven(self) -> bool:
        """Whether the DAG is proven to be optimal, up to rounding."""
        return self.gap <= 1e-9


@dataclass
class _Pieces:
    """Results collected from the components."""

    parents: list[list[int]]
    scores: list[float] = field(default_factory=list)
    bounds: list[float] = field(default_factory=list)
    solvers: set[str] = field(default_factory=set)
    cuts: int = 0
    branches: int = 0
    largest: int = 1


def optimal_dag(
    sets: _core.ParentSets,
    solver: Literal["auto", "dp", "ilp"] = "auto",
    time_limit: float = math.inf,
    gap_limit: float = 0.0,
) -> OptimalDag:
    """Choose each node's parents so that there is no cycle and the score is highest.

    Groups of nodes that cannot be ancestors of each other, given the candidate parent sets, are
    solved separately.

    Parameters
    ----------
    sets
        Candidate parent sets with their scores.
    solver
        Dynamic programming over sets of nodes (``dp``), integer programming (``ilp``), or whichever
        suits each component (``auto``).
    time_limit
        Seconds for the integer programs; the best DAG so far is then returned with its bound.
    gap_limit
        Relative gap at which the search may stop.
    """
    limits = SolverLimits(time_limit, gap_limit)
    lists = [[pair for pair in found if abs(pair[0]) < _OVERFLOW] for found in sets.lists()]
    pieces = _Pieces([[] for _ in lists])
    for component in sets.components():
        chosen = _solve_component(lists, component, solver, limits, pieces)
        for node, parents in zip(component, chosen, strict=True):
            pieces.parents[node] = parents
    return OptimalDag(
        pieces.parents,
        math.fsum(pieces.scores),
        math.fsum(pieces.bounds),
        " and ".join(sorted(pieces.solvers)) or "components",
        pieces.cuts,
        pieces.branches,
        pieces.largest,
    )


def _solve_component(
    lists: ParentLists, component: Sequence[int], solver: str, limits: SolverLimits, pieces: _Pieces
) -> list[list[int]]:
    """Return the parents of the nodes of a component; parents outside it cause no cycle."""
    place = {node: k for k, node in enumerate(component)}
    inside: list[dict[tuple[int, ...], tuple[float, list[int]]]] = []
    for node in component:
        best: dict[tuple[int, ...], tuple[float, list[int]]] = {}
        for score, parents in lists[node]:
            key = tuple(place[x] for x in parents if x in place)
            if key not in best or score > best[key][0]:
                best[key] = (score, list(parents))
        inside.append(best)
    reduced = _parent_sets([[(s, list(key)) for key, (s, _) in b.items()] for b in inside])
    chosen, bound = _solve(reduced, solver, limits, pieces)
    families = [inside[k][tuple(parents)] for k, parents in enumerate(chosen)]
    score = math.fsum(score for score, _ in families)
    pieces.scores.append(score)
    pieces.bounds.append(score if bound is None else max(bound, score))
    pieces.largest = max(pieces.largest, len(component))
    return [parents for _, parents in families]


def _parent_sets(lists: ParentLists) -> _core.ParentSets:
    """Index parent sets for a solver, even past the deadline: the quick search then takes over."""
    try:
        return _core.ParentSets(lists)
    except OutOfTimeError:
        stop_early()
        return _core.ParentSets(lists)


def _solve(
    sets: _core.ParentSets, solver: str, limits: SolverLimits, pieces: _Pieces
) -> tuple[list[list[int]], float | None]:
    """Return the chosen parents, and a bound of the score; None where they are proven optimal."""
    if len(sets) == 1:
        return [list(sets.lists()[0][0][1])], None
    if not best_so_far():
        with until_deadline():
            return _solve_exactly(sets, solver, limits, pieces)
    pieces.solvers.add("search over orders")
    how = _core.WindowSearch(starts=1, window=0, acyclic_selection=True, seed=0)
    score, parents, *_ = _core.window_search(sets, how)
    if score == -math.inf:
        raise OutOfTimeError("the time limit came before a DAG with the required edges was found")
    return [list(p) for p in parents], math.fsum(found[0][0] for found in sets.lists())


def _solve_exactly(
    sets: _core.ParentSets, solver: str, limits: SolverLimits, pieces: _Pieces
) -> tuple[list[list[int]], float | None]:
    size = len(sets)
    if size > QUICK_COMPONENT and solver == "auto":
        solver = "ilp"
    if solver == "ilp":
        bounded = solve_by_cuts(sets, limits)
        pieces.solvers.add(bounded.solver)
        pieces.cuts += bounded.cuts
        pieces.branches += bounded.branches
        return bounded.parents, bounded.bound
    if size > LARGEST_COMPONENT:
        raise DataError(
            f"dynamic programming over {size} variables that depend on each other would need "
            f"{2.0**size * 8 / 1e9:.3g} GB; at most {LARGEST_COMPONENT} are possible: set solver "
            "to ilp, or max_parents to a lower number"
        )
    pieces.solvers.add("dynamic programming")
    score, parents = _core.best_by_sets(sets)
    if score == -math.inf:
        raise DataError("no DAG has the required edges within the limit on parents")
    return [list(p) for p in parents], None


@dataclass(frozen=True, kw_only=True)
class ExactMap(ScoreBased):
    """The DAG of highest score among all DAGs with few parents per node, with its certificate.

    Parameters
    ----------
    max_parents
        Largest number of parents of a node; null is no limit.
    prune
        Whether parent sets that cannot be in a best DAG are removed before they are scored. The
        result is the same either way; removing them is faster.
    solver
        Dynamic programming over sets of variables (dp, up to 25 that depend on each other), integer
        programming with the package highspy (ilp; ``pip install 'dagathlon[exact]'``), or
        whichever suits (auto).
    time_limit
        Seconds of integer programming after which the best DAG so far is returned with its proven
        gap; null is no limit. With a limit the result can depend on the machine.
    gap_limit
        Relative gap between score and bound at which the search may stop.
    at_limit
        Result of a study's run at its time limit: a failure (fail), or the best DAG so far, marked
        as stopped early (best), which depends on the machine.
    """

    name = "exact_map"
    splits = True
    version = 2
    gives = "dag"
    anytime = True
    shares_tables = True
    references = (
        "Silander and Myllymäki 2006, UAI",
        "Cussens 2011, UAI",
        "de Campos and Ji 2011, JMLR 12",
    )
    max_parents: Count | None = 3
    prune: bool = True
    solver: Literal["auto", "dp", "ilp"] = "auto"
    time_limit: NonNegative | None = None
    gap_limit: NonNegative = 0.0
    at_limit: Literal["fail", "best"] = "fail"

    def keeps_to_limit(self) -> bool:
        """Return whether a stopped run ends with a result, as `at_limit` says."""
        return self.at_limit == "best"

    def delegates(self) -> tuple[Delegate, ...]:
        """Return the score, and the search that gives integer programming its start."""
        return (*super().delegates(), self._order_search())

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Find the best DAG, deterministically."""
        starting_dag(None, self.knowledge(data), data.names)  # required edges without a cycle
        sets = self._candidates(data)
        if sets is None:
            return self._without_proof(data, rng)
        _require_choices(sets, data.names)
        time_limit = math.inf if self.time_limit is None else self.time_limit
        optimum = optimal_dag(sets, self.solver, time_limit, self.gap_limit)
        edges = [(data.names[x], data.names[j]) for j, p in enumerate(optimum.parents) for x in p]
        graph = Graph.from_edges(edges, names=data.names)
        return Estimate(graph, certificate(optimum, sets), notes=self.notes(data))

    def _candidates(self, data: Dataset) -> _core.ParentSets | None:
        """Return all undominated parent sets; None if scoring takes half of the time limit."""
        seconds_left = time_left()
        deadline = (
            None if math.isinf(seconds_left) else time.monotonic() + _SCORING_SHARE * seconds_left
        )
        try:
            with watch(deadline=deadline):
                return candidate_families(self, data, self.prune)
        except OutOfTimeError:
            return None

    def _without_proof(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Return the DAG of an order search that scores the most promising parent sets alone."""
        estimate = run_inner_learner(self._order_search(data), data, rng)
        stats: dict[str, Statistic] = {"proven": False, "solver": "search over orders"}
        stats |= {name: estimate.stats[name] for name in ("score", "n_scores", "n_parent_sets")}
        stop_early()
        note = "the time limit came before all parent sets were scored: winasobs, without a bound"
        return Estimate(estimate.graph, stats, notes=(*estimate.notes, note))

    def _order_search(self, data: Dataset | None = None) -> WinAsobs:
        return WinAsobs(**self.for_search(data), patience=_PATIENCE)


def certificate(found: OptimalDag, sets: _core.ParentSets) -> dict[str, Statistic]:
    """Return the statistics that certify a DAG: score, bound, gap, solver."""
    return {
        "score": found.score,
        "bound": found.bound,
        "gap": found.gap,
        "proven": found.proven,
        "solver": found.solver,
        "cuts": found.cuts,
        "nodes": found.branches,
        "largest_component": found.largest,
        "n_scores": sets.scored,
        "n_parent_sets": sets.count(),
    }


def _require_choices(sets: _core.ParentSets, names: Sequence[str]) -> None:
    for name, found in zip(names, sets.lists(), strict=True):
        if not any(abs(score) < _OVERFLOW for score, _ in found):
            raise DataError(
                f"no parent set of {name} has a score: too few rows for its required edges, "
                "or a penalty beyond all numbers"
            )
