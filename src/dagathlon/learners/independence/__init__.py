"""Tests of conditional independence: one name each, one native kernel per family."""

from dagathlon.learners.independence.catalogue import (
    DEFAULT_TESTS,
    DELETION,
    IMPUTATION,
    TESTS,
    TestName,
    kind_of_test,
    problem_of_test,
    shared_tests,
    suitable_tests,
)
from dagathlon.learners.independence.query import (
    IndependenceTest,
    TestResult,
    independence_test,
    separation_test,
)

__all__ = [
    "DEFAULT_TESTS",
    "DELETION",
    "IMPUTATION",
    "TESTS",
    "IndependenceTest",
    "TestName",
    "TestResult",
    "independence_test",
    "kind_of_test",
    "problem_of_test",
    "separation_test",
    "shared_tests",
    "suitable_tests",
]
