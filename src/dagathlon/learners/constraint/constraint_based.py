"""What constraint-based learners share: a test, its level, background knowledge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dagathlon import _core
from dagathlon.data.facts import DataFacts, DataKind
from dagathlon.learners.assumptions import FAITHFUL, NO_HIDDEN, model_words
from dagathlon.learners.background import ConstraintFile, knowledge_of, refuse_required_cycle
from dagathlon.learners.base import Learner
from dagathlon.learners.independence import (
    DEFAULT_TESTS,
    DELETION,
    IMPUTATION,
    IndependenceTest,
    independence_test,
    kind_of_test,
    problem_of_test,
    shared_tests,
)
from dagathlon.modules import Count, Delegate, Natural, NonNegative, Probability

if TYPE_CHECKING:
    from dagathlon.data import Dataset

_TEST_OF_KIND = {"continuous": "zf", "discrete": "mi", "mixed": "mi-cg"}


@dataclass(frozen=True, kw_only=True)
class ConstraintBased(Learner):
    """A learner that asks tests of conditional independence.

    Parameters
    ----------
    alpha
        Significance level: variables count as independent when the p-value is at least this.
    test
        Name of the test; ``.td`` at its end leaves out rows with missing values per test, ``.mi``
        pools over imputed copies of the data. Null is cor, mi or mi-cg as the data are continuous,
        discrete or mixed.
    replicates
        Number of permutations of the tests that use them, or of imputed copies; null is the test's
        own default.
    max_order
        Largest number of variables to condition on; null is no limit.
    keep_untestable
        Whether an edge stays when the data cannot answer a test of it.
    constraints
        File of required and forbidden edges; null is none.
    timeout
        Seconds after which the run is stopped; null for no limit.
    """

    assumes: ClassVar[tuple[str, ...]] = (FAITHFUL, NO_HIDDEN)

    alpha: Probability = 0.05
    test: str | None = None
    replicates: Natural | None = None
    max_order: Count | None = None
    keep_untestable: bool = False
    constraints: ConstraintFile | None = None
    timeout: NonNegative | None = None

    def problem(self) -> str:
        """The test must be known."""
        return "" if self.test is None else problem_of_test(self.test)

    def accepted(self) -> frozenset[DataKind]:
        """Kinds of data that the test takes."""
        return self.takes if self.test is None else self.takes & kind_of_test(self.test).kinds

    def assumptions(self, kind: DataKind) -> tuple[str, ...]:
        """What the learner and its test rely on."""
        return (*self.assumes, *model_words(kind, self.test or DEFAULT_TESTS[kind]))

    def objection(self, data: DataFacts) -> str:
        """Missing values need a test that leaves out rows."""
        if not data.missing:
            return super().objection(data)
        if self.test is None or not self.test.endswith((DELETION, IMPUTATION)):
            named = "its default test" if self.test is None else f"the test {self.test!r}"
            able = _TEST_OF_KIND.get(data.kind or "", "mi")
            return (
                f"{self.name} cannot handle missing values with {named}; choose a test that leaves "
                f"rows out, such as {self.name}[test={able}{DELETION}], or that imputes the "
                f"values, such as {self.name}[test={able}{IMPUTATION}]"
            )
        return super().objection(DataFacts(data.kind, data.binary, False, data.interventions))

    def delegates(self) -> tuple[Delegate, ...]:
        """The test, or all that the data may choose from."""
        chosen = tuple(DEFAULT_TESTS.values()) if self.test is None else (self.test,)
        return (*super().delegates(), *shared_tests(*chosen))

    def make_test(self, data: Dataset, rng: np.random.Generator) -> IndependenceTest:
        """The test on these data."""
        needs_seed = self.test is not None and (
            kind_of_test(self.test).replicates > 0 or self.test.endswith(IMPUTATION)
        )
        seed = int(rng.integers(2**63)) if needs_seed else 0
        test = independence_test(data, self.test, replicates=self.replicates, seed=seed)
        if self.keep_untestable:
            test.native.undefined_is_independent = False
        return test

    def knowledge(self, names: tuple[str, ...]) -> _core.KnownEdges:
        """Forbidden and required edges, from row to column."""
        found = knowledge_of(self.constraints, names)
        if not found:
            return _core.KnownEdges()
        refuse_required_cycle(found, names)
        return _core.KnownEdges(*found.matrices(names))
