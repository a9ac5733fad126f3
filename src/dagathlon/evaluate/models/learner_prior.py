"""Scores that fit a network to a graph under the prior of whoever learned it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from dagathlon.evaluate.metric import MetricModule
from dagathlon.learners.base import Learner
from dagathlon.modules import NonNegative

SAMPLE_SIZE = 5.0
"""Imaginary rows where a learner has no prior of its own, as for BIC and fNML in the paper."""


@dataclass(frozen=True, kw_only=True)
class UnderOwnPrior(MetricModule):
    """Base of scores whose parameters are posterior means under the learner's own prior.

    Parameters
    ----------
    sample_size
        Imaginary rows of the uniform prior of each probability table (BDeu), spread evenly over its
        cells; 0 is maximum likelihood. A learner that scores by a Bayesian Dirichlet score has its
        own number, which takes the place of this one.
    """

    sample_size: NonNegative = SAMPLE_SIZE

    def for_learner(self, learner: Learner) -> Self:
        """The score of what this learner has learned."""
        own = learner.parameter_sample_size()
        return self if own is None else replace(self, sample_size=own)
