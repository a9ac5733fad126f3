"""Base class of learners in a search space of candidate parents."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.graphs import Graph, as_graph
from dagathlon.learners.background import starting_dag
from dagathlon.learners.base import Estimate
from dagathlon.learners.bayesian.search_space import ArcMatrix, check_size, space_of_graph
from dagathlon.learners.constraint.pc import Pc
from dagathlon.learners.independence import TestText
from dagathlon.learners.run import run_inner_learner
from dagathlon.learners.score.interventional import InterventionalScore
from dagathlon.learners.score.score_kinds import MARGINAL
from dagathlon.learners.start_graph import StartsFromGraph
from dagathlon.modules import Delegate, Natural, NonNegative
from dagathlon.posteriors.spaces import limits_in_words
from dagathlon.pulse import stage


class SearchSpace(NamedTuple):
    """A search space: candidate, other possible and required parents, from row to column.

    `notes` say how it was found, `words` which DAGs it has. Every parent set of at most `free`
    variables is in it too, whether they are candidates or not.
    """

    candidates: ArcMatrix
    extras: ArcMatrix
    required: ArcMatrix
    notes: tuple[str, ...] = ()
    words: str = ""
    free: int = 0


@dataclass(frozen=True, kw_only=True)
class PosteriorBased(InterventionalScore):
    """Base class of learners for which exp(score) is the posterior weight of a DAG.

    Parameters
    ----------
    score
        The score; null is bge for continuous, bde for discrete and bic-dg for mixed data.
    power
        Power to which the posterior is raised: below 1 a chain mixes more easily.
    """

    default_scores = MARGINAL
    extends_default = False

    power: NonNegative = 1.0


@dataclass(frozen=True, kw_only=True)
class SpaceBased(StartsFromGraph, PosteriorBased):
    """Base class of learners in a search space of candidate parents.

    Parameters
    ----------
    test
        Independence test of PC; null is cor, mi or wilks-dg as the data are continuous, discrete
        or mixed.
    directed_space
        Whether the search space follows the directions that PC finds; otherwise the skeleton makes
        each neighbour a candidate parent.
    plus_one
        Whether each node may have one additional parent from outside the search space.
    hard_limit
        Largest number of candidate parents of a node; null is 14, or 20 without the extra parent.
    """

    test: TestText | None = None
    directed_space: bool = False
    plus_one: bool = True
    hard_limit: Natural | None = None

    def problem(self) -> str:
        """Return a message if there are too many candidates for tables of all subsets."""
        if self.hard_limit is not None and self.hard_limit > _core.MAX_CANDIDATES:
            return (
                f"hard_limit: found {self.hard_limit}, expected at most {_core.MAX_CANDIDATES}: "
                "tables hold all subsets of the candidate parents"
            )
        pc = self.pc()
        return super().problem() or (pc.problem() if pc else "")

    @abstractmethod
    def level(self) -> float | None:
        """Return the significance level of PC, if PC finds the search space; None otherwise."""

    def limit(self) -> int:
        """Return the largest number of candidate parents."""
        return self.hard_limit or (14 if self.plus_one else _core.MAX_CANDIDATES)

    def space(self, data: Dataset, rng: np.random.Generator, start: Graph | None) -> SearchSpace:
        """Return the search space of the start graph or of PC, without forbidden arcs."""
        pc = self.pc()
        if start is None and pc is not None:
            with stage("looking for its search space by PC"):
                first, source = run_inner_learner(pc, data, rng), f"PC at alpha = {pc.alpha:g}"
        else:
            first, source = Estimate(as_graph(start)), "the start graph"
        forbidden, required = self.forbidden_and_required(data)
        candidates = space_of_graph(first.graph, data.names) & ~forbidden | required
        extras = ~forbidden & self.plus_one
        space = SearchSpace(candidates, extras, required, first.notes)
        plus = " or with one parent besides" if self.plus_one else ""
        limits = limits_in_words(forbidden, required, self.max_parents)
        words = f"DAGs{limits} whose parents are all neighbours in {source}{plus}"
        return self.checked(space._replace(words=words), data)

    def checked(self, space: SearchSpace, data: Dataset) -> SearchSpace:
        """Return the space unchanged; raise an error if it is too large."""
        check_size(space.candidates, self.plus_one, self.limit(), data.names)
        return space

    def forbidden_and_required(self, data: Dataset) -> tuple[ArcMatrix, ArcMatrix]:
        """Return the matrices of forbidden and of required arcs."""
        starting_dag(None, self.knowledge(data), data.names)  # required edges without a cycle
        forbidden, required = self.arc_matrices(data)
        np.fill_diagonal(forbidden, True)
        return forbidden, required

    def fill(
        self, tables: _core.ParentTables, score: _core.Score, space: SearchSpace
    ) -> _core.ParentTables:
        """Fill the score tables of a search space; nodes with equal candidates keep theirs."""
        most = self.max_parents or len(score)
        with stage("filling the tables of scores of its search space"):
            tables.fill(score, space.candidates, space.extras, space.required, most, space.free)
        return tables

    def delegates(self) -> tuple[Delegate, ...]:
        """Return the score, and PC if it finds the search space."""
        delegates, pc = super().delegates(), self.pc()
        return delegates if pc is None or self.input_algorithm_id is not None else (*delegates, pc)

    def pc(self) -> Pc | None:
        """PC if it finds the search space; None otherwise."""
        level = self.level()
        if level is None:
            return None
        return Pc(
            alpha=level,
            test=self.test,
            constraints=self.constraints,
            skeleton_only=not self.directed_space,
        )
