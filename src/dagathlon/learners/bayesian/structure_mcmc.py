"""Markov chains over DAGs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.errors import OutOfTimeError
from dagathlon.graphs import Graph
from dagathlon.learners.background import starting_dag
from dagathlon.learners.base import Estimate
from dagathlon.learners.bayesian.dag_sampling import DagSampler, steps_for
from dagathlon.learners.bayesian.search_space import first_candidates
from dagathlon.learners.start_graph import StartsFromGraph
from dagathlon.modules import Natural, Probability
from dagathlon.posteriors.spaces import all_dags
from dagathlon.pulse import best_so_far


@dataclass(frozen=True, kw_only=True)
class StructureMcmc(StartsFromGraph, DagSampler):
    """Structure MCMC: a Markov chain over DAGs that adds, removes or reverses one arc at a time.

    Some steps reverse an edge and draw new parents for both of its ends by their weights, which
    moves the chain between distant DAGs. It covers all DAGs.

    Parameters
    ----------
    reversals
        Share of the steps that reverse an edge and draw new parents; 0 is the chain of Madigan and
        York, which mixes slowly.
    candidates
        Number of candidate parents, chosen by the score, among which new parents are drawn; null is
        all up to 15 variables, and 10 beyond. With few candidates such steps are rarer, but every
        DAG stays reachable.
    """

    name = "structure_mcmc"
    version = 3
    references = (
        "Madigan and York 1995, International Statistical Review 63",
        "Grzegorczyk and Husmeier 2008, Improving the structure MCMC sampler, ML 71",
    )

    reversals: Probability = 0.2
    candidates: Natural | None = None

    def problem(self) -> str:
        """Return a message if there are too many candidates for tables of all subsets."""
        if self.candidates is not None and self.candidates > _core.MAX_CANDIDATES:
            return f"candidates: found {self.candidates}, expected at most {_core.MAX_CANDIDATES}"
        return super().problem()

    def default_iterations(self, p: int) -> int:
        """Return the default number of steps: five times that of partition MCMC."""
        return 5 * steps_for(p)

    def learn(
        self, data: Dataset, rng: np.random.Generator, start: Graph | None = None
    ) -> Estimate:
        """Sample from `start`, or from the graph of the required edges alone."""
        dag = starting_dag(start, self.knowledge(data), data.names)
        score, limits = self.native_score(data), self.limits(data)
        tables, reversals = self._reversals(score, data)
        length = self.length(len(data.names))
        seed = int(rng.integers(2**63))
        logs = [
            _core.structure_chain(
                score, limits, dag.native, tables, reversals, length.options(seed, number)
            )
            for number in range(self.chains)
        ]
        words = all_dags(*self.arc_matrices(data), self.max_parents)
        return self.result(logs, data, length, words)

    def _reversals(self, score: _core.Score, data: Dataset) -> tuple[_core.ParentTables, float]:
        """Return the tables and the probability of edge reversals; 0 where there are no tables."""
        try:
            return self._tables(score, data), self.reversals
        except OutOfTimeError:
            if not best_so_far():
                raise
            return _core.ParentTables(self.power, _core.Summary.sum), 0.0

    def _tables(self, score: _core.Score, data: Dataset) -> _core.ParentTables:
        """Return the tables of parent sets for edge reversals."""
        tables = _core.ParentTables(self.power, _core.Summary.sum)
        if not self.reversals or not data.names:
            return tables
        forbidden, required = self.arc_matrices(data)
        np.fill_diagonal(forbidden, True)
        p = len(data.names)
        count = self.candidates or (p if p <= _MOST_COMPLETE else _CANDIDATES)
        chosen = first_candidates(score, forbidden, required, count)
        nothing = np.zeros_like(chosen)
        tables.fill(score, chosen, nothing, required, self.max_parents or p, 0)
        return tables


_MOST_COMPLETE = 15
_CANDIDATES = 10
