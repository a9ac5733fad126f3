"""A learner that fails, so that reports have a failure to show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dagathlon.data import Dataset
from dagathlon.learners.base import Estimate, Learner


@dataclass(frozen=True, kw_only=True)
class FailingLearner(Learner):
    """Raises an error on every data set."""

    name = "failing_learner"

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        raise ArithmeticError(f"cannot learn from {len(data)} rows <b>at all</b>")
