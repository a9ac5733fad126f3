"""NOTEARS with a weight matrix of low rank."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np

from dagathlon.data.spec import DataKind
from dagathlon.learners.assumptions import EQUAL_VARIANCES, LINEAR, NO_HIDDEN
from dagathlon.learners.base import Estimate, Output
from dagathlon.learners.continuous.weights import (
    Cycles,
    Matrix,
    few_values,
    numbers,
    standardized,
    thresholded,
)
from dagathlon.learners.with_scipy import ScipyLearner
from dagathlon.modules import Count, Natural, NonNegative
from dagathlon.pulse import beat

if TYPE_CHECKING:
    from dagathlon.data import Dataset

# Function of factors, ρ and α with value and gradient.
Objective: TypeAlias = Callable[[Matrix, float, float], tuple[float, Matrix]]


@dataclass(frozen=True, kw_only=True)
class NotearsLowRank(ScipyLearner):
    """NOTEARS with a low-rank weight matrix, a product of two thin ones; no L1 penalty.

    The factors start at zero and at the first columns of the identity, so the order of the
    columns matters where the rank is below their number. Columns are standardised first.

    Parameters
    ----------
    rank
        Rank of the weight matrix, at most the number of columns.
    max_iter
        Largest number of dual ascent steps.
    h_tol
        Stop when the acyclicity constraint is below this.
    rho_max
        Largest penalty of the constraint.
    w_threshold
        Weights not above this in absolute value are no edges; for standardised columns a weight is
        the change of the effect for a unit change of the cause, in standard deviations.
    standardize
        Whether columns are standardised to mean 0 and variance 1 before the fit; otherwise they are
        not even centred.
    cycles
        Treatment of directed cycles among the weights above the threshold: the threshold is raised
        until there are none (cut), or they stay, as in gCastle (keep).
    timeout
        Seconds after which the run is stopped; null for no limit.
    """

    assumes = (LINEAR, EQUAL_VARIANCES, NO_HIDDEN)
    name = "notears_low_rank"
    version = 3
    takes: ClassVar[frozenset[DataKind]] = frozenset({"continuous"})
    references = ("Fang et al. 2023, On low-rank directed acyclic graphs, IEEE TNNLS",)

    rank: Natural = 15
    max_iter: Count = 15
    h_tol: NonNegative = 1e-6
    rho_max: NonNegative = 1e20
    w_threshold: NonNegative = 0.3
    standardize: bool = True
    cycles: Cycles = "cut"
    timeout: NonNegative | None = None

    def output(self) -> Output:
        """Return "dag", or "mixed" if cycles are kept."""
        return "mixed" if self.cycles == "keep" else self.gives

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Learn a DAG."""
        values = numbers(data, self.name)
        notes = few_values(self.name, data, values)
        values = standardized(values) if self.standardize else values
        rank = min(self.rank, values.shape[1])
        factors: Matrix = np.zeros((2, values.shape[1], rank))
        factors[1] = np.eye(values.shape[1], rank)
        objective = _augmented(values, rank)
        rho, alpha, h, steps = 1.0, 0.0, np.inf, 0
        for steps in range(1, self.max_iter + 1):
            # Each attempt starts where the last step ended, as in gCastle.
            start, previous = factors, h
            while rho <= self.rho_max:
                factors, h = _minimum(objective, start, rho, alpha)
                if not h > 0.25 * previous:
                    break
                rho *= 10
            alpha += rho * h
            if steps > 3 and h <= self.h_tol:
                break
        stats = {"acyclicity": float(h) if steps else 0.0, "dual_steps": steps}
        weights = factors[0] @ factors[1].T
        estimate = thresholded(data.names, weights, self.w_threshold, self.cycles, stats)
        return replace(estimate, notes=notes)


def _augmented(values: Matrix, rank: int) -> Objective:
    """Return the augmented Lagrangian, computed by gCastle's operations in gCastle's order.

    The last digits decide which minimum is found, as with the losses of NOTEARS.
    """
    n, p = values.shape
    moments, identity = values.T.dot(values), np.eye(p)

    def objective(flat: Matrix, rho: float, alpha: float) -> tuple[float, Matrix]:
        beat()
        left, right = flat.reshape(2, p, rank)
        weights, turned = left @ right.T, right @ left.T
        residual = np.linalg.norm(values.dot(identity - weights), "fro")
        h, cycles = _acyclicity(weights)
        value = 0.5 / n * np.square(residual) + 0.5 * rho * h * h + alpha * h
        by_left = -1.0 / n * moments.dot(identity - weights).dot(right)
        by_left += (rho * h + alpha) * 2 * (cycles @ right)
        h, cycles = _acyclicity(turned)
        by_right = -1.0 / n * (identity - turned).dot(values.T).dot(values).dot(left)
        by_right += (rho * h + alpha) * 2 * (cycles @ left)
        return value, np.concatenate((by_left, by_right), axis=None)

    return objective


def _acyclicity(weights: Matrix) -> tuple[float, Matrix]:
    """Return the acyclicity constraint of the weights and half its gradient (Zheng 2018)."""
    from scipy.linalg import expm  # noqa: PLC0415 - SciPy only when asked for

    squares = weights * weights
    # Line search points far away overflow; the search then rejects them.
    walks = expm(squares) if np.isfinite(squares).all() else np.full_like(squares, np.inf)
    return float(np.trace(walks) - len(weights)), walks.T * weights


def _minimum(objective: Objective, start: Matrix, rho: float, alpha: float) -> tuple[Matrix, float]:
    """Minimise the augmented Lagrangian by the truncated Newton method from `start`."""
    from scipy.optimize import minimize  # noqa: PLC0415 - SciPy only when asked for

    with np.errstate(over="ignore", invalid="ignore"):
        minimum = minimize(objective, start.ravel(), args=(rho, alpha), method="TNC", jac=True)
        left, right = minimum.x.reshape(start.shape)
        return minimum.x.reshape(start.shape), _acyclicity(left @ right.T)[0]
