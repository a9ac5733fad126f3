"""NOTEARS: a linear model fitted under a smooth constraint that keeps it acyclic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from dagathlon import _core
from dagathlon.data.facts import DataFacts, DataKind
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.weights import Matrix, dag_estimate, numbers
from dagathlon.modules import Count, NonNegative

if TYPE_CHECKING:
    from dagathlon.data import Dataset

Loss: TypeAlias = Callable[[Matrix], tuple[float, Matrix]]


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
    solver
        How minima of the augmented Lagrangian are found: by L-BFGS-B from the last dual ascent
        step (lbfgsb), as the authors do; or, for l2 alone, by following the path of solutions
        once few arcs still change (path), which with many columns is many times faster and often
        ends in another minimum. Null is path for l2 with more than 20 columns, lbfgsb otherwise.
    cycles
        What is done where weights above the threshold form a directed cycle: the threshold is
        raised until none is left (cut), or they all stay, as in gCastle (keep).
    timeout
        Seconds after which the run is stopped; null for no limit.
    """

    name = "notears"
    takes: ClassVar[frozenset[DataKind]] = frozenset({"continuous", "discrete", "mixed"})
    order_independent = True
    uses_blas = True
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
    solver: Literal["lbfgsb", "path"] | None = None
    cycles: Literal["cut", "keep"] = "cut"
    timeout: NonNegative | None = None

    def problem(self) -> str:
        """The path of solutions is one of least squares."""
        if self.solver == "path" and self.loss_type != "l2":
            return f"solver 'path' is for loss_type 'l2'; use 'lbfgsb' for {self.loss_type!r}"
        return super().problem()

    def objection(self, data: DataFacts) -> str:
        """The logistic loss is one of two levels."""
        if self.loss_type == "logistic" and data.kind == "discrete" and data.binary is False:
            return "notears with loss_type 'logistic' needs binary data; use 'l2' or 'poisson'"
        return super().objection(data)

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Learn a DAG."""
        values = numbers(data, self.name)
        check_outcomes(self.name, data.names, values, self.loss_type)
        point, dual_steps = self._dual_ascent(values)
        stats = {"acyclicity": point.acyclicity, "dual_steps": dual_steps, "steps": point.steps}
        if self.cycles == "keep":
            kept = np.abs(point.weights) > self.w_threshold
            return Estimate(Graph.from_adjacency(data.names, kept), stats)
        return dag_estimate(data.names, point.weights, self.w_threshold, stats)

    def _follows_path(self, columns: int) -> bool:
        if self.solver is None:
            return self.loss_type == "l2" and columns > _FEW_COLUMNS
        return self.solver == "path"

    def _dual_ascent(self, values: Matrix) -> tuple[_Point, int]:
        """Raise penalty and multiplier of the constraint until it holds."""
        rho, alpha, steps = 1.0, 0.0, 0
        follow = self._follows_path(values.shape[1])
        point = _Point(np.zeros((values.shape[1],) * 2), np.inf, 0.0, 0)
        minimise = _quasi_newton(LOSSES[self.loss_type](values), self.lambda1)
        while steps < self.max_iter and point.acyclicity > self.h_tol and rho < self.rho_max:
            steps += 1
            start = point
            while rho < self.rho_max:
                # Where L-BFGS-B begins decides which minimum it finds; gCastle goes back each time.
                origin = start._replace(steps=point.steps)
                if follow and point.acyclicity < _SETTLED:
                    minimise, origin = _along_path(_moments(values), self.lambda1), point
                point = minimise(origin, rho, alpha)
                if point.acyclicity <= 0.25 * start.acyclicity:
                    break
                rho *= 10
            alpha += rho * point.acyclicity
        return point, steps


class _Point(NamedTuple):
    """A minimum of loss + αh + ½ρh², which is also one of loss + μh."""

    weights: Matrix
    acyclicity: float
    multiplier: float
    steps: int


Minimise: TypeAlias = Callable[[_Point, float, float], _Point]
# Below this acyclicity few arcs still change, and the path of solutions is the faster way. Before,
# a search that jumps further than the path finds other, often better minima.
_SETTLED = 2e-2
# Up to so many columns the authors' own steps take about a second.
_FEW_COLUMNS = 20


def _moments(values: Matrix) -> Matrix:
    centred = values - values.mean(axis=0)
    result: Matrix = centred.T @ centred / len(centred)
    return result


def _along_path(moments: Matrix, penalty: float) -> Minimise:
    def minimise(start: _Point, rho: float, alpha: float) -> _Point:
        weights, h, multiplier, steps = _core.notears_minimum(
            moments, penalty, start.weights, start.multiplier, rho, alpha
        )
        return _Point(weights, h, multiplier, start.steps + steps)

    return minimise


def _quasi_newton(loss: Loss, penalty: float) -> Minimise:
    from scipy.optimize import minimize  # noqa: PLC0415 - SciPy only when asked for

    def minimise(start: _Point, rho: float, alpha: float) -> _Point:
        p = len(start.weights)
        if p < 2:
            return start._replace(acyclicity=0.0)

        def objective(halves: Matrix) -> tuple[float, Matrix]:
            weights = _joined(halves, p)
            value, gradient = loss(weights)
            h, slope = _core.acyclicity(weights, False)
            smooth = (gradient + 2 * (rho * h + alpha) * slope * weights).ravel()
            value += 0.5 * rho * h * h + alpha * h + penalty * halves.sum()
            return value, np.concatenate((smooth + penalty, penalty - smooth))

        upper = np.where(np.eye(p, dtype=np.bool_).ravel(), 0.0, np.inf)
        found = minimize(
            objective,
            _halves(start.weights),
            method="L-BFGS-B",
            jac=True,
            bounds=list(zip(np.zeros(2 * p * p), np.tile(upper, 2), strict=True)),
        )
        weights = _joined(found.x, p)
        h = _core.acyclicity(weights, False)[0]
        return _Point(weights, h, alpha + rho * h, start.steps + found.nit)

    return minimise


def _halves(weights: Matrix) -> Matrix:
    """Positive and negative parts one after the other, so that the L1 penalty is smooth."""
    return np.concatenate((np.maximum(weights, 0).ravel(), np.maximum(-weights, 0).ravel()))


def _joined(halves: Matrix, p: int) -> Matrix:
    return (halves[: p * p] - halves[p * p :]).reshape(p, p)


def _least_squares(values: Matrix) -> Loss:
    moments = _moments(values)

    def loss(weights: Matrix) -> tuple[float, Matrix]:
        errors = np.eye(len(weights)) - weights
        products = moments @ errors
        return 0.5 * (errors * products).sum(), -products

    return loss


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


LOSSES = {"l2": _least_squares, "logistic": _logistic, "poisson": _poisson}


def check_outcomes(learner: str, names: tuple[str, ...], values: Matrix, loss_type: str) -> None:
    """Refuse columns that the loss is not made for."""
    for name, column in zip(names, values.T, strict=True):
        if loss_type == "logistic" and not np.isin(column, (0, 1)).all():
            raise DataError(
                f"{learner} with loss_type 'logistic' needs columns of 0 and 1; {name!r} has "
                f"{column[~np.isin(column, (0, 1))][0]:g}"
            )
        if loss_type == "poisson" and (column < 0).any():
            raise DataError(
                f"{learner} with loss_type 'poisson' needs counts; {name!r} has {column.min():g}"
            )
