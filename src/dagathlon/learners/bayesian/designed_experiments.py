"""Sequential experiments whose targets are chosen by a posterior."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dagathlon.data import Dataset
from dagathlon.errors import DagathlonError, DataError
from dagathlon.learners.base import Learner
from dagathlon.learners.meta_learner import resolve_learner
from dagathlon.learners.run import run_learner
from dagathlon.modules import Delegate, Natural
from dagathlon.posteriors.design import best_target
from dagathlon.simulate.experiments import Experiments


@dataclass(frozen=True, kw_only=True)
class DesignedExperiments(Experiments):
    """`experiments` whose next target maximises the expected information gain of a learner.

    Before each step the learner is run on the rows so far. From its posterior draws, which are
    completed by parameters, the expected reduction of their entropy is computed for an
    intervention on each variable in turn, and the largest wins.

    Parameters
    ----------
    learner
        A learner that gives a posterior with draws, with its parameters in brackets.
    draws
        Largest number of draws that are used.
    """

    name = "designed_experiments"
    takes = frozenset({"continuous"})
    references = (
        "Lindley 1956, Annals of Mathematical Statistics 27",
        "Tigas et al. 2022, Interventions, where and how?, NeurIPS",
    )

    learner: str = "exact_posterior[score=nig,draws=200]"
    draws: Natural = 200

    def problem(self) -> str:
        """Return a message if the learner is unknown or gives no posterior; empty otherwise."""
        try:
            inner = self.inner()
        except DagathlonError as error:
            return str(error)
        if not (inner.samples or inner.gives_posterior):
            return f"learner: {inner.name} gives no posterior"
        return inner.problem()

    def delegates(self) -> tuple[Delegate, ...]:
        """Return the learner."""
        return (self.inner(),)

    def inner(self) -> Learner:
        """Return the learner that is run before each step."""
        return resolve_learner(self.learner)

    def target(self, data: Dataset, rng: np.random.Generator) -> str:
        """Return the variable with the largest expected information gain of an intervention."""
        inner = self.inner()
        posterior = run_learner(inner, data, rng).posterior
        if posterior is None or not posterior.chains:
            raise DataError(
                f"designed_experiments needs draws, and {self.learner} gave none; set its "
                "parameter draws"
            )
        return best_target(
            posterior,
            data,
            rng,
            rows=self.rows_per_step,
            mean=self.mean,
            sd=self.sd,
            draws=self.draws,
        )
