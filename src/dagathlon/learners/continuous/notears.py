"""NOTEARS: a linear model fitted under a smooth constraint that keeps it acyclic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from dagathlon.data.facts import DataFacts, DataKind
from dagathlon.learners.base import Estimate, Learner, Output
from dagathlon.learners.continuous.notears_losses import (
    LOSSES,
    check_outcomes,
    from_moments,
    moments_of,
)
from dagathlon.learners.continuous.notears_solvers import (
    SETTLED,
    Minimise,
    Minimum,
    along_path,
    native_walks,
    origin,
    quasi_newton,
    walks,
)
from dagathlon.learners.continuous.weights import Cycles, Matrix, numbers, thresholded
from dagathlon.modules import Count, NonNegative
from dagathlon.pulse import beat

if TYPE_CHECKING:
    from dagathlon.data import Dataset

# Rows times squared columns, up to which the loss on rows is not the larger part of the work.
_MOST_PRODUCTS = 1_000_000


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
        ends in another minimum. Null is path for l2 with many columns, lbfgsb otherwise.
    few_columns
        The largest number of columns for which a null solver is lbfgsb with l2.
    cycles
        What is done where weights above the threshold form a directed cycle: the threshold is
        raised until none is left (cut), or they all stay, as in gCastle (keep).
    timeout
        Seconds after which the run is stopped; null for no limit.
    """

    name = "notears"
    version = 2
    takes: ClassVar[frozenset[DataKind]] = frozenset({"continuous", "discrete", "mixed"})
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
    few_columns: Count = 20
    cycles: Cycles = "cut"
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

    def output(self) -> Output:
        """Cycles that are kept make no DAG."""
        return "mixed" if self.cycles == "keep" else self.gives

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Learn a DAG."""
        values = numbers(data, self.name)
        check_outcomes(self.name, data.names, values, self.loss_type)
        point, dual_steps = self._dual_ascent(values)
        stats = {"acyclicity": point.acyclicity, "dual_steps": dual_steps, "steps": point.steps}
        return thresholded(data.names, point.weights, self.w_threshold, self.cycles, stats)

    def _follows_path(self, columns: int) -> bool:
        if self.solver is None:
            return self.loss_type == "l2" and columns > self.few_columns
        return self.solver == "path"

    def _minimise(self, values: Matrix, follow: bool) -> Minimise:
        rows, columns = values.shape
        if follow:
            return along_path(moments_of(values), self.lambda1)
        if self.loss_type == "l2" and rows * columns**2 > _MOST_PRODUCTS:
            return quasi_newton(from_moments(moments_of(values)), self.lambda1, native_walks)
        return quasi_newton(LOSSES[self.loss_type](values), self.lambda1, walks)

    def _dual_ascent(self, values: Matrix) -> tuple[Minimum, int]:
        """Raise penalty and multiplier of the constraint until it holds."""
        rho, alpha, steps = 1.0, 0.0, 0
        follow = self._follows_path(values.shape[1])
        minimise = self._minimise(values, follow)
        point = origin(values.shape[1])
        while steps < self.max_iter and point.acyclicity > self.h_tol and rho < self.rho_max:
            beat(steps, self.max_iter)
            steps += 1
            start = point
            while rho < self.rho_max:
                # Where a search begins decides which minimum it finds; gCastle goes back each time.
                on_path = follow and point.acyclicity < SETTLED
                point = minimise(
                    point if on_path else start._replace(steps=point.steps), rho, alpha
                )
                if point.acyclicity <= 0.25 * start.acyclicity:
                    break
                rho *= 10
            alpha += rho * point.acyclicity
        return point, steps
