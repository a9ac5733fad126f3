"""Hybrid learners: a skeleton by independence tests, then the best DAG inside it by a score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np

from dagathlon.data.spec import DataFacts, DataKind
from dagathlon.errors import unknown
from dagathlon.graphs import Graph
from dagathlon.graphs.knowledge import Knowledge
from dagathlon.learners.assumptions import FAITHFUL, NO_HIDDEN
from dagathlon.learners.background import ArcMatrix
from dagathlon.learners.base import Estimate
from dagathlon.learners.constraint.constraint_based import ConstraintBased, MaxOrder
from dagathlon.learners.constraint.markov_blankets import FastIamb, Gs, Iamb, IambFdr, InterIamb
from dagathlon.learners.constraint.neighbourhoods import Hpc, Mmpc, SiHitonPc
from dagathlon.learners.independence import TestText, known_tests, named_test, problem_of_test
from dagathlon.learners.run import run_inner_learner
from dagathlon.learners.score.hill_climbing import GreedyDagSearch, HillClimbing, Tabu
from dagathlon.learners.score.score_based import ScoreBased
from dagathlon.modules import Delegate, Natural, Probability

if TYPE_CHECKING:
    from dagathlon.data import Dataset

Restrict: TypeAlias = Literal[
    "mmpc", "si_hiton_pc", "hpc", "gs", "iamb", "fast_iamb", "inter_iamb", "iamb_fdr"
]
Maximize: TypeAlias = Literal["hc", "tabu"]

_RESTRICT: dict[str, type[ConstraintBased]] = {
    learner.name: learner
    for learner in (Mmpc, SiHitonPc, Hpc, Gs, Iamb, FastIamb, InterIamb, IambFdr)
}
_MAXIMIZE: dict[str, type[GreedyDagSearch]] = {"hc": HillClimbing, "tabu": Tabu}
_BNLEARN = "Scutari 2010, Learning Bayesian networks with the bnlearn R package, JSS 35(3)"


@dataclass(frozen=True)
class _Confined(Knowledge):
    """Background knowledge that also forbids all edges outside a skeleton but the required ones.

    The pairs outside are many: they are cells of a matrix, never pairs of names.
    """

    skeleton: Graph = field(kw_only=True)

    def matrices(self, names: Sequence[str]) -> tuple[ArcMatrix, ArcMatrix]:
        """Return the matrices of forbidden and of required edges, from row to column."""
        forbidden, required = super().matrices(names)
        pairs, _ = self.skeleton.subgraph(names).edge_arrays()
        outside = ~np.eye(len(names), dtype=np.bool_)
        outside[pairs[:, 0], pairs[:, 1]] = outside[pairs[:, 1], pairs[:, 0]] = False
        return forbidden | (outside & ~required), required


@dataclass(frozen=True, kw_only=True)
class TwoStep(ScoreBased):
    """Base class of the hybrid learners: a skeleton learner, then a search inside the skeleton.

    Parameters
    ----------
    alpha
        Significance level of the tests that find the skeleton.
    test
        Independence test; null is cor, mi or wilks-dg as the data are continuous, discrete or
        mixed.
    replicates
        Number of permutations of the tests that use them; null is the test's own default.
    max_order
        Largest number of variables to condition on; null as in `pc`, inf is no limit.
    column_orders
        Number of searches inside the skeleton, as in `hc`.
    """

    assumes = (FAITHFUL, NO_HIDDEN)
    gives = "dag"
    anytime = True
    splits = True
    steps: ClassVar[tuple[Restrict, Maximize]]

    alpha: Probability = 0.05
    test: TestText | None = None
    replicates: Natural | None = None
    max_order: MaxOrder = None
    column_orders: Natural = 1

    def chosen(self) -> tuple[Restrict, Maximize]:
        """Return the names of the skeleton learner and of the search."""
        return self.steps

    def problem(self) -> str:
        """Return what is wrong with the parameters of the two learners; empty if nothing is."""
        if self.test is not None:
            problem = problem_of_test(self.test)
            if problem:
                return problem
            test = named_test(self.test)
            if test.deletes or test.imputes:  # no remedy for the score
                return unknown("independence test", self.test, known_tests())
        return super().problem()

    def accepted(self) -> frozenset[DataKind]:
        """Return the kinds of data that both the test and the score take."""
        return super().accepted() & self._restrictor().accepted()

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return why one of the two learners cannot use such data; empty if both can."""
        return super().why_unsuitable(data) or self._restrictor().why_unsuitable(data)

    def delegates(self) -> tuple[Delegate, ...]:
        """Return the two learners."""
        return (*super().delegates(), self._restrictor(), self._maximizer(Knowledge()))

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Learn the skeleton, then search inside it."""
        skeleton = run_inner_learner(self._restrictor(), data, rng)
        given = self.knowledge(data)
        inside_it = _Confined(given.forbidden, given.required, skeleton=skeleton.graph)
        maximizer = self._maximizer(inside_it)
        inside = run_inner_learner(maximizer, data, rng)
        notes = (*skeleton.notes, *inside.notes)
        return Estimate(inside.graph, {**skeleton.stats, **inside.stats}, notes=notes)

    def _restrictor(self) -> ConstraintBased:
        learner = _RESTRICT[self.chosen()[0]]
        parameters: dict[str, Any] = {
            "alpha": self.alpha,
            "test": self.test,
            "replicates": self.replicates,
            "max_order": self.max_order,
            "constraints": self.constraints,
            "undirected": True,
        }
        return learner(**parameters)

    def _maximizer(self, knowledge: Knowledge) -> GreedyDagSearch:
        settings = {"constraints": knowledge, "column_orders": self.column_orders}
        parameters: dict[str, Any] = self.for_search() | settings
        return _MAXIMIZE[self.chosen()[1]](**parameters)


@dataclass(frozen=True, kw_only=True)
class Mmhc(TwoStep):
    """Max-min hill climbing (MMHC): a skeleton by MMPC, then hill climbing inside it."""

    name = "mmhc"
    steps = ("mmpc", "hc")
    references = (_BNLEARN, "Tsamardinos, Brown and Aliferis 2006, Machine Learning 65")


@dataclass(frozen=True, kw_only=True)
class H2pc(TwoStep):
    """H2PC: a skeleton by hybrid parents and children (HPC), then hill climbing inside it."""

    name = "h2pc"
    steps = ("hpc", "hc")
    references = (_BNLEARN, "Gasse, Aussem and Elghazel 2014, Expert Systems with Applications 41")


@dataclass(frozen=True, kw_only=True)
class Rsmax2(TwoStep):
    """Any learner of a skeleton, then any search for a DAG inside it (rsmax2).

    Parameters
    ----------
    restrict
        Learner of the skeleton.
    maximize
        Search for the DAG.
    """

    name = "rsmax2"
    references = (_BNLEARN,)
    restrict: Restrict = "si_hiton_pc"
    maximize: Maximize = "hc"

    def chosen(self) -> tuple[Restrict, Maximize]:
        """Return the parameters `restrict` and `maximize`."""
        return self.restrict, self.maximize
