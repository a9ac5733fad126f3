"""Base class of constraint-based learners: test, significance level, background knowledge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

import numpy as np

from dagathlon import _core
from dagathlon.data.spec import DataFacts, DataKind, facts_of
from dagathlon.learners.assumptions import FAITHFUL, NO_HIDDEN
from dagathlon.learners.background import ConstraintFile, knowledge_of, refuse_required_cycle
from dagathlon.learners.base import Learner
from dagathlon.learners.independence import (
    DEFAULT_TESTS,
    IndependenceTest,
    TestText,
    independence_test,
    named_test,
    problem_of_test,
    shared_tests,
    tests_for_missing,
)
from dagathlon.modules import Count, Delegate, Natural, NonNegative, Probability, SharedCode

if TYPE_CHECKING:
    from dagathlon.data import Dataset

MaxOrder: TypeAlias = Count | Literal["inf"] | None
"""Largest number of variables to condition on."""

Neighbours: TypeAlias = Literal["by-column", "by-name"]
"""The order in which the neighbours of a variable are tried."""

# Version of the default-test rule. Bump it when the rule picks another test for some data.
_CHOICE = SharedCode("choice", "test", 2)


@dataclass(frozen=True, kw_only=True)
class ConstraintBased(Learner):
    """Base class of learners that test conditional independence.

    Parameters
    ----------
    alpha
        Significance level: variables count as independent when the p-value is at least this.
    test
        Name of the test, with parameters where it has some (``mine[bins=5]``); the suffix ``.td``
        leaves out rows with missing values per test, ``.mi`` pools over imputed copies of the data.
        Null is cor, mi or wilks-dg as the data are continuous, discrete or mixed.
    replicates
        Number of permutations of the tests that use them, or of imputed copies; null is the test's
        own default.
    max_order
        Largest number of variables to condition on. Null is no limit if all tests have an answer,
        or count as independence where they have none; if such tests keep their edges, it is the
        largest number for which a table may have five rows per cell. inf is no limit.
    keep_untestable
        Whether an edge stays when the data cannot answer a test of it.
    constraints
        File of required and forbidden edges; null is none.
    timeout
        Seconds after which the run is stopped; null for no limit.

    Attributes
    ----------
    default_tests
        The test for each kind of data where none is named.
    """

    assumes: ClassVar[tuple[str, ...]] = (FAITHFUL, NO_HIDDEN)
    default_tests: ClassVar[Mapping[DataKind, str]] = DEFAULT_TESTS
    reentrant = True

    alpha: Probability = 0.05
    test: TestText | None = None
    replicates: Natural | None = None
    max_order: MaxOrder = None
    keep_untestable: bool = False
    constraints: ConstraintFile | None = None
    timeout: NonNegative | None = None

    def problem(self) -> str:
        """Return a message if the test is unknown; empty otherwise."""
        return "" if self.test is None else problem_of_test(self.test)

    def accepted(self) -> frozenset[DataKind]:
        """Return the kinds of data that the test takes."""
        return self.takes if self.test is None else self.takes & named_test(self.test).module.takes

    def assumptions(self, kind: DataKind) -> tuple[str, ...]:
        """Return the assumptions of the learner and its test."""
        test = named_test(self.test or self.default_tests[kind])
        return (*self.assumes, *test.module.assumptions(kind))

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return why such data cannot be used: their kind, or missing values."""
        if not data.missing:
            return super().why_unsuitable(data)
        test = None if self.test is None else named_test(self.test)
        if test is None or not (test.deletes or test.imputes):
            named = "its default test" if self.test is None else f"the test {self.test!r}"
            deleting, pooled = tests_for_missing(data.kind or "mixed")
            return (
                f"{self.name} cannot handle missing values with {named}; choose a test that leaves "
                f"rows out, such as {self.name}[test={deleting}], or that imputes the "
                f"values, such as {self.name}[test={pooled}]"
            )
        return super().why_unsuitable(DataFacts(data.kind, data.binary, False, data.interventions))

    def delegates(self) -> tuple[Delegate, ...]:
        """Return the test as a delegate, or all default tests if none is set."""
        if self.test is not None:
            return (*super().delegates(), *shared_tests(self.test))
        usual = sorted(set(self.default_tests.values()))
        return (*super().delegates(), *shared_tests(*usual), _CHOICE)

    def make_test(self, data: Dataset, rng: np.random.Generator) -> IndependenceTest:
        """Make the test on these data."""
        name = self.test or self.default_tests[facts_of(data).kind or "mixed"]
        kind = named_test(name)
        needs_seed = kind.module.needs_seed() or kind.imputes
        seed = int(rng.integers(2**63)) if needs_seed else 0
        test = independence_test(data, name, replicates=self.replicates, seed=seed)
        if self.keep_untestable:
            test.native.undefined_is_independent = False
        if self.max_order is None:
            test.native.untestable_order = kind.module.testable_order(data)
        return test

    @property
    def order_limit(self) -> int | None:
        """The largest number of variables to condition on; None without a set limit."""
        return None if self.max_order == "inf" else self.max_order

    def knowledge(self, names: tuple[str, ...]) -> _core.KnownEdges:
        """Return the matrices of forbidden and required edges, from row to column."""
        background = knowledge_of(self.constraints, names)
        if not background:
            return _core.KnownEdges()
        refuse_required_cycle(background, names)
        return _core.KnownEdges(*background.matrices(names))


def sequence_of(names: tuple[str, ...], neighbours: Neighbours) -> list[int]:
    """Return the column indices in the order to try them; empty for the order of the columns."""
    return [] if neighbours == "by-column" else sorted(range(len(names)), key=names.__getitem__)
