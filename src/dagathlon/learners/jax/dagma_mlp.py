"""DAGMA with networks: nonlinear models along a central path to acyclic ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dagathlon.learners.jax.augmented import Problem, QuasiNewton
from dagathlon.learners.jax.backend import jnp
from dagathlon.learners.jax.nets_cycles import log_determinant
from dagathlon.learners.jax.nets_learner import Matrix, NetworkLearner
from dagathlon.learners.jax.nets_models import Facts, Networks, Noise, Regressions, squares
from dagathlon.modules import Natural, NonNegative

# Number of steps between two convergence checks.
_EVERY = 20


@dataclass(frozen=True, kw_only=True)
class CentralPath(Problem):
    """Regressions with an increasing penalty of cycles.

    The published objective is weight · loss + cycles; divided by the weight it has the same
    minima and the same size at all weights.

    Parameters
    ----------
    model
        The regressions.
    weight, factor
        Initial weight of the loss, and its factor from minimum to minimum.
    """

    model: Regressions
    weight: float
    factor: float

    def initial(self, key: Any, facts: Facts) -> Networks:
        """Return the networks of the empty graph."""
        return self.model.initial(key, facts)

    def multipliers(self) -> Any:
        """Return the initial weight of the loss."""
        return jnp.asarray(self.weight, jnp.float32)

    def objective(self, params: Networks, facts: Facts, multipliers: Any, key: Any) -> Any:
        """Return the loss plus the cycle penalty; infinite outside the path's domain."""
        cycles = log_determinant(squares(params))
        return self.model.loss(params, facts) + cycles / multipliers

    def sparsity(self, params: Networks, facts: Facts) -> Networks:
        """Return the L1 penalty factors of the first layers."""
        return self.model.sparsity(params)

    def raised(self, params: Networks, facts: Facts, multipliers: Any) -> tuple[Any, Any]:
        """Return a smaller weight, and False: the number of minima alone ends a run."""
        return multipliers * self.factor, jnp.zeros((), bool)


@dataclass(frozen=True, kw_only=True)
class DagmaMlp(NetworkLearner):
    """DAGMA with a perceptron for each variable, along a central path to acyclic models.

    The weight of an arc is the norm of the first-layer weights of the cause in the network of
    the effect. Cycles are penalised by a log-determinant, and more so the smaller the weight of
    the loss. Minima are found by L-BFGS with exact zeros, in single precision, instead of many
    thousand steps of Adam. `weights` of the estimate are the norms.

    Parameters
    ----------
    lambda1
        Factor of the L1 penalty of the first layers.
    lambda2
        Factor of half of the squared weights.
    noise
        Whether noise has the same variance in all variables (equal), or a separate variance in each
        (free), which suits standardised columns.
    hidden
        Units of the hidden layer.
    stages
        Number of minima along the path.
    mu_init, mu_factor
        Initial weight of the loss, and its factor from stage to stage.
    steps
        Largest number of steps of L-BFGS in each stage.
    tolerance
        A minimum is found when the mean objective of 20 steps differs by no more than this from
        that of the 20 before, relative to its size or to 1.
    w_threshold
        Norms not above this are no arcs; where arcs above it form a cycle, it is raised.
    """

    name = "dagma_mlp"
    anytime = True
    references = (
        "Bello, Aragam and Ravikumar 2022, DAGMA: learning DAGs via M-matrices and a "
        "log-determinant acyclicity characterization, NeurIPS",
        "Andrew and Gao 2007, Scalable training of L1-regularized log-linear models, ICML",
    )

    lambda1: NonNegative = 0.01
    lambda2: NonNegative = 0.005
    noise: Noise = "equal"
    hidden: Natural = 10
    stages: Natural = 4
    mu_init: NonNegative = 0.1
    mu_factor: NonNegative = 0.1
    steps: Natural = 500
    tolerance: NonNegative = 1e-4

    def problem(self) -> str:
        """Return a message if the weight of the loss does not fall or is 0; empty otherwise."""
        if self.mu_init == 0:
            return "mu_init: found 0, expected a number above 0"
        if not 0 < self.mu_factor < 1:
            return f"mu_factor: found {self.mu_factor:g}, expected a number between 0 and 1"
        return super().problem()

    def problem_of(self, p: int) -> CentralPath:
        """Return the objective for p variables."""
        return CentralPath(
            inner=QuasiNewton(self.steps, min(_EVERY, self.steps), self.tolerance),
            outer_steps=self.stages,
            model=Regressions((self.hidden,), 0, self.lambda1, self.lambda2, self.noise, True),
            weight=self.mu_init,
            factor=self.mu_factor,
        )

    def facts_of(self, columns: Matrix, allowed: Matrix) -> Facts:
        """Return the data and the allowed arcs as arrays."""
        return Facts(columns, columns, allowed)

    def weights_of(self, params: Networks, facts: Facts) -> Matrix:
        """Return the norms of the first-layer weights."""
        return np.sqrt(np.asarray(squares(params), np.float64))
