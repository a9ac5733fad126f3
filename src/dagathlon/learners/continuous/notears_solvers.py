"""Minimisers of the augmented Lagrangian of NOTEARS: loss + αh + ½ρh² + λ|W|."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from dagathlon import _core
from dagathlon.learners.continuous.notears_losses import Loss
from dagathlon.learners.continuous.weights import Matrix
from dagathlon.pulse import beat

# Below this acyclicity few arcs still change.
SETTLED = 2e-2


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
