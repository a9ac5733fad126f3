"""Scores that fit a network to a graph under the prior of its learner."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from dagathlon.evaluate.metric import MetricModule
from dagathlon.learners.base import Learner
from dagathlon.modules import NonNegative

SAMPLE_SIZE = 5.0
"""Imaginary sample size for learners without a prior, as for BIC and fNML in the paper."""


@dataclass(frozen=True, kw_only=True)
class LearnerPriorScore(MetricModule):
    """Base class of scores with parameters estimated under the learner's own prior.

    Parameters
    ----------
    sample_size
        Imaginary rows of the uniform prior of each probability table (BDeu), spread evenly over its
        cells; 0 is maximum likelihood. A learner that scores by a Bayesian Dirichlet score has its
        own number, which takes the place of this one.
    """

    sample_size: NonNegative = SAMPLE_SIZE

    def for_learner(self, learner: Learner) -> Self:
        """Return the score with the imaginary sample size of this learner, if it has one."""
        learner_size = learner.parameter_sample_size()
        return self if learner_size is None else replace(self, sample_size=learner_size)
