"""*-FCI: any learner of DAGs, corrected for latent variables by tests."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from dagathlon import _core
from dagathlon.data.spec import DataFacts, DataKind
from dagathlon.graphs import Graph, cpdag
from dagathlon.learners.assumptions import FAITHFUL
from dagathlon.learners.background import ConstraintFile
from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.constraint.constraint_based import MaxOrder
from dagathlon.learners.constraint.fci import TESTS_OF_RFCI, Rfci
from dagathlon.learners.constraint.test_counter import TestCounter
from dagathlon.learners.hybrid.gfci import Gfci
from dagathlon.learners.independence import IndependenceTest, TestText
from dagathlon.learners.meta_learner import LearnerSettings, MetaLearner
from dagathlon.learners.run import run_inner_learner
from dagathlon.modules import Delegate, Natural, NonNegative, Probability
from dagathlon.pulse import part

if TYPE_CHECKING:
    import numpy as np

    from dagathlon.data import Dataset


@dataclass(frozen=True, kw_only=True)
class StarFci(MetaLearner):
    """*-FCI: the second half of `gfci`, `boss_fci` and `grasp_fci` for any learner of DAGs.

    The learner's DAG must imply no separation that does not hold; score-based learners with
    many rows meet this even with latent causes. Edges of its equivalence class inside triangles
    are tested, given neighbours. Where the class has no edge between the ends of a triple it
    decides whether the middle is a collider; tests decide the others.

    Parameters
    ----------
    learner
        The learner of a DAG or CPDAG: in a study the id of an algorithm, or a name with parameters
        such as ``hc[score=bge]``.
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
    all_edges
        Whether all edges of the class are tested, as in Tetrad since 7.6.7; otherwise those inside
        triangles.
    keep_arrows
        Whether two arrows of the class into one variable are kept even if their tails are joined,
        as in Tetrad; otherwise only if the tails are not joined, as published.
    constraints
        File of required and forbidden edges, also for the learner if it takes one and names none;
        null is none.
    timeout
        Seconds after which the run is stopped; null for no limit.
    """

    name = "star_fci"
    assumes = (FAITHFUL,)
    gives = "pag"
    references = (
        "Ogarrio, Spirtes and Ramsey 2016, A hybrid causal search algorithm for latent variable "
        "models, PGM (PMLR 52)",
    )

    learner: LearnerSettings = "boss"
    alpha: Probability = 0.01
    test: TestText | None = None
    replicates: Natural | None = None
    max_order: MaxOrder = None
    selection: bool = True
    all_edges: bool = False
    keep_arrows: bool = False
    constraints: ConstraintFile | None = None
    timeout: NonNegative | None = None

    def problem(self) -> str:
        """Return a message if the test is unknown or the learner gives no DAG or CPDAG."""
        inner = self.known()
        if inner is not None and inner.output() not in ("dag", "cpdag"):
            return f"star_fci corrects a DAG or CPDAG, and {inner.name} gives none"
        return self.tester().problem() or super().problem()

    def accepted(self) -> frozenset[DataKind]:
        """Return the kinds of data that both the test and the learner take."""
        return super().accepted() & self.tester().accepted()

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return why the test or the learner cannot use such data; empty if both can."""
        of_test = self.tester().why_unsuitable(data).replace(Rfci.name, self.name)
        return of_test or super().why_unsuitable(data)

    def delegates(self) -> tuple[Delegate, ...]:
        """Return the learner, the tests and knowledge of RFCI, and GFCI's second half."""
        of_test = (*self.tester().delegates(), TESTS_OF_RFCI)
        return (*super().delegates(), *of_test, Gfci(test=self.test))

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Learn a class of DAGs, then test and direct edges."""
        with part():
            scored = run_inner_learner(self._informed(), data, rng)
        estimate = self.learn_with(self.tester().make_test(data, rng), scored.graph)
        notes = (*scored.notes, *estimate.notes)
        return Estimate(estimate.graph, {**scored.stats, **estimate.stats}, notes=notes)

    def learn_with(self, test: IndependenceTest, scored: Graph) -> Estimate:
        """Correct a DAG or a CPDAG by any test."""
        questions = TestCounter(test)
        classes = cpdag(scored) if scored.is_dag else scored
        options = self.tester().options(test.names)
        use = _core.ScoreUse(keep_arrows=self.keep_arrows, all_edges=self.all_edges)
        graph, *_ = _core.gfci(test.native, classes.subgraph(test.names).native, options, use)
        return questions.estimate(Graph._of(test.names, graph))

    def _informed(self) -> Learner:
        """Return the learner, with our constraints if it has none of its own."""
        inner = self.inner()
        values = {field.name: getattr(inner, field.name) for field in fields(inner)}
        if self.constraints is None or values.get("constraints", "none taken") is not None:
            return inner
        return replace(inner, **{"constraints": self.constraints})

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
