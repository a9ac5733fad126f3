"""NOTEARS with a weight matrix of low rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dagathlon import _core
from dagathlon.data.facts import DataKind
from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.weights import Matrix, dag_estimate, numbers
from dagathlon.modules import Count, Natural, NonNegative

if TYPE_CHECKING:
    from dagathlon.data import Dataset


@dataclass(frozen=True, kw_only=True)
class NotearsLowRank(Learner):
    """NOTEARS with a weight matrix that is a product of two thin ones; no L1 penalty.

    The factors start at nothing and at the first columns of the identity, so the order of the
    columns matters where the rank is below their number. The data are not centred.

    Parameters
    ----------
    rank
        Rank of the weight matrix; the number of columns where it is larger.
    max_iter
        Largest number of dual ascent steps.
    h_tol
        Stop when the acyclicity constraint is below this.
    rho_max
        The penalty of the constraint grows no further than this.
    w_threshold
        Weights not above this in absolute value are no edges.
    timeout
        Seconds after which the run is stopped; null for no limit.
    """

    name = "notears_low_rank"
    uses_blas = True
    takes: ClassVar[frozenset[DataKind]] = frozenset({"continuous"})
    references = ("Fang et al. 2023, On low-rank directed acyclic graphs, IEEE TNNLS",)

    rank: Natural = 15
    max_iter: Count = 15
    h_tol: NonNegative = 1e-6
    rho_max: NonNegative = 1e20
    w_threshold: NonNegative = 0.3
    timeout: NonNegative | None = None

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Learn a DAG."""
        values = numbers(data, self.name)
        rank = min(self.rank, values.shape[1])
        factors: Matrix = np.zeros((2, values.shape[1], rank))
        factors[1] = np.eye(values.shape[1], rank)
        moments = values.T @ values / len(values)
        rho, alpha, h, steps = 1.0, 0.0, np.inf, 0
        for steps in range(1, self.max_iter + 1):
            # Each try begins where the last step ended, as in gCastle: it decides on the minimum.
            start, previous = factors, h
            while rho <= self.rho_max:
                factors, h = _minimum(moments, start, rho, alpha)
                if h <= 0.25 * previous:
                    break
                rho *= 10
            alpha += rho * h
            if steps > 3 and h <= self.h_tol:
                break
        stats = {"acyclicity": float(h) if steps else 0.0, "dual_steps": steps}
        return dag_estimate(data.names, factors[0] @ factors[1].T, self.w_threshold, stats)


def _minimum(moments: Matrix, start: Matrix, rho: float, alpha: float) -> tuple[Matrix, float]:
    """A minimum of the augmented Lagrangian, by the truncated Newton method from `start`."""
    from scipy.optimize import minimize  # noqa: PLC0415 - SciPy only when asked for

    def objective(flat: Matrix) -> tuple[float, Matrix]:
        left, right = flat.reshape(start.shape)
        weights = left @ right.T
        errors = np.eye(len(weights)) - weights
        products = moments @ errors
        h, slope = _core.acyclicity(weights, True)
        gradient = -products + 2 * (rho * h + alpha) * slope * weights
        value = 0.5 * (errors * products).sum() + 0.5 * rho * h * h + alpha * h
        return value, np.concatenate((gradient @ right, gradient.T @ left), axis=None)

    found = minimize(objective, start.ravel(), method="TNC", jac=True).x.reshape(start.shape)
    return found, _core.acyclicity(found[0] @ found[1].T, True)[0]
