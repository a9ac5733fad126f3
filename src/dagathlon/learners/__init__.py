"""Structure learners, one room per family, and `learn`, which calls any of them by name."""

from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.calling import learn
from dagathlon.learners.estimator import StructureLearner

__all__ = ["Estimate", "Learner", "StructureLearner", "learn"]
