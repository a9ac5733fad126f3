"""GFCI: a score finds the edges, tests and the rules of FCI correct and direct them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from dagathlon import _core
from dagathlon.data.facts import DataKind
from dagathlon.graphs import Graph
from dagathlon.learners.assumptions import FAITHFUL
from dagathlon.learners.attempt import attempt_inside
from dagathlon.learners.base import Estimate
from dagathlon.learners.constraint.constraint_based import MaxOrder
from dagathlon.learners.constraint.fci import Rfci
from dagathlon.learners.constraint.open_questions import Questions
from dagathlon.learners.independence import IndependenceTest
from dagathlon.learners.score.equivalence_search import Fges
from dagathlon.learners.score.score_based import ScoreBased
from dagathlon.learners.score.score_kinds import CRITERIA, DefaultScores
from dagathlon.modules import Delegate, Natural, Probability
from dagathlon.pulse import part

if TYPE_CHECKING:
    import numpy as np

    from dagathlon.data import Dataset


@dataclass(frozen=True, kw_only=True)
class Gfci(ScoreBased):
    """Greedy fast causal inference: a PAG from a greedy equivalence search and few tests.

    The class of DAGs of highest score has an edge wherever there is one with latent variables, and
    more: those inside triangles are tested, given neighbours. Where the score has no edge between
    the ends of a triple it decides whether the middle is a collider; tests decide the others.

    Parameters
    ----------
    score
        Score to maximise; null is bic, sem-bic or bic-dg as the data are discrete, continuous or
        mixed.
    max_parents
        Refused: a PAG has no number of parents; use max_degree.
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
        Whether selection effects are possible: rules 5 to 7, which find tails at both ends.
    faithfulness
        Whether the search never joins two variables that are not dependent by themselves.
    max_degree
        Largest number of edges at a node in the search; null is no limit.
    like
        Program whose search this is: tetrad-6 (r-causal 1.1) has its fges, tries sets of neighbours
        in the graph of the score whatever was removed since, and keeps two arrows of that graph
        into one node also where their tails are joined. Null is ours.
    """

    assumes = (FAITHFUL,)
    name = "gfci"
    gives = "pag"
    references = (
        "Ogarrio, Spirtes and Ramsey 2016, A hybrid causal search algorithm for latent variable "
        "models, PGM (PMLR 52)",
    )
    # Tetrad's score for continuous data.
    default_scores: ClassVar[DefaultScores] = {**CRITERIA, "continuous": "sem-bic"}

    alpha: Probability = 0.01
    test: str | None = None
    replicates: Natural | None = None
    max_order: MaxOrder = None
    selection: bool = True
    faithfulness: bool = True
    max_degree: Natural | None = None
    like: Literal["tetrad-6"] | None = None

    def problem(self) -> str:
        """The test must be known, and no limit be set that the result cannot keep."""
        if self.max_parents is not None:
            return (
                "gfci has no max_parents, for a PAG does not say how many there are; set max_degree"
            )
        return self._tester().problem() or super().problem()

    def accepted(self) -> frozenset[DataKind]:
        """Kinds of data that both the test and the score take."""
        return super().accepted() & self._tester().accepted()

    def delegates(self) -> tuple[Delegate, ...]:
        """The search by score, and the tests and rules of RFCI."""
        return (*super().delegates(), self._search(), self._tester())

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Search by score, then test and direct."""
        with part():
            scored = attempt_inside(self._search(data), data, rng)
        found = self.learn_with(self._tester().make_test(data, rng), scored.graph)
        notes = (*scored.notes, *found.notes)
        return Estimate(found.graph, {**found.stats, **scored.stats}, notes=notes)

    def learn_with(self, test: IndependenceTest, scored: Graph) -> Estimate:
        """Correct the CPDAG of a score-based search by any test."""
        questions = Questions(test)
        options = self._tester().options(test.names)
        keep = self.like is not None
        graph, *_ = _core.gfci(test.native, scored.native, options, keep)
        return questions.estimate(Graph._of(test.names, graph))

    def _search(self, data: Dataset | None = None) -> Fges:
        """FGES as it was published, which GFCI is built on."""
        return Fges(
            **self.for_search(data),
            faithfulness=self.faithfulness,
            max_degree=self.max_degree,
            like=self.like,
        )

    def _tester(self) -> Rfci:
        """The tests, and the knowledge as searches for a PAG take it."""
        return Rfci(
            alpha=self.alpha,
            test=self.test,
            replicates=self.replicates,
            max_order=self.max_order,
            constraints=self.constraints,
            selection=self.selection,
        )
