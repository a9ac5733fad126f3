"""Structure learners, one file per family."""

from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.calling import learn

__all__ = ["Estimate", "Learner", "learn"]
