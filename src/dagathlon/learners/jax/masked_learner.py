"""What GraN-DAG and MCSL share as learners: candidate parents, and columns that vary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dagathlon.learners.continuous.weights import varying
from dagathlon.learners.jax.augmented import Adam
from dagathlon.learners.jax.masked_nets import Facts
from dagathlon.learners.jax.nets_learner import Matrix, NetworkLearner
from dagathlon.learners.nonlinear.order_based import Models
from dagathlon.modules import Natural, NonNegative

_EVERY = 100


@dataclass(frozen=True, kw_only=True)
class MaskedLearner(NetworkLearner):
    """A learner whose networks have masked inputs, trained on random rows.

    Parameters
    ----------
    neighbours
        Largest number of candidate parents of a variable where there are 20 variables or more.
    splines
        Functions of the basis of each term of additive models.
    hidden
        Units of each hidden layer of the networks.
    batch_size
        Number of rows in each step.
    learning_rate
        Size of the steps of Adam.
    steps
        Number of steps at most until the penalty of cycles is raised.
    tolerance
        When the mean objective of 100 steps is at rest.
    max_iter
        How often the penalty is raised at most.
    rho
        The first penalty.
    h_tol
        Training ends when the measure of cycles is not above this.
    """

    anytime = True

    neighbours: Natural | None = 10
    splines: Natural = 10
    hidden: tuple[Natural, ...] = (10, 10)
    batch_size: Natural = 64
    learning_rate: NonNegative = 0.01
    steps: Natural = 300
    tolerance: NonNegative = 1e-3
    max_iter: Natural = 60
    rho: NonNegative = 0.01
    h_tol: NonNegative = 1e-8

    def facts_of(self, columns: Matrix, allowed: Matrix) -> Any:
        """The data, and allowed arcs between neighbours that vary."""
        used = np.flatnonzero(varying(columns.T))
        near = np.zeros_like(allowed)
        near[np.ix_(used, used)] = self.models(columns[used].T).neighbours
        return Facts(columns.T, allowed * near)

    def models(self, values: Matrix) -> Models:
        """Additive models, of columns that vary."""
        return Models(values, self.splines, self.neighbours)

    def search(self) -> dict[str, Any]:
        """The settings that all problems have."""
        every = min(_EVERY, self.steps)
        return {
            "inner": Adam(self.steps, every, self.tolerance, self.learning_rate),
            "outer_steps": self.max_iter,
            "rho": self.rho,
            "tolerance": self.h_tol,
        }
