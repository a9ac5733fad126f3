"""What a learner is held to: the conformance suite, for our modules and yours."""

from dagathlon.testing.conformance import ConformanceError, check_learner, problems_of

__all__ = ["ConformanceError", "check_learner", "problems_of"]
