"""GOLEM: a linear model with soft penalties on cycles, fitted by Adam."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dagathlon import _core
from dagathlon.data.spec import DataKind
from dagathlon.errors import DataError
from dagathlon.learners.assumptions import EQUAL_VARIANCES, GAUSSIAN, NO_HIDDEN
from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.continuous.weights import (
    Matrix,
    dag_estimate,
    few_values,
    numbers,
    standardized,
    varying,
)
from dagathlon.modules import Count, NonNegative

if TYPE_CHECKING:
    from dagathlon.data import Dataset


@dataclass(frozen=True, kw_only=True)
class Golem(Learner):
    """GOLEM: a Gaussian likelihood with soft sparsity and acyclicity penalties.

    Columns are standardised first: Adam's steps have one size for all weights, and with columns
    in very different units some weights do not converge. Constant columns get no edges.

    Parameters
    ----------
    lambda_1
        Factor of the L1 penalty; 0.02 suits equal, 0.002 unequal variances.
    lambda_2
        Factor of the acyclicity penalty.
    equal_variances
        Whether the noise variances of the fitted columns are assumed to be equal.
    learning_rate
        Step size of Adam.
    num_iter
        Number of steps.
    graph_thres
        Weights not above this in absolute value are no edges; for standardised columns a weight is
        the change of the effect for a unit change of the cause, in standard deviations.
    standardize
        Whether columns are standardised to mean 0 and variance 1 before the fit; otherwise they are
        not even centred. Set it to false if all noise has the same variance in the units of the
        data, which then identifies directions.
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
        estimate = dag_estimate(data.names, weights, self.graph_thres, {"steps": self.num_iter})
        return replace(estimate, notes=notes)

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
