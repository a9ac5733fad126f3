"""NOTEARS: a linear model fitted under a smooth acyclicity constraint."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from dagathlon import _core
from dagathlon.data.spec import DataFacts, DataKind
from dagathlon.learners.assumptions import EQUAL_VARIANCES, LINEAR, NO_HIDDEN
from dagathlon.learners.base import Estimate, Output
from dagathlon.learners.continuous.notears_losses import (
    LOSSES,
    DiscreteColumns,
    Loss,
    accepted_by,
    check_outcomes,
    from_moments,
    moments_of,
    why_loss_unsuitable,
)
from dagathlon.learners.continuous.weights import (
    Cycles,
    Matrix,
    few_values,
    numbers,
    standardized,
    thresholded,
)
from dagathlon.learners.with_scipy import ScipyLearner
from dagathlon.modules import Count, NonNegative
from dagathlon.pulse import beat

if TYPE_CHECKING:
    from dagathlon.data import Dataset

# Below this acyclicity few arcs still change.
SETTLED = 2e-2

# Rows times squared columns up to which the loss on rows is the smaller part of the work.
_MOST_PRODUCTS = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Notears(ScipyLearner):
    """NOTEARS: a linear model fitted under a smooth acyclicity constraint.

    With ``l2`` columns are standardised first, so that neither the time nor the graph depends on
    the units of measurement. Of columns as they are, those of larger variance tend to come later in
    the order; that is right where all noise has the same variance in these units, and misleads
    elsewhere.

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
        Weights not above this in absolute value are no edges; for standardised columns a weight is
        the change of the effect for a unit change of the cause, in standard deviations.
    standardize
        Whether columns are standardised to mean 0 and variance 1 before the fit; for l2 alone.
    centre
        Whether columns that are not standardised are centred, for l2 alone. The authors' code of
        2018 does not, so that weights have to explain the means of columns too.
    discrete
        Treatment of discrete columns with l2: they are refused, since a linear model of levels has
        no meaning (refuse), or levels that spell numbers are those numbers and others are counted
        from 0, as in Benchpress (numbers), or all are ranks from 0 on by the last number in their
        names (ordered: 0to6, 7to10, 21+), which makes sense for ordinal columns alone.
    solver
        Minimiser of the augmented Lagrangian: L-BFGS-B from the last dual ascent step (lbfgsb), as
        in the authors' code; or, for l2 alone, the path of solutions once few arcs still change
        (path), which with many columns is many times faster and often ends in another minimum. Null
        is path for l2 with many columns, lbfgsb otherwise.
    few_columns
        Largest number of columns for which a null solver is lbfgsb with l2.
    cycles
        Treatment of directed cycles among the weights above the threshold: the threshold is raised
        until there are none (cut), or they stay, as in gCastle (keep).
    timeout
        Seconds after which the run is stopped; null for no limit.
    """

    assumes = (LINEAR, EQUAL_VARIANCES, NO_HIDDEN)
    name = "notears"
    version = 3
    takes: ClassVar[frozenset[DataKind]] = frozenset({"continuous", "discrete", "mixed"})
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
    standardize: bool = True
    centre: bool = True
    discrete: DiscreteColumns = "refuse"
    solver: Literal["lbfgsb", "path"] | None = None
    few_columns: Count = 20
    cycles: Cycles = "cut"
    timeout: NonNegative | None = None

    def problem(self) -> str:
        """Return a message if the solver or centring does not fit the loss; empty otherwise."""
        if self.solver == "path" and self.loss_type != "l2":
            return f"solver 'path' is for loss_type 'l2'; use 'lbfgsb' for {self.loss_type!r}"
        if not self.centre and (self.standardize or self.loss_type != "l2"):
            return "centre=false is for loss_type 'l2' with standardize=false"
        return super().problem()

    def accepted(self) -> frozenset[DataKind]:
        """Return the kinds of data that the loss takes."""
        return accepted_by(self.loss_type, self.discrete, self.takes)

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return why the loss cannot be used with such data; empty if it can."""
        rules = {"logistic": "for columns of two levels", "poisson": "for counts"}
        return why_loss_unsuitable(self, data, rules) or super().why_unsuitable(data)

    def output(self) -> Output:
        """Return "dag", or "mixed" if cycles are kept."""
        return "mixed" if self.cycles == "keep" else self.gives

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Learn a DAG."""
        values = numbers(data, self.name, ordered=self.discrete == "ordered")
        check_outcomes(self.name, data.names, values, self.loss_type)
        notes = few_values(self.name, data, values) if self.loss_type == "l2" else ()
        if self.loss_type == "l2" and self.standardize:
            values = standardized(values)
        point, dual_steps = self._dual_ascent(values)
        stats = {"acyclicity": point.acyclicity, "dual_steps": dual_steps, "steps": point.steps}
        estimate = thresholded(data.names, point.weights, self.w_threshold, self.cycles, stats)
        return replace(estimate, notes=notes)

    def _follows_path(self, columns: int) -> bool:
        if self.solver is None:
            return self.loss_type == "l2" and columns > self.few_columns
        return self.solver == "path"

    def _minimise(self, values: Matrix, follow: bool) -> Minimise:
        rows, columns = values.shape
        if follow:
            return along_path(moments_of(values, self.centre), self.lambda1)
        many = rows * columns**2 > _MOST_PRODUCTS or not self.centre
        if self.loss_type == "l2" and many:
            loss = from_moments(moments_of(values, self.centre))
            return quasi_newton(loss, self.lambda1, native_walks)
        return quasi_newton(LOSSES[self.loss_type](values), self.lambda1, walks)

    def _dual_ascent(self, values: Matrix) -> tuple[Minimum, int]:
        """Run dual ascent: raise penalty and multiplier of the constraint until it holds."""
        rho, alpha, steps = 1.0, 0.0, 0
        follow = self._follows_path(values.shape[1])
        minimise = self._minimise(values, follow)
        point = origin(values.shape[1])
        while steps < self.max_iter and point.acyclicity > self.h_tol and rho < self.rho_max:
            beat(steps, self.max_iter)
            steps += 1
            start = point
            while rho < self.rho_max:
                # The start decides the minimum; gCastle restarts from it each time.
                on_path = follow and point.acyclicity < SETTLED
                point = minimise(
                    point if on_path else start._replace(steps=point.steps), rho, alpha
                )
                if point.acyclicity <= 0.25 * start.acyclicity:
                    break
                rho *= 10
            alpha += rho * point.acyclicity
        return point, steps


class Minimum(NamedTuple):
    """A minimum of loss + αh + ½ρh², which is also a minimum of loss + μh.

    The weights are stored as positive and negative parts, whose sum is their L1 norm at a
    minimum and smooth everywhere. During the search both parts of a weight may be positive, and
    L-BFGS-B continues from there.
    """

    halves: Matrix
    acyclicity: float
    multiplier: float
    steps: int

    @property
    def weights(self) -> Matrix:
        """Return the weights, from row to column."""
        return joined(self.halves)


# Function of a start, ρ and α that returns the minimum.
Minimise: TypeAlias = Callable[[Minimum, float, float], Minimum]


def origin(p: int) -> Minimum:
    """Return the minimum with all weights zero."""
    return Minimum(np.zeros(2 * p * p), np.inf, 0.0, 0)


def along_path(moments: Matrix, penalty: float) -> Minimise:
    """Return the minimiser for least squares by path following with one lasso per column.

    The path is that of solutions over the multiplier. While many arcs still change it takes
    larger steps, which find other, often better minima.
    """

    def minimise(start: Minimum, rho: float, alpha: float) -> Minimum:
        args = (moments, penalty, start.weights)
        if start.acyclicity < SETTLED:
            found = _core.notears_minimum(*args, start.multiplier, rho, alpha)
        else:
            found = _core.notears_search(*args, rho, alpha)
        weights, h, multiplier, steps = found
        halves = np.concatenate((np.maximum(weights, 0), np.maximum(-weights, 0)), axis=None)
        return Minimum(halves, h, multiplier, start.steps + steps)

    return minimise


def quasi_newton(loss: Loss, penalty: float, acyclicity: Loss) -> Minimise:
    """Return the minimiser by SciPy's L-BFGS-B, with gCastle's operations in gCastle's order."""
    from scipy.optimize import fmin_l_bfgs_b  # noqa: PLC0415 - SciPy only when asked for

    def minimise(start: Minimum, rho: float, alpha: float) -> Minimum:
        def objective(halves: Matrix) -> tuple[float, Matrix]:
            beat()
            weights = joined(halves)
            value, gradient = loss(weights)
            h, slope = acyclicity(weights)
            smooth = gradient + (rho * h + alpha) * slope
            value = value + 0.5 * rho * h * h + alpha * h + penalty * halves.sum()
            return value, np.concatenate((smooth + penalty, penalty - smooth), axis=None)

        bounds = _bounds(len(start.weights))
        found, _, report = fmin_l_bfgs_b(objective, start.halves, bounds=bounds)
        h = acyclicity(joined(found))[0]
        return Minimum(found, h, alpha + rho * h, start.steps + report["nit"])

    return minimise


def native_walks(weights: Matrix) -> tuple[float, Matrix]:
    """Compute `walks` faster, equal up to the last digits."""
    h, slope = _core.acyclicity(weights, False)
    return h, 2 * slope * weights


def walks(weights: Matrix) -> tuple[float, Matrix]:
    """Return the acyclicity constraint by closed walks, and its gradient (Yu et al. 2019)."""
    p = len(weights)
    steps = np.eye(p) + weights * weights / p
    power = np.linalg.matrix_power(steps, p - 1).T
    return float((power * steps).sum() - p), power * weights * 2


def joined(halves: Matrix) -> Matrix:
    """Return the weight matrix, flattened by row, from positive and negative parts."""
    positive, negative = halves.reshape(2, -1)
    p = math.isqrt(len(positive))
    result: Matrix = (positive - negative).reshape(p, p)
    return result


def _bounds(p: int) -> list[tuple[float, float | None]]:
    once = [(0.0, 0.0 if i == j else None) for i in range(p) for j in range(p)]
    return once * 2
