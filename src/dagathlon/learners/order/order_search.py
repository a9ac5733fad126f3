"""Searches over orders of the variables: BOSS and GRaSP."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated, TypeAlias

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.graphs import Graph, cpdag
from dagathlon.learners.background import direct_by_knowledge, starting_dag
from dagathlon.learners.base import Estimate, Statistic
from dagathlon.learners.score.hill_climbing import HillClimbing, hill_climbing_dag
from dagathlon.learners.score.score_based import ROUNDING, ScoreBased
from dagathlon.modules import Count, Delegate, Natural, Range, SharedCode

# One start often ends at a local maximum; random orders of many variables take long.
_STARTS, _FEW_VARIABLES = 10, 50
_FEWER_STARTS, _MORE_VARIABLES = 3, 100
# All ten starts end on a plateau for one in a few hundred column orders of five variables.
_MORE_STARTS, _FEWEST_VARIABLES = 40, 10
# Version 3 makes forty starts for up to ten variables.
_STARTS_OF_BOSS = SharedCode("choice", "starts_of_boss", 3)


@dataclass(frozen=True, kw_only=True)
class OrderSearch(ScoreBased):
    """Base class of searches for the order whose best DAG has the highest score.

    Parameters
    ----------
    starts
        Number of starts: the first with the order of the columns, the others with random orders.
        Null is ten up to 50 variables and one beyond; for boss forty up to ten variables, ten up
        to 50, three up to 100, and one beyond.
    climb
        Whether the search also starts at the order of the DAG that hill climbing finds, and gives
        that DAG's class if no order leads to a higher score. The published searches do not.
    max_parents
        Largest number of parents when parents are added; null is no limit.
    """

    gives = "cpdag"
    anytime = True
    starts: Natural | None = None
    climb: bool = False

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Search, and return the equivalence class of the best DAG."""
        dag, stats = self.best_dag(data, rng)
        graph = direct_by_knowledge(cpdag(dag), self.knowledge(data))
        return Estimate(graph, stats, notes=self.notes(data))

    def best_dag(
        self, data: Dataset, rng: np.random.Generator
    ) -> tuple[Graph, dict[str, Statistic]]:
        """Return the best DAG found, with its score and the number of steps."""
        starting_dag(None, self.knowledge(data), data.names)  # required edges without a cycle
        seed = int(rng.integers(2**63))
        given, least = hill_climbing_dag(self, data) if self.climb else (None, -math.inf)
        starts = self._starts(len(data.names), given, seed)
        result = self._search(self.native_score(data), self.limits(data), starts)
        if given is not None and least > result.score + ROUNDING:
            return given, {"score": least, "steps": result.steps}
        stats: dict[str, Statistic] = {"score": result.score, "steps": result.steps}
        return Graph.from_native(data.names, result.dag), stats

    def delegates(self) -> tuple[Delegate, ...]:
        """Return the score, and hill climbing if its result is a start."""
        return (*super().delegates(), *((HillClimbing(score=self.score),) if self.climb else ()))

    def _starts(self, variables: int, given: Graph | None, seed: int) -> _core.OrderStarts:
        count = self.starts or self._default_starts(variables)
        orders = [] if given is None else [_core.topological_order(given.native)]
        return _core.OrderStarts(count=count, given=orders, seed=seed)

    @abstractmethod
    def _default_starts(self, variables: int) -> int:
        """Return the default number of starts."""

    @abstractmethod
    def _search(
        self, score: _core.Score, limits: _core.SearchLimits, starts: _core.OrderStarts
    ) -> _core.SearchResult:
        """Run the native search."""


@dataclass(frozen=True, kw_only=True)
class Boss(OrderSearch):
    """Best order score search (BOSS): each variable in turn moves to its best place.

    Parameters
    ----------
    backward
        Whether the backward phase of GES follows, and the search continues from its result.
    random
        Whether variables are moved in random order.
    """

    name = "boss"
    splits = True
    references = ("Andrews, Ramsey, Sanchez Romero, Camchong and Kummerfeld 2023, NeurIPS",)
    backward: bool = False
    random: bool = False

    def delegates(self) -> tuple[Delegate, ...]:
        """Return the modules that the search relies on, with the rule for its number of starts."""
        return (*super().delegates(), *((_STARTS_OF_BOSS,) if self.starts is None else ()))

    def _default_starts(self, variables: int) -> int:
        if variables <= _FEW_VARIABLES:
            return _MORE_STARTS if variables <= _FEWEST_VARIABLES else _STARTS
        return _FEWER_STARTS if variables <= _MORE_VARIABLES else 1

    def _search(
        self, score: _core.Score, limits: _core.SearchLimits, starts: _core.OrderStarts
    ) -> _core.SearchResult:
        return _core.boss(score, limits, self.backward, self.random, starts)


# Largest depth of tucks, bounded by the stack of the recursion.
Tucks: TypeAlias = Annotated[int, Range(1, 1000)]


@dataclass(frozen=True, kw_only=True)
class Grasp(OrderSearch):
    """Greedy relaxations of the sparsest permutation (GRaSP): edges are reversed by tucks.

    Parameters
    ----------
    depth
        Largest number of consecutive tucks that leave the score unchanged.
    uncovered_depth
        Number of first tucks that may be of uncovered edges; 0 is GRaSP0.
    nonsingular_depth
        Number of first tucks that may change more than one edge; 0 with `uncovered_depth` above 0
        is GRaSP1, both above 0 are GRaSP2.
    """

    name = "grasp"
    references = ("Lam, Andrews and Ramsey 2022, UAI",)
    depth: Tucks = 3
    uncovered_depth: Count = 1
    nonsingular_depth: Count = 1

    def _default_starts(self, variables: int) -> int:
        return _STARTS if variables <= _FEW_VARIABLES else 1

    def _search(
        self, score: _core.Score, limits: _core.SearchLimits, starts: _core.OrderStarts
    ) -> _core.SearchResult:
        how = _core.Grasp(
            depth=self.depth,
            uncovered_depth=self.uncovered_depth,
            nonsingular_depth=self.nonsingular_depth,
            starts=starts,
        )
        return _core.grasp(score, limits, how)
