"""GOLEM and DAGMA: linear models with soft penalties on cycles, fitted by Adam."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from dagathlon import _core
from dagathlon.data.facts import DataFacts, DataKind
from dagathlon.errors import DataError
from dagathlon.learners.assumptions import EQUAL_VARIANCES, GAUSSIAN, LINEAR, NO_HIDDEN
from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.continuous.notears_losses import (
    DiscreteColumns,
    accepted_by,
    check_outcomes,
    objection_to_loss,
)
from dagathlon.learners.continuous.weights import (
    Matrix,
    dag_estimate,
    few_values,
    numbers,
    standardized,
    varying,
)
from dagathlon.modules import Count, Natural, NonNegative, Probability

if TYPE_CHECKING:
    from dagathlon.data import Dataset


@dataclass(frozen=True, kw_only=True)
class Golem(Learner):
    """GOLEM: a Gaussian likelihood with soft sparsity and acyclicity penalties.

    Columns are standardised first: Adam takes steps of one size for all weights, and of columns in
    units of different size some weights never arrive. Constant columns get no edges.

    Parameters
    ----------
    lambda_1
        Factor of the L1 penalty; 0.02 suits equal, 0.002 unequal variances.
    lambda_2
        Factor of the acyclicity penalty.
    equal_variances
        Whether the noise variances are taken to be equal, of the columns as they are fitted.
    learning_rate
        Step size of Adam.
    num_iter
        Number of steps.
    graph_thres
        Weights not above this in absolute value are no edges; of standardised columns a weight is
        the change of the effect, in its standard deviations, for one of the cause.
    standardize
        Whether columns are shifted and scaled to mean 0 and variance 1 before they are fitted;
        otherwise they are not even centred. Leave it out where all noise has the same variance in
        the units of the data, which tells directions.
    timeout
        Seconds after which the run is stopped; null for no limit.
    """

    assumes = (GAUSSIAN, EQUAL_VARIANCES, NO_HIDDEN)
    name = "golem"
    version = 2
    takes: ClassVar[frozenset[DataKind]] = frozenset({"continuous"})
    order_independent = True
    references = ("Ng, Ghassami and Zhang 2020, NeurIPS",)

    lambda_1: NonNegative = 2e-2
    lambda_2: NonNegative = 5.0
    equal_variances: bool = True
    learning_rate: NonNegative = 1e-3
    num_iter: Count = 100_000
    graph_thres: NonNegative = 0.3
    standardize: bool = True
    timeout: NonNegative | None = None

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Learn a DAG."""
        values = numbers(data, self.name)
        used = np.flatnonzero(varying(values))
        notes = few_values(self.name, data, values)
        values = standardized(values) if self.standardize else values
        weights: Matrix = np.zeros((values.shape[1],) * 2)
        if len(used):
            weights[np.ix_(used, used)] = self._fit(values[:, used])
        found = dag_estimate(data.names, weights, self.graph_thres, {"steps": self.num_iter})
        return replace(found, notes=notes)

    def _fit(self, values: Matrix) -> Matrix:
        weights = _core.golem(
            values.T @ values / len(values),
            np.zeros((values.shape[1],) * 2),
            _core.GolemSettings(
                equal_variances=self.equal_variances,
                sparsity=self.lambda_1,
                acyclicity=self.lambda_2,
                learning_rate=self.learning_rate,
                # The reference returns the weights before its last step.
                steps=max(self.num_iter - 1, 0),
            ),
        )
        if weights is None:
            raise DataError(
                "golem did not converge: a column is a function of others, or there are too few "
                "rows for unequal variances; leave columns out, or raise lambda_1"
            )
        return weights


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
        Weights below this in absolute value are no edges; of standardised columns a weight is the
        change of the effect, in its standard deviations, for one of the cause.
    standardize
        Whether columns are shifted and scaled to mean 0 and variance 1 before they are fitted; for
        l2 alone. Leave it out where all noise has the same variance in the units of the data, which
        tells directions.
    discrete
        What becomes of discrete columns with l2: they are refused, since a linear model of levels
        has no meaning (refuse), or levels that spell numbers are those numbers and others are
        counted from 0 (numbers), or all are ranks by the last number in their names (ordered).
    stages
        Number of stages; the weight of the loss falls by `mu_factor` after each.
    mu_init, mu_factor
        First weight of the loss, and its factor from stage to stage.
    s
        Scale of the determinant in each stage; the last one counts for all that follow.
    warm_iter, max_iter
        Largest number of steps of each stage but the last, and of the last.
    lr
        Step size of Adam.
    checkpoint
        Number of steps after which convergence is looked at.
    beta_1, beta_2
        Decay of the running moments of Adam.
    timeout
        Seconds after which the run is stopped; null for no limit.
    """

    assumes = (LINEAR, EQUAL_VARIANCES, NO_HIDDEN)
    name = "dagma"
    version = 2
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
    warm_iter: Count = 30_000
    max_iter: Count = 60_000
    lr: NonNegative = 0.0003
    checkpoint: Natural = 1000
    beta_1: Probability = 0.99
    beta_2: Probability = 0.999
    timeout: NonNegative | None = None

    def problem(self) -> str:
        """There must be a scale, and none may be zero."""
        return "" if self.s and min(self.s) > 0 else "s needs at least one number above 0"

    def accepted(self) -> frozenset[DataKind]:
        """Least squares are for numbers."""
        return accepted_by(self.loss_type, self.discrete, self.takes)

    def objection(self, data: DataFacts) -> str:
        """Each loss is one of its own kind of columns."""
        rules = {"logistic": "for columns of two levels"}
        return objection_to_loss(self, data, rules) or super().objection(data)

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Learn a DAG."""
        values = numbers(data, self.name, ordered=self.discrete == "ordered")
        check_outcomes(self.name, data.names, values, self.loss_type)
        notes = few_values(self.name, data, values) if self.loss_type == "l2" else ()
        if self.loss_type == "l2":
            values = standardized(values) if self.standardize else values - values.mean(axis=0)
        weights: Matrix = np.zeros((values.shape[1],) * 2)
        moments = values.T @ values / len(values)
        outcomes = values if self.loss_type == "logistic" else values[:0]
        for stage in range(self.stages):
            weights = self._stage(stage, moments, outcomes, weights)
        found = dag_estimate(data.names, weights, self.w_threshold, {"stages": self.stages})
        return replace(found, notes=notes)

    def _stage(self, stage: int, moments: Matrix, outcomes: Matrix, start: Matrix) -> Matrix:
        """One stage; where it leaves the domain, again with smaller steps and a larger scale."""
        scale, rate = self.s[min(stage, len(self.s) - 1)], self.lr
        for _ in range(60):
            settings = _core.DagmaSettings(
                sparsity=self.lambda1,
                weight_of_loss=self.mu_init * self.mu_factor**stage,
                log_determinant_scale=scale,
                learning_rate=rate,
                beta1=self.beta_1,
                beta2=self.beta_2,
                steps=self.max_iter if stage == self.stages - 1 else self.warm_iter,
                checkpoint=self.checkpoint,
            )
            found = _core.dagma(moments, outcomes, start, settings)
            if found is not None:
                return found
            scale, rate = scale + 0.1, rate / 2
        raise DataError("dagma did not converge: the weights leave its domain; raise s or lambda1")
