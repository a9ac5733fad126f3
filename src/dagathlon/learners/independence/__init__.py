"""Tests of conditional independence: one name each, one native kernel per family."""

from dagathlon.learners.independence.catalogue import TESTS, TestName, tests_for
from dagathlon.learners.independence.query import IndependenceTest, TestResult, independence_test
from dagathlon.learners.independence.oracle import separation_test

__all__ = [
    "TESTS",
    "IndependenceTest",
    "TestName",
    "TestResult",
    "independence_test",
    "separation_test",
    "tests_for",
]
