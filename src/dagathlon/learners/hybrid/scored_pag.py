"""Base class of learners of PAGs that begin with a score-based search."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dagathlon import _core
from dagathlon.data.spec import DataKind
from dagathlon.graphs import Graph
from dagathlon.learners.assumptions import FAITHFUL
from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.constraint.constraint_based import MaxOrder
from dagathlon.learners.constraint.fci import TESTS_OF_RFCI, Rfci
from dagathlon.learners.constraint.test_counter import TestCounter
from dagathlon.learners.independence import IndependenceTest, TestText
from dagathlon.learners.run import run_inner_learner
from dagathlon.learners.score.score_based import ScoreBased
from dagathlon.learners.score.score_kinds import CRITERIA, DefaultScores
from dagathlon.modules import Delegate, Natural, Probability
from dagathlon.pulse import part

if TYPE_CHECKING:
    import numpy as np

    from dagathlon.data import Dataset


@dataclass(frozen=True, kw_only=True)
class ScoredPag(ScoreBased):
    """Base class of learners that find a class of DAGs by score and refine it to a PAG by tests.

    Parameters
    ----------
    score
        Score to maximise; null is bic, sem-bic or bic-dg as the data are discrete, continuous or
        mixed.
    max_parents
        Must be null: a PAG has no number of parents.
    alpha
        Significance level of the tests.
    test
        Independence test; null is cor, mi or wilks-dg as the data are continuous, discrete or
        mixed.
    replicates
        Number of permutations of the tests that use them; null is the test's own default.
    max_order
        Largest number of variables to condition on; null as in `pc`, inf is no limit.
    selection
        Whether selection bias is possible: rules 5 to 7, which find tails at both ends.
    """

    assumes = (FAITHFUL,)
    gives = "pag"
    # Tetrad's score for continuous data.
    default_scores: ClassVar[DefaultScores] = {**CRITERIA, "continuous": "sem-bic"}

    alpha: Probability = 0.01
    test: TestText | None = None
    replicates: Natural | None = None
    max_order: MaxOrder = None
    selection: bool = True

    def problem(self) -> str:
        """Return a message if the test is unknown or a limit has no effect; empty otherwise."""
        if self.max_parents is not None:
            return (
                f"{self.name} has no max_parents, for a PAG does not say how many there are; "
                f"{self._other_limit()}"
            )
        return self.tester().problem() or super().problem()

    def _other_limit(self) -> str:
        return "set max_order, which limits the tests"

    def accepted(self) -> frozenset[DataKind]:
        """Return the kinds of data that both the test and the score take."""
        return super().accepted() & self.tester().accepted()

    def delegates(self) -> tuple[Delegate, ...]:
        """Return the score-based search, and the tests and knowledge of RFCI."""
        return (*super().delegates(), self.search(), *self.tester().delegates(), TESTS_OF_RFCI)

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Search by score, then test and direct edges."""
        with part():
            scored = run_inner_learner(self.search(data), data, rng)
        estimate = self.learn_with(self.tester().make_test(data, rng), scored.graph)
        notes = (*scored.notes, *estimate.notes)
        return Estimate(estimate.graph, {**estimate.stats, **scored.stats}, notes=notes)

    def learn_with(self, test: IndependenceTest, scored: Graph) -> Estimate:
        """Correct the CPDAG of a score-based search by any test."""
        questions = TestCounter(test)
        options = self.tester().options(test.names)
        graph, *_ = _core.gfci(test.native, scored.native, options, self.score_use())
        return questions.estimate(Graph._of(test.names, graph))

    def score_use(self) -> _core.ScoreUse:
        """Return how the class found by score is used for colliders."""
        return _core.ScoreUse()

    @abstractmethod
    def search(self, data: Dataset | None = None) -> Learner:
        """Return the score-based search."""

    def tester(self) -> Rfci:
        """Return an RFCI with this learner's test and background knowledge."""
        return Rfci(
            alpha=self.alpha,
            test=self.test,
            replicates=self.replicates,
            max_order=self.max_order,
            constraints=self.constraints,
            selection=self.selection,
        )
