"""Greedy searches over DAGs: hill climbing and tabu search."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.errors import OutOfTimeError
from dagathlon.graphs import Graph
from dagathlon.learners.background import starting_dag
from dagathlon.learners.base import Estimate
from dagathlon.learners.score.score_based import ROUNDING, ScoreBased, result_stats
from dagathlon.learners.score.stable_order import stable_order
from dagathlon.learners.start_graph import StartsFromGraph
from dagathlon.modules import Count, Natural
from dagathlon.pulse import best_so_far, part, until_deadline
from dagathlon.threads import side_by_side

_NO_LIMIT = 2**62


class _SearchResult(NamedTuple):
    """The DAG that a search found, with its statistics."""

    graph: Graph
    stats: dict[str, float | int]

    def better_of(self, other: _SearchResult) -> _SearchResult:
        """Return the result of higher score, with the summed steps of both."""
        rises = other.stats["score"] - self.stats["score"] > ROUNDING
        sums = {key: self.stats[key] + other.stats[key] for key in ("steps", "n_scores")}
        best = other if rises else self
        return _SearchResult(best.graph, {**best.stats, **sums})


class _PlannedSearch(NamedTuple):
    """A planned search: its order of the columns and its random seed."""

    order: Sequence[str]
    seed: int
    is_first: bool


@dataclass(frozen=True, kw_only=True)
class GreedyDagSearch(StartsFromGraph, ScoreBased):
    """Base class of searches over DAGs that add, remove and reverse one arc at a time.

    Parameters
    ----------
    max_iter
        Largest number of steps; null is no limit.
    stable
        Whether the result must not depend on the order of the columns. Otherwise arcs of equal
        score, such as the two directions of a first arc, are chosen by the order of the columns.
    column_orders
        Number of searches, each with another order of the columns and hence other choices among
        equal arcs: the first in the order of the data, the others in random ones. The result of
        highest score is returned.
    """

    gives = "dag"
    anytime = True
    splits = True
    max_iter: Count | None = None
    stable: bool = False
    column_orders: Natural = 1

    def learn(
        self, data: Dataset, rng: np.random.Generator, start: Graph | None = None
    ) -> Estimate:
        """Search from `start`, or from the graph of the required edges alone."""
        columns = stable_order(data) if self.stable else data.names

        def found_in(planned: _PlannedSearch) -> _SearchResult:
            # If all searches are cut short, only the first one returns its best so far.
            with nullcontext() if planned.is_first else part():
                return self._search_in(planned, data, start)

        best: _SearchResult | None = None
        with until_deadline():
            for found in side_by_side(found_in, self._plans(columns, rng), self.column_orders):
                best = found if best is None else best.better_of(found)
                if best_so_far():
                    break
        if best is None:
            raise OutOfTimeError("the time limit came before the first search")
        return Estimate(best.graph.subgraph(data.names), best.stats, notes=self.notes(data))

    def _plans(self, columns: Sequence[str], rng: np.random.Generator) -> Iterator[_PlannedSearch]:
        yield _PlannedSearch(columns, self.seed_of_search(rng), is_first=True)
        for _ in range(1, self.column_orders):
            order = [columns[k] for k in rng.permutation(len(columns))]
            yield _PlannedSearch(order, self.seed_of_search(rng), is_first=False)

    def _search_in(
        self, planned: _PlannedSearch, data: Dataset, start: Graph | None
    ) -> _SearchResult:
        in_order = tuple(planned.order) == data.names
        table = data if in_order else data.select(planned.order)
        dag = starting_dag(start, self.knowledge(data), table.names)
        score, limits = self.native_score(table), self.limits(table)
        result = self.search(score, limits, dag.native, planned.seed)
        return _SearchResult(Graph.from_native(table.names, result.dag), result_stats(result))

    def gains_by_threads(self) -> bool:
        """Return whether there are several searches, which is the work that splits well."""
        return self.column_orders > 1

    def seed_of_search(self, rng: np.random.Generator) -> int:
        """Return the random seed of one search; a constant for a search without randomness."""
        return 0

    @abstractmethod
    def search(
        self,
        score: _core.Score,
        limits: _core.SearchLimits,
        start: _core.MarkedGraph,
        seed: int,
    ) -> _core.SearchResult:
        """Run the native search with any score."""

    def _max_steps(self) -> int:
        return _NO_LIMIT if self.max_iter is None else self.max_iter


@dataclass(frozen=True, kw_only=True)
class HillClimbing(GreedyDagSearch):
    """Hill climbing over DAGs: the best change of one arc until none improves the score.

    Parameters
    ----------
    restart
        Number of random restarts from the best graph so far.
    perturb
        Number of random changes of the graph at each restart.
    """

    name = "hc"
    references = ("Scutari 2010, Learning Bayesian networks with the bnlearn R package, JSS 35(3)",)
    restart: Count = 0
    perturb: Count = 1

    def seed_of_search(self, rng: np.random.Generator) -> int:
        """Return a random seed if there are restarts."""
        return int(rng.integers(2**63)) if self.restart else 0

    def search(
        self,
        score: _core.Score,
        limits: _core.SearchLimits,
        start: _core.MarkedGraph,
        seed: int,
    ) -> _core.SearchResult:
        """Run native hill climbing with any score."""
        how = _core.HillClimbing(
            max_steps=self._max_steps(),
            restarts=self.restart,
            perturbations=self.perturb,
            seed=seed,
        )
        return _core.hill_climb(score, limits, start, how)


def hill_climbing_dag(learner: ScoreBased, data: Dataset) -> tuple[Graph, float]:
    """Return the DAG of plain hill climbing with a learner's score and limits, and its score.

    For searches whose result must not score lower.
    """
    start = starting_dag(None, learner.knowledge(data), data.names).native
    how = _core.HillClimbing(max_steps=_NO_LIMIT, restarts=0, perturbations=0, seed=0)
    result = _core.hill_climb(learner.native_score(data), learner.limits(data), start, how)
    return Graph.from_native(data.names, result.dag), result.score


@dataclass(frozen=True, kw_only=True)
class Tabu(GreedyDagSearch):
    """Tabu search: hill climbing that leaves local maxima and avoids recently visited graphs.

    Parameters
    ----------
    tabu
        Length of the tabu list: number of recently visited graphs that are excluded.
    max_tabu
        Number of non-improving steps since the best graph after which the search ends; null is the
        length of the tabu list.
    """

    name = "tabu"
    references = HillClimbing.references
    tabu: Natural = 10
    max_tabu: Natural | None = None

    def search(
        self,
        score: _core.Score,
        limits: _core.SearchLimits,
        start: _core.MarkedGraph,
        seed: int,
    ) -> _core.SearchResult:
        """Run native tabu search with any score."""
        patience = self.tabu if self.max_tabu is None else self.max_tabu
        return _core.tabu_search(score, limits, start, self._max_steps(), self.tabu, patience)
