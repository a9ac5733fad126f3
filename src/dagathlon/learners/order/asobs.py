"""Order searches with cached parent sets: ASOBS and WINASOBS."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.learners.background import starting_dag
from dagathlon.learners.base import Estimate
from dagathlon.learners.score.score_based import ScoreBased
from dagathlon.learners.score.score_kinds import ScoreParameters, score_class, shared_scores
from dagathlon.learners.score.scores import native_score
from dagathlon.modules import Count, Delegate, Natural, NonNegative
from dagathlon.pulse import stop_early, time_left, watch

# Cost of reading one value of the data, in steps.
_READING = 10_000
# Largest share of a time limit spent on listing parent sets.
_LISTS_SHARE = 0.6
# No number of starts is needed if another stopping rule is set.
_NO_END = 2**40
_ASOBS = "Scanagatta, de Campos, Corani and Zaffalon 2015, NeurIPS"


@dataclass(frozen=True, kw_only=True)
class ParentSetOrderSearch(ScoreBased):
    """Base class of order searches in which each node takes its best parent set from a list.

    Parameters
    ----------
    max_parents
        Largest number of parents of a node; null is no limit.
    exploration
        Selection of parent sets for the lists: the most promising sets first by an approximation of
        bic (independence), or all sets that can be in a best DAG (all).
    explored
        With independence: number of sets of two or more parents that are scored for each node.
    work
        With independence: limit of the work for the lists in billions of steps; null is no limit.
        Each node has an equal share. A step is one row for one configuration of parents or one
        state of the child; reading the data takes 10,000 for each value. Sets of one parent are
        always scored. With 400 the lists are about those of BLIP after ten seconds.
    acyclic_selection
        Whether a node may take parents later in the order if that makes no cycle.
    starts
        Largest number of random orders to start from; null is 10000 for asobs and 100 for winasobs,
        or unlimited if `patience` or `seconds` is given.
    patience
        Number of consecutive starts without a better DAG after which the search ends; null is no
        such rule. It depends on the seed alone.
    seconds
        Seconds after which no new start is made; null is no limit. With a limit the same seed may
        give different results, since the number of starts depends on the machine.
    at_limit
        Result of a study's run at its time limit: a failure (fail), or the best DAG so far, marked
        as stopped early (best), which depends on the machine.
    """

    gives = "dag"
    anytime = True
    references: ClassVar[tuple[str, ...]] = (_ASOBS,)
    default_starts: ClassVar[int] = 10_000

    max_parents: Count | None = 6
    exploration: Literal["independence", "all"] = "independence"
    explored: Count = 5000
    work: NonNegative | None = None
    acyclic_selection: bool = True
    starts: Natural | None = None
    patience: Natural | None = None
    seconds: NonNegative | None = None
    at_limit: Literal["fail", "best"] = "fail"

    def keeps_to_limit(self) -> bool:
        """Return whether a stopped run ends with a result, as `at_limit` says."""
        return self.at_limit == "best"

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """List the parent sets, search over orders, and return the best DAG."""
        starting_dag(None, self.knowledge(data), data.names)  # required edges without a cycle
        sets, is_cut = self._parent_sets(data)
        ends = self.patience is not None or self.seconds is not None
        starts = self.starts or (_NO_END if ends else self.default_starts)
        how = _core.WindowSearch(
            starts=starts,
            patience=self.patience or 0,
            window=self._window(),
            acyclic_selection=self.acyclic_selection,
            seconds=0.0 if self.seconds is None else max(self.seconds, 1e-9),
            seed=int(rng.integers(2**63)),
        )
        score, parents, used, moves = _core.window_search(sets, how)
        if not math.isfinite(score):
            raise DataError("no order was found in which the required edges have a score")
        edges = [(data.names[x], data.names[j]) for j, found in enumerate(parents) for x in found]
        stats = {
            "score": score,
            "n_scores": sets.scored,
            "n_parent_sets": sets.count(),
        }
        if is_cut:
            stop_early()
        if self.seconds is None:  # the result of a limited time depends on the machine
            stats |= {"starts": used, "moves": moves}
        return Estimate(Graph.from_edges(edges, names=data.names), stats, notes=self.notes(data))

    def delegates(self) -> tuple[Delegate, ...]:
        """Return the score, and the score that guides the exploration of parent sets."""
        return (*super().delegates(), *shared_scores(self.default_scores.values()))

    def _window(self) -> int:
        """Return the size of the largest window that is moved; 0 for random orders alone."""
        return 0

    def _parent_sets(self, data: Dataset) -> tuple[_core.ParentSets, bool]:
        """Return the lists of parent sets, and whether a time limit shortened them."""
        if self.exploration == "all":
            score, limits = self.native_score(data), self.limits(data)
            return _core.enumerate_parent_sets(score, limits, True), False
        seconds_left = time_left()
        deadline = (
            None if math.isinf(seconds_left) else time.monotonic() + _LISTS_SHARE * seconds_left
        )
        with watch(deadline=deadline) as watched:
            sets = self._explore(data)
        return sets, watched.stopped_early

    def _explore(self, data: Dataset) -> _core.ParentSets:
        """Explore parent sets by independence selection."""
        score, extra = self.native_score(data), score_class(self.chosen_score(data)).extra_states
        has_score = extra is not None
        guide = (
            score if has_score else native_score(data, self.default_score(data), ScoreParameters())
        )
        states = list(data.arities) if data.is_discrete else []
        levels = [n + (extra or 0) for n in states]
        work = self._work_per_table(len(data), len(data.names))
        budget = _core.ExplorationBudget(sets=self.explored, work=work, levels=states)
        limits, penalty = self.limits(data), 0.5 * math.log(len(data))
        return _core.explore_parent_sets(score, guide, limits, budget, penalty, levels)

    def _work_per_table(self, rows: int, columns: int) -> float:
        """Return the limit on configurations times states of all tables of one node."""
        if self.work is None:
            return math.inf
        return max(1e9 * self.work / (rows * columns) - _READING, 0.0)


@dataclass(frozen=True, kw_only=True)
class Asobs(ParentSetOrderSearch):
    """Acyclic selection OBS (ASOBS): the best of many random orders, with cached parent sets."""

    name = "asobs"


@dataclass(frozen=True, kw_only=True)
class WinAsobs(ParentSetOrderSearch):
    """ASOBS with window moves (WINASOBS): blocks of neighbours in the order are moved.

    Parameters
    ----------
    window
        Largest number of neighbours that are moved together; larger windows are tried if smaller
        ones bring no improvement.
    """

    name = "winasobs"
    references = (
        _ASOBS,
        "Scanagatta, Corani and Zaffalon 2017, PMLR 73",
        "Scanagatta, Corani, de Campos and Zaffalon 2018, Machine Learning 107",
    )
    default_starts = 100
    window: Natural = 5

    def _window(self) -> int:
        return self.window
