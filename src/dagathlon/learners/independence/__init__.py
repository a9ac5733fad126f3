"""Tests of conditional independence: one module each, found by name."""

from dagathlon.learners.independence.catalogue import (
    DEFAULT_TESTS,
    DELETION,
    IMPUTATION,
    TestText,
    known_tests,
    named_test,
    problem_of_test,
    shared_tests,
    suitable_tests,
    tests_for_missing,
    with_ending,
)
from dagathlon.learners.independence.module import Options, TestModule
from dagathlon.learners.independence.python_test import PythonTest
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
    "IndependenceTest",
    "Options",
    "PythonTest",
    "TestModule",
    "TestResult",
    "TestText",
    "independence_test",
    "known_tests",
    "named_test",
    "problem_of_test",
    "separation_test",
    "shared_tests",
    "suitable_tests",
    "tests_for_missing",
    "with_ending",
]
