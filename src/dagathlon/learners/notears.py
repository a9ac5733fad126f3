"""NOTEARS: a linear model fitted under a smooth constraint that keeps it acyclic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

import numpy as np

from dagathlon import _core
from dagathlon.data.facts import DataFacts, DataKind
from dagathlon.errors import DataError
from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.weights import Matrix, dag_estimate, numbers
from dagathlon.modules import Count, NonNegative

if TYPE_CHECKING:
    from dagathlon.data import Dataset

Loss: TypeAlias = Callable[[Matrix], tuple[float, Matrix]]
# Weights, how far they are from a DAG, the multiplier of that, and the number of steps.
Point: TypeAlias = tuple[Matrix, float, float, int]


@dataclass(frozen=True, kw_only=True)
class Notears(Learner):
    """NOTEARS: a linear model fitted under a smooth constraint that keeps it acyclic.

    The results of ``l2`` depend on the scale of the columns: variables of larger variance tend to
    come later in the order.

    Parameters
    ----------
    lambda1
        Factor of the L1 penalty.
    loss_type
        Loss: least squares (l2), logistic for columns of 0 and 1, poisson for counts.
    max_iter
        Largest number of dual ascent steps.
    h_tol
        Stop when the acyclicity constraint is below this.
    rho_max
        Stop when the penalty of the constraint is above this.
    w_threshold
        Weights not above this in absolute value are no edges.
    timeout
        Seconds after which the run is stopped; null for no limit.
    """

    name = "notears"
    takes: ClassVar[frozenset[DataKind]] = frozenset({"continuous", "discrete", "mixed"})
    order_independent = True
    references = (
        "Zheng, Aragam, Ravikumar and Xing 2018, DAGs with NO TEARS, NeurIPS",
        "Yu, Chen, Gao and Yu 2019, DAG-GNN, ICML",
    )

    lambda1: NonNegative = 0.1
    loss_type: Literal["l2", "logistic", "poisson"] = "l2"
    max_iter: Count = 100
    h_tol: NonNegative = 1e-8
    rho_max: NonNegative = 1e16
    w_threshold: NonNegative = 0.3
    timeout: NonNegative | None = None

    def objection(self, data: DataFacts) -> str:
        """The logistic loss is one of two levels."""
        if self.loss_type == "logistic" and data.kind == "discrete" and data.binary is False:
            return "notears with loss_type 'logistic' needs binary data; use 'l2' or 'poisson'"
        return super().objection(data)

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Learn a DAG."""
        values = numbers(data, self.name)
        if self.loss_type == "l2":
            point, dual_steps = self._dual_ascent(_least_squares(values, self.lambda1))
        else:
            _check_outcomes(data.names, values, self.loss_type)
            minimise = _generalised(values, self.loss_type, self.lambda1)
            point, dual_steps = self._dual_ascent(minimise)
        stats = {"acyclicity": point[1], "dual_steps": dual_steps, "steps": point[3]}
        return dag_estimate(data.names, point[0], self.w_threshold, stats)

    def _dual_ascent(self, minimise: Minimise) -> tuple[Point, int]:
        """Raise penalty and multiplier of the constraint until it holds."""
        rho, alpha, previous = 1.0, 0.0, np.inf
        point, steps = minimise(None, 0.0, 0.0), 0
        while steps < self.max_iter and point[1] > self.h_tol and rho < self.rho_max:
            steps += 1
            while rho < self.rho_max:
                point = minimise(point, rho, alpha)
                if point[1] <= 0.25 * previous:
                    break
                rho *= 10
            previous = point[1]
            alpha += rho * previous
        return point, steps


Minimise: TypeAlias = Callable[[Point | None, float, float], Point]


def _least_squares(values: Matrix, penalty: float) -> Minimise:
    centred = values - values.mean(axis=0)
    moments = centred.T @ centred / len(centred)

    def minimise(start: Point | None, rho: float, alpha: float) -> Point:
        weights, _, multiplier, steps = start or (np.zeros_like(moments), 0.0, 0.0, 0)
        found = _core.notears_minimum(moments, penalty, weights, multiplier, rho, alpha)
        return found[0], found[1], found[2], steps + found[3]

    return minimise


def _generalised(
    values: Matrix, loss_type: Literal["logistic", "poisson"], penalty: float
) -> Minimise:
    from scipy.optimize import minimize  # noqa: PLC0415 - SciPy only when asked for

    p = values.shape[1]
    loss = (_logistic if loss_type == "logistic" else _poisson)(values)
    off_diagonal = ~np.eye(p, dtype=np.bool_).ravel()
    bounds = [(0, None if free else 0) for free in np.tile(off_diagonal, 2)]

    def minimise(start: Point | None, rho: float, alpha: float) -> Point:
        def objective(halves: Matrix) -> tuple[float, Matrix]:
            weights = _joined(halves, p)
            value, gradient = loss(weights)
            h, slope = _core.acyclicity(weights, False)
            smooth = (gradient + 2 * (rho * h + alpha) * slope * weights).ravel()
            value += 0.5 * rho * h * h + alpha * h + penalty * halves.sum()
            return value, np.concatenate((smooth + penalty, penalty - smooth))

        halves = _halves(np.zeros((p, p)) if start is None else start[0])
        with np.errstate(over="ignore"):
            found = minimize(objective, halves, method="L-BFGS-B", jac=True, bounds=bounds)
        weights = _joined(found.x, p)
        h = _core.acyclicity(weights, False)[0]
        return weights, h, alpha + rho * h, found.nit + (0 if start is None else start[3])

    return minimise


def _halves(weights: Matrix) -> Matrix:
    """Positive and negative parts one after the other, so that the L1 penalty is smooth."""
    return np.concatenate((np.maximum(weights, 0).ravel(), np.maximum(-weights, 0).ravel()))


def _joined(halves: Matrix, p: int) -> Matrix:
    return (halves[: p * p] - halves[p * p :]).reshape(p, p)


def _logistic(values: Matrix) -> Loss:
    from scipy.special import expit  # noqa: PLC0415

    def loss(weights: Matrix) -> tuple[float, Matrix]:
        logits = values @ weights
        value = (np.logaddexp(0, logits) - values * logits).sum() / len(values)
        return value, values.T @ (expit(logits) - values) / len(values)

    return loss


def _poisson(values: Matrix) -> Loss:
    def loss(weights: Matrix) -> tuple[float, Matrix]:
        logs = values @ weights
        means = np.exp(logs)
        value = (means - values * logs).sum() / len(values)
        return value, values.T @ (means - values) / len(values)

    return loss


def _check_outcomes(names: tuple[str, ...], values: Matrix, loss_type: str) -> None:
    """Refuse columns that the loss is not made for."""
    for name, column in zip(names, values.T, strict=True):
        if loss_type == "logistic" and not np.isin(column, (0, 1)).all():
            raise DataError(
                f"notears with loss_type 'logistic' needs columns of 0 and 1; {name!r} has "
                f"{column[~np.isin(column, (0, 1))][0]:g}"
            )
        if loss_type == "poisson" and (column < 0).any():
            raise DataError(
                f"notears with loss_type 'poisson' needs counts; {name!r} has {column.min():g}"
            )
