"""NOTEARS with networks: nonlinear models fitted under a smooth acyclicity constraint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dagathlon.learners.base import Statistic
from dagathlon.learners.jax.augmented import Lagrangian, QuasiNewton, State
from dagathlon.learners.jax.loop import Ended
from dagathlon.learners.jax.nets_cycles import walks
from dagathlon.learners.jax.nets_learner import Matrix, NetworkLearner
from dagathlon.learners.jax.nets_models import Facts, Networks, Noise, Regressions, squares
from dagathlon.modules import Natural, NonNegative

# Number of steps between two convergence checks.
_EVERY = 20


@dataclass(frozen=True, kw_only=True)
class Constrained(Lagrangian):
    """Regressions constrained to first layers without a directed cycle.

    Parameters
    ----------
    model
        The regressions.
    """

    model: Regressions

    def initial(self, key: Any, facts: Facts) -> Networks:
        """Return the networks of the empty graph."""
        return self.model.initial(key, facts)

    def loss(self, params: Networks, facts: Facts, key: Any) -> Any:
        """Return the loss of the regressions."""
        return self.model.loss(params, facts)

    def sparsity(self, params: Networks, facts: Facts) -> Networks:
        """Return the L1 penalty factors of the first layers."""
        return self.model.sparsity(params)

    def constraint(self, params: Networks, facts: Facts) -> Any:
        """Return the acyclicity constraint by closed walks along squared norms."""
        return walks(squares(params))


@dataclass(frozen=True, kw_only=True)
class NotearsMlp(NetworkLearner):
    """NOTEARS with a network for each variable, under a smooth acyclicity constraint.

    The weight of an arc is the norm of the first-layer weights of the cause in the network of
    the effect: where it is 0 the network does not use the cause. Minima of the augmented
    Lagrangian are found by L-BFGS with exact zeros, in single precision and only as precisely
    as needed. `weights` of the estimate are the norms.

    Parameters
    ----------
    model
        A perceptron of all other variables (mlp), or a sum of functions of single variables, each
        a sum of sines (sob, for Sobolev).
    lambda1
        Factor of the L1 penalty of the first layers.
    lambda2
        Factor of half of the squared weights.
    noise
        Whether noise has the same variance in all variables, which is least squares (equal), or a
        separate variance in each (free), which suits standardised columns.
    hidden
        Units of the hidden layer, for mlp.
    expansions
        Number of sines of each variable, for sob.
    max_iter
        Largest number of dual ascent steps.
    h_tol
        Stop when the acyclicity constraint is not above this.
    rho_max
        Stop when the penalty of the constraint is above this.
    steps
        Largest number of steps of L-BFGS to each minimum.
    tolerance
        A minimum is found when the mean objective of 20 steps differs by no more than this from
        that of the 20 before, relative to its size or to 1.
    w_threshold
        Norms not above this are no arcs; where arcs above it form a cycle, it is raised.
    """

    name = "notears_mlp"
    anytime = True
    references = (
        "Zheng, Dan, Aragam, Ravikumar and Xing 2020, Learning sparse nonparametric DAGs, AISTATS",
        "Andrew and Gao 2007, Scalable training of L1-regularized log-linear models, ICML",
    )

    model: Literal["mlp", "sob"] = "mlp"
    lambda1: NonNegative = 0.01
    lambda2: NonNegative = 0.01
    noise: Noise = "equal"
    hidden: Natural = 10
    expansions: Natural = 10
    max_iter: Natural = 100
    h_tol: NonNegative = 1e-8
    rho_max: NonNegative = 1e16
    steps: Natural = 200
    tolerance: NonNegative = 1e-3

    def problem_of(self, p: int) -> Constrained:
        """Return the objective for p variables."""
        return Constrained(
            inner=QuasiNewton(self.steps, min(_EVERY, self.steps), self.tolerance),
            outer_steps=self.max_iter,
            rho_max=self.rho_max,
            tolerance=self.h_tol,
            model=self._regressions(),
        )

    def _regressions(self) -> Regressions:
        mlp = self.model == "mlp"
        return Regressions(
            hidden=(self.hidden,) if mlp else (),
            functions=0 if mlp else self.expansions,
            lambda1=self.lambda1,
            lambda2=self.lambda2,
            noise=self.noise,
        )

    def facts_of(self, columns: Matrix, allowed: Matrix) -> Facts:
        """Return the data, the inputs of the regressions, and allowed arcs, as arrays."""
        return Facts(columns, self._regressions().inputs(columns), allowed)

    def _stats(self, ended: Ended, state: State, run: int) -> dict[str, Statistic]:
        value = float(state.multipliers.value)
        return {**super()._stats(ended, state, run), "acyclicity": value}

    def weights_of(self, params: Networks, facts: Facts) -> Matrix:
        """Return the norms of the first-layer weights."""
        return np.sqrt(np.asarray(squares(params), np.float64))
