"""Conformance suites of learners, tests and scores, for our modules and yours."""

from dagathlon.testing.conformance import check_learner, problems_of
from dagathlon.testing.independence_checks import check_test
from dagathlon.testing.reports import ConformanceError
from dagathlon.testing.score_checks import check_score

__all__ = ["ConformanceError", "check_learner", "check_score", "check_test", "problems_of"]
