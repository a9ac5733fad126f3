"""Tests of conditional independence: one name each, one native kernel per family."""

from dagathlon.learners.independence.catalogue import (
    DELETION,
    IMPUTATION,
    TESTS,
    TestName,
    default_test,
    kind_of_test,
    problem_of_test,
    suitable_tests,
)
from dagathlon.learners.independence.query import (
    IndependenceTest,
    TestResult,
    independence_test,
    separation_test,
)

__all__ = [
    "DELETION",
    "IMPUTATION",
    "TESTS",
    "IndependenceTest",
    "TestName",
    "TestResult",
    "default_test",
    "independence_test",
    "kind_of_test",
    "problem_of_test",
    "separation_test",
    "suitable_tests",
]
