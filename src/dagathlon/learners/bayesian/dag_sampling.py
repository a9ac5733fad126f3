"""What the samplers of DAGs have in common: the search space, the chains, their diagnostics."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.graphs import Graph, as_graph
from dagathlon.learners.attempt import attempt_inside
from dagathlon.learners.background import starting_dag
from dagathlon.learners.base import Estimate, Sampler
from dagathlon.learners.bayesian.search_space import (
    ArcMatrix,
    check_size,
    first_order,
    space_of_graph,
)
from dagathlon.learners.constraint.pc import Pc
from dagathlon.learners.score.interventional import InterventionalScore
from dagathlon.learners.score.score_kinds import MARGINAL
from dagathlon.learners.start_graph import StartsFromGraph
from dagathlon.modules import Count, Delegate, Natural, NonNegative, Probability
from dagathlon.posteriors.chain import Chain
from dagathlon.posteriors.convergence import chain_stats
from dagathlon.posteriors.edits import Edits
from dagathlon.posteriors.posterior import Posterior

_SAVED_STATES = 1000


class SearchSpace(NamedTuple):
    """A search space: candidate, other possible and required parents, from row to column.

    With what is to be known of how it was found.
    """

    candidates: ArcMatrix
    extras: ArcMatrix
    required: ArcMatrix
    notes: tuple[str, ...] = ()


class RunLength(NamedTuple):
    """Steps of a chain, and steps between two states that are saved."""

    iterations: int
    stepsave: int

    @property
    def saved(self) -> int:
        """Number of saved states; the first one is the start."""
        return self.iterations // self.stepsave + 1

    def options(self, seed: int, stream: int) -> _core.ChainOptions:
        """A native chain of this length, on one of the seed's streams of random numbers."""
        return _core.ChainOptions(
            iterations=self.iterations, stepsave=self.stepsave, seed=seed, stream=stream
        )

    def made(self, saved: int) -> int:
        """Number of steps of a chain with so many saved states, fewer at a deadline."""
        return self.iterations if saved == self.saved else (saved - 1) * self.stepsave


@dataclass(frozen=True, kw_only=True)
class PosteriorBased(InterventionalScore):
    """A learner for which the exponential of the score is the posterior weight of a DAG.

    Parameters
    ----------
    score
        The score; null is bge for continuous, bde for discrete and bic-dg for mixed data.
    power
        Power to which the posterior is raised: below 1 a chain moves more easily.
    """

    default_scores = MARGINAL
    extends_default = False

    power: NonNegative = 1.0


@dataclass(frozen=True, kw_only=True)
class SpaceBased(StartsFromGraph, PosteriorBased):
    """A learner inside a search space of candidate parents.

    Parameters
    ----------
    alpha
        Significance level of PC, which finds the search space where no start graph is given.
    test
        Independence test of PC; null is cor, mi or wilks-dg as the data are continuous, discrete
        or mixed.
    directed_space
        Whether the search space follows the directions that PC finds; otherwise the skeleton makes
        each neighbour a candidate parent.
    plus_one
        Whether each node may have one parent more from outside the search space.
    hard_limit
        Largest number of candidate parents of a node; null is 14, or 20 without the extra parent.
    """

    alpha: Probability = 0.05
    test: str | None = None
    directed_space: bool = False
    plus_one: bool = True
    hard_limit: Natural | None = None

    def problem(self) -> str:
        """All subsets of the candidates go into a table."""
        if self.hard_limit is not None and self.hard_limit > _core.MAX_CANDIDATES:
            return (
                f"hard_limit: found {self.hard_limit}, expected at most {_core.MAX_CANDIDATES}: "
                "tables hold all subsets of the candidate parents"
            )
        return super().problem() or self._pc().problem()

    def limit(self) -> int:
        """Largest number of candidate parents."""
        return self.hard_limit or (14 if self.plus_one else _core.MAX_CANDIDATES)

    def space(self, data: Dataset, rng: np.random.Generator, start: Graph | None) -> SearchSpace:
        """The search space: of the start graph, or of PC, without forbidden arcs."""
        first = (
            attempt_inside(self._pc(), data, rng) if start is None else Estimate(as_graph(start))
        )
        forbidden, required = self.forbidden_and_required(data)
        candidates = space_of_graph(first.graph, data.names) & ~forbidden | required
        extras = ~forbidden & self.plus_one
        return self.checked(SearchSpace(candidates, extras, required, first.notes), data)

    def checked(self, space: SearchSpace, data: Dataset) -> SearchSpace:
        """The same space, unless it is too large."""
        check_size(space.candidates, self.plus_one, self.limit(), data.names)
        return space

    def forbidden_and_required(self, data: Dataset) -> tuple[ArcMatrix, ArcMatrix]:
        """Arcs that no DAG, and those that every DAG has."""
        starting_dag(None, self.knowledge(data), data.names)  # required edges without a cycle
        forbidden, required = self.arc_matrices(data)
        np.fill_diagonal(forbidden, True)
        return forbidden, required

    def fill(
        self, tables: _core.ParentTables, score: _core.Score, space: SearchSpace
    ) -> _core.ParentTables:
        """Tables of a search space; those of nodes with the same candidates are kept."""
        most = self.max_parents or len(score)
        tables.fill(score, space.candidates, space.extras, space.required, most)
        return tables

    def delegates(self) -> tuple[Delegate, ...]:
        """The score, and PC where it makes the search space."""
        own = super().delegates()
        return own if self.input_algorithm_id is not None else (*own, self._pc())

    def _pc(self) -> Pc:
        return Pc(
            alpha=self.alpha,
            test=self.test,
            constraints=self.constraints,
            skeleton_only=not self.directed_space,
        )


@dataclass(frozen=True, kw_only=True)
class DagSampler(PosteriorBased, Sampler):
    """A sampler of DAGs.

    Parameters
    ----------
    iterations
        Number of steps of a chain; null is a number that grows with the number of variables.
    stepsave
        Number of steps between two states that are saved; null saves 1000 in all.
    chains
        Number of independent chains.
    """

    gives = "chain"
    anytime = True

    iterations: Count | None = None
    stepsave: Natural | None = None
    chains: Natural = 1

    def length(self, p: int) -> RunLength:
        """How long the chains of p variables are."""
        steps = self.default_iterations(p) if self.iterations is None else self.iterations
        every = self.stepsave or max(steps // _SAVED_STATES, 1)
        return RunLength(steps, min(every, max(steps, 1)))

    @abstractmethod
    def default_iterations(self, p: int) -> int:
        """Number of steps for p variables where none is given."""

    def is_search(self) -> bool:
        """Whether the chains only look for the best graph; they then converge to nothing."""
        return False

    def result(self, logs: Sequence[_core.ChainLog], data: Dataset, length: RunLength) -> Estimate:
        """The chains, their best graph, and what is known about convergence."""
        # Chains run one after the other: a deadline leaves the last ones shorter, or empty.
        saved = max(len(log) for log in logs)
        chains = [closed_chain(log, data.names) for log in logs if len(log) == saved]
        stats = {
            "score": max(float(chain.score.max()) for chain in chains),
            "iterations": length.made(saved),
            **({} if self.is_search() else chain_stats(chains)),
        }
        posterior = Posterior(chains)
        return Estimate(posterior.map(), stats, posterior)


def thousands(steps: float) -> int:
    """Rounded down to thousands."""
    return math.floor(steps / 1000) * 1000


def squared_log(p: int) -> float:
    """The growth of chains that the literature recommends: p² log p."""
    return p * p * math.log(p) if p > 0 else 0.0


def starting_orders(required: ArcMatrix, chains: int, rng: np.random.Generator) -> list[list[int]]:
    """The order of the columns for the first chain, random ones for the others."""
    p = len(required)
    preferences = [np.arange(p), *(rng.permutation(p) for _ in range(chains - 1))]
    return [first_order(required, order.tolist()) for order in preferences]


def closed_chain(log: _core.ChainLog, names: Sequence[str]) -> Chain:
    """A native chain, closed after its last state."""
    score = log.score.ravel()
    return Chain(
        names,
        True,
        index=np.append(log.index.ravel(), len(log)),
        score=np.append(score, score[-1]),
        added=_edits(log.added, log.added_starts),
        removed=_edits(log.removed, log.removed_starts),
    )


def _edits(pairs: np.ndarray, starts: np.ndarray) -> Edits:
    return Edits(pairs.astype(np.int32), np.append(starts.ravel(), len(pairs)).astype(np.int64))
