"""DAGMA: a linear model with a log-determinant penalty on cycles, along a central path."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

import numpy as np

from dagathlon import _core
from dagathlon.data.spec import DataFacts, DataKind
from dagathlon.errors import DataError
from dagathlon.learners.assumptions import EQUAL_VARIANCES, LINEAR, NO_HIDDEN
from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.continuous.notears_losses import (
    DiscreteColumns,
    accepted_by,
    check_outcomes,
    why_loss_unsuitable,
)
from dagathlon.learners.continuous.weights import (
    Matrix,
    dag_estimate,
    few_values,
    numbers,
    order_by_content,
    standardized,
)
from dagathlon.modules import Count, Natural, NonNegative, Probability

if TYPE_CHECKING:
    from dagathlon.data import Dataset

# Steps of Adam that the first stages begin with before quasi-Newton ones: as long as many arcs may
# still go either way, small steps lead to better minima on average.
_SMALL_STEPS = (3000, 2000, 2000)
# Relative gain of the objective below which a stage ends: earlier stages, and the last one.
_GAIN, _LAST_GAIN = 1e-10, 1e-12


class _Sample(NamedTuple):
    """Second moments, and the rows if the loss needs them."""

    moments: Matrix
    outcomes: Matrix


@dataclass(frozen=True, kw_only=True)
class Dagma(Learner):
    """DAGMA: a linear model with a log-determinant penalty on cycles, along a central path.

    Parameters
    ----------
    lambda1
        Factor of the L1 penalty.
    loss_type
        Loss: least squares (l2), or logistic for columns of 0 and 1.
    w_threshold
        Weights below this in absolute value are no edges; for standardised columns a weight is the
        change of the effect for a unit change of the cause, in standard deviations.
    standardize
        Whether columns are standardised to mean 0 and variance 1 before the fit; for l2 alone. Set
        it to false if all noise has the same variance in the units of the data, which then
        identifies directions.
    discrete
        Treatment of discrete columns with l2: they are refused, since a linear model of levels has
        no meaning (refuse), or levels that spell numbers are those numbers and others are counted
        from 0 (numbers), or all are ranks by the last number in their names (ordered).
    stages
        Number of stages; the weight of the loss falls by `mu_factor` after each.
    mu_init, mu_factor
        Initial weight of the loss, and its factor from stage to stage.
    s
        Scale of the log-determinant in each stage; the last one applies to all later stages.
    solver
        Minimiser of each stage: quasi-Newton steps to a stationary point, preceded in the first
        three stages by some thousand small steps of Adam (quasi-newton), or Adam alone, as in the
        authors' code (adam), which on standardised columns takes several times as long. Both follow
        the same path; with many columns they may end in different minima.
    warm_iter, max_iter
        Largest number of steps of each stage but the last (warm_iter), and of the last (max_iter).
    lr
        Step size of Adam.
    checkpoint
        Number of steps of Adam between two convergence checks.
    beta_1, beta_2
        Decay of the running moments of Adam.
    timeout
        Seconds after which the run is stopped; null for no limit.
    """

    assumes = (LINEAR, EQUAL_VARIANCES, NO_HIDDEN)
    name = "dagma"
    version = 3
    takes: ClassVar[frozenset[DataKind]] = frozenset({"continuous", "discrete", "mixed"})
    order_independent = True
    references = ("Bello, Aragam and Ravikumar 2022, DAGMA, NeurIPS",)

    lambda1: NonNegative = 0.03
    loss_type: Literal["l2", "logistic"] = "l2"
    w_threshold: NonNegative = 0.3
    standardize: bool = True
    discrete: DiscreteColumns = "refuse"
    stages: Natural = 5
    mu_init: NonNegative = 1.0
    mu_factor: Probability = 0.1
    s: tuple[NonNegative, ...] = (1.0, 0.9, 0.8, 0.7, 0.6)
    solver: Literal["quasi-newton", "adam"] = "quasi-newton"
    warm_iter: Count = 30_000
    max_iter: Count = 60_000
    lr: NonNegative = 0.0003
    checkpoint: Natural = 1000
    beta_1: Probability = 0.99
    beta_2: Probability = 0.999
    timeout: NonNegative | None = None

    def problem(self) -> str:
        """Return a message if there is no scale, or one of zero; empty otherwise."""
        return "" if self.s and min(self.s) > 0 else "s needs at least one number above 0"

    def accepted(self) -> frozenset[DataKind]:
        """Return the kinds of data that the loss takes."""
        return accepted_by(self.loss_type, self.discrete, self.takes)

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return why the loss cannot be used with such data; empty if it can."""
        rules = {"logistic": "for columns of two levels"}
        return why_loss_unsuitable(self, data, rules) or super().why_unsuitable(data)

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Learn a DAG."""
        values = numbers(data, self.name, ordered=self.discrete == "ordered")
        check_outcomes(self.name, data.names, values, self.loss_type)
        notes = few_values(self.name, data, values) if self.loss_type == "l2" else ()
        if self.solver == "adam":
            weights = self._path(self._prepared(values))
        else:
            # With many columns rounding errors may decide the minimum: sorting the columns
            # removes the dependence on their order in the data.
            order = order_by_content(values)
            weights = np.zeros((len(order),) * 2)
            weights[np.ix_(order, order)] = self._path(
                self._prepared(np.ascontiguousarray(values[:, order]))
            )
        estimate = dag_estimate(data.names, weights, self.w_threshold, {"stages": self.stages})
        return replace(estimate, notes=notes)

    def _prepared(self, values: Matrix) -> _Sample:
        """Centre or standardise the data for least squares."""
        if self.loss_type == "l2":
            values = standardized(values) if self.standardize else values - values.mean(axis=0)
        if self.loss_type == "l2" and self.solver != "adam":
            return _Sample(_core.second_moments(values), values[:0])
        outcomes = values if self.loss_type == "logistic" else values[:0]
        return _Sample(values.T @ values / len(values), outcomes)

    def _path(self, sample: _Sample) -> Matrix:
        """Return the weights at the end of the central path."""
        weights: Matrix = np.zeros(sample.moments.shape)
        for stage in range(self.stages):
            weights = self._stage(stage, sample, weights)
        return weights

    def _stage(self, stage: int, sample: _Sample, start: Matrix) -> Matrix:
        """Run one stage; outside the domain, retry with smaller steps and a larger scale."""
        scale, rate = self.s[min(stage, len(self.s) - 1)], self.lr
        for _ in range(60):
            weights = self._minimum(stage, sample, start, scale, rate)
            if weights is not None:
                return weights
            scale, rate = scale + 0.1, rate / 2
        raise DataError("dagma did not converge: the weights leave its domain; raise s or lambda1")

    def _minimum(
        self, stage: int, sample: _Sample, start: Matrix, scale: float, rate: float
    ) -> Matrix | None:
        settings = _core.DagmaStage(
            sparsity=self.lambda1,
            weight_of_loss=self.mu_init * self.mu_factor**stage,
            log_determinant_scale=scale,
        )
        last = stage == self.stages - 1
        steps = self.max_iter if last else self.warm_iter
        adam = _core.DagmaAdam(
            learning_rate=rate, beta1=self.beta_1, beta2=self.beta_2, checkpoint=self.checkpoint
        )
        if self.solver == "adam":
            return _core.dagma_by_adam(*sample, start, settings, adam, steps)
        if stage < len(_SMALL_STEPS):
            few = min(steps, _SMALL_STEPS[stage])
            near = _core.dagma_by_adam(*sample, start, settings, adam, few)
            if near is None:
                return None
            start = near
        gain = _LAST_GAIN if last else _GAIN
        minimum = _core.dagma_by_quasi_newton(*sample, start, settings, gain, steps)
        return None if minimum is None else minimum[0]
