"""MCSL: networks whose inputs have random masks with learned probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dagathlon.learners.continuous.weights import varying
from dagathlon.learners.jax.augmented import Lagrangian
from dagathlon.learners.jax.backend import jax, jnp
from dagathlon.learners.jax.masked_learner import MaskedLearner
from dagathlon.learners.jax.masked_nets import (
    Networks,
    drawn_rows,
    gumbel_sigmoid,
    networks,
    squared_errors,
)
from dagathlon.learners.jax.nets_cycles import walks
from dagathlon.learners.jax.nets_learner import Matrix
from dagathlon.learners.jax.nets_models import Noise
from dagathlon.modules import Natural, NonNegative, Probability

# A residual variance of zero has no logarithm.
_LEAST_VARIANCE = 1e-8


# Nats that an arc must gain over all rows (measured to be better than twice as much).
_SPURIOUS = 10.0


class MaskFacts(NamedTuple):
    """Input arrays of a run.

    Parameters
    ----------
    rows, allowed
        As in `Facts`.
    penalty
        Factor of the sum of all masks.
    """

    rows: Any
    allowed: Any
    penalty: Any


class Parameters(NamedTuple):
    """Parameters: the networks, and the log odds of masks.

    Parameters
    ----------
    model
        The networks.
    logits
        Log-odds of arcs, from row to column.
    """

    model: Networks
    logits: Any


def arc_probabilities(params: Parameters, facts: MaskFacts) -> Any:
    """Return the probability that each arc is unmasked: that a random mask is above 1/2."""
    return facts.allowed * jax.nn.sigmoid(params.logits)


@dataclass(frozen=True, kw_only=True)
class MaskProblem(Lagrangian):
    """Errors of networks with masked inputs, subject to masks without a directed cycle.

    Parameters
    ----------
    hidden
        Units of the hidden layers.
    batch
        Rows in each step.
    temperature
        Of the random masks.
    noise
        Whether all noise has one variance.
    """

    hidden: tuple[int, ...]
    batch: int
    temperature: float
    noise: Noise

    def initial(self, key: Any, facts: MaskFacts) -> Parameters:
        """Return random networks, and masks of probability 1/2."""
        p = facts.rows.shape[1]
        return Parameters(networks(key, p, self.hidden), jnp.zeros((p, p)))

    def loss(self, params: Parameters, facts: MaskFacts, key: Any) -> Any:
        """Return the error of a batch of rows under a random mask, plus the penalty of the mask."""
        ours, others = jax.random.split(key)
        mask = facts.allowed * gumbel_sigmoid(ours, params.logits, self.temperature)
        squares = squared_errors(params.model, mask, drawn_rows(others, facts.rows, self.batch))
        return self.misfit(squares) + facts.penalty * jnp.sum(mask)

    def misfit(self, squares: Any) -> Any:
        """Return the Gaussian negative log likelihood, up to constants."""
        if self.noise == "equal":
            return 0.5 * jnp.sum(squares)
        return 0.5 * jnp.sum(jnp.log(squares + _LEAST_VARIANCE))

    def constraint(self, params: Parameters, facts: MaskFacts) -> Any:
        """Return the acyclicity constraint by closed walks along arcs, by their probabilities."""
        return walks(arc_probabilities(params, facts))


@dataclass(frozen=True, kw_only=True)
class Mcsl(MaskedLearner):
    """MCSL: a network for each variable, with a random mask of its inputs that is learned.

    Masks are sigmoids of log-odds with logistic noise at a low temperature (Gumbel-sigmoid), next
    to 0 or 1, and other ones in each step. An augmented Lagrangian drives the probabilities of arcs
    to an acyclic graph; a penalty on open masks closes those that explain little. `weights` of the
    estimate are the probabilities.

    With equal noise the smallest standard deviation of a column is that of the noise, since some
    variable has no parents: columns are divided by it, so that no unit counts that all share.

    Parameters
    ----------
    w_threshold
        Arcs of a probability not above this are left out.
    penalty
        Factor of the sum of all masks, in nats for each row: an arc that raises the likelihood of
        its effect by less is removed. Null is 10 over the number of rows.
    temperature
        Temperature of the random masks: the lower, the nearer they are to 0 and 1.
    noise
        Whether noise has a separate variance in each variable (free), or the same in all, which is
        least squares (equal), as in the paper; then columns must not be standardised.
    splines
        Functions of the basis of each term of the additive models that choose neighbours.
    standardize
        Whether columns are standardised to mean 0 and variance 1; otherwise they are only centred.
        Set it to false with equal noise: if all noise has one variance in the units of the data,
        the variances identify directions.
    """

    name = "mcsl"
    references = (
        "Ng, Zhu, Fang, Li, Chen and Wang 2022, Masked gradient-based causal structure learning, "
        "SDM",
    )

    w_threshold: Probability = 0.5
    penalty: NonNegative | None = None
    temperature: NonNegative = 0.2
    noise: Noise = "free"
    standardize: bool = True
    hidden: tuple[Natural, ...] = (16, 16)
    batch_size: Natural = 256
    learning_rate: NonNegative = 0.01
    rho: NonNegative = 1e-4
    h_tol: NonNegative = 1e-4

    def problem(self) -> str:
        """Return a message if the temperature is not above 0; empty otherwise."""
        if self.temperature == 0:
            return "temperature: found 0, expected a number above 0"
        return super().problem()

    def problem_of(self, p: int) -> MaskProblem:
        """Return the objective for p variables."""
        return MaskProblem(
            hidden=self.hidden,
            batch=self.batch_size,
            temperature=self.temperature,
            noise=self.noise,
            progress=0.5,
            **self.search(),
        )

    def facts_of(self, columns: Matrix, allowed: Matrix) -> MaskFacts:
        """Return the data, allowed arcs, and the penalty, as arrays."""
        rows, near = super().facts_of(columns, allowed)
        sizes = rows.std(axis=0)[varying(rows)]
        if self.noise == "equal" and len(sizes):
            rows = rows / sizes.min()
        penalty = _SPURIOUS / len(rows) if self.penalty is None else self.penalty
        return MaskFacts(rows, near, np.array(penalty))

    def weights_of(self, params: Parameters, facts: MaskFacts) -> Matrix:
        """Return the probabilities of arcs."""
        return np.asarray(arc_probabilities(params, facts), np.float64)
