"""SCORE and DAS: the derivative of a leaf's score by itself is constant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dagathlon.learners.continuous.weights import standardized
from dagathlon.learners.nonlinear.additive import Arcs
from dagathlon.learners.nonlinear.order_based import Models, OrderBased, OrderResult, Problem
from dagathlon.learners.nonlinear.splines import Matrix, Vector
from dagathlon.learners.nonlinear.stein import Stein, drawn_rows
from dagathlon.modules import Count, Natural, NonNegative, Probability
from dagathlon.pulse import aside, beat


@dataclass(frozen=True, kw_only=True)
class ScoreMatching(OrderBased):
    """Base class of learners by Stein estimates of the score, the gradient of the log density.

    Parameters
    ----------
    ridge
        Regularisation of the Stein estimators of the score and of its Jacobian.
    standardize
        Whether variables are scaled to variance 1 first. Without it, as in the papers, the order
        depends on their units: estimates vary less for variables of large variance, which are then
        taken for leaves.
    max_rows
        Largest number of rows for finding the order, drawn at random if there are more; memory is
        quadratic and time cubic in it. Null: all.
    """

    ridge: NonNegative = 0.001
    standardize: bool = True
    max_rows: Natural | None = 2000

    def prepared(self, problem: Problem) -> tuple[Matrix, tuple[str, ...]]:
        """Return the rows from which the order is found, and a note if they are a subsample."""
        values = standardized(problem.values) if self.standardize else problem.values
        return drawn_rows(values, self.max_rows, problem.rng, self.name)


@dataclass(frozen=True, kw_only=True)
class Score(ScoreMatching):
    """SCORE: the variable whose second derivative of the log density varies least is a leaf.

    That derivative is constant for leaves of nonlinear models with additive Gaussian noise.
    Removing leaves one after another gives the order.

    Parameters
    ----------
    criterion
        Criterion that a leaf minimises: the variance of the derivative over the rows (variance), or
        that after a division by its mean (relative).
    """

    name = "score"
    references = (
        "Rolland, Cevher, Kleindessner, Russell, Janzing, Schölkopf and Locatello 2022, Score "
        "matching enables causal discovery of nonlinear additive noise models, ICML",
    )

    criterion: Literal["variance", "relative"] = "variance"

    def search(self, problem: Problem, models: Models) -> OrderResult:
        """Find the order by removing leaves one after another."""
        values, notes = self.prepared(problem)
        order = self.leaves(values, problem)
        return OrderResult(order, notes=notes)

    def leaves(self, values: Matrix, problem: Problem) -> list[int]:
        """Return the order, found by removing leaves."""
        remaining = list(range(values.shape[1]))
        order: list[int] = []
        while remaining:
            beat(len(order), values.shape[1])
            derivative = aside(_second_derivative, values[:, remaining], self.ridge)
            if self.criterion == "relative":
                derivative = derivative / derivative.mean(axis=0)
            spread = dict(zip(remaining, derivative.var(axis=0).tolist(), strict=True))
            leaf = min(problem.sinks(remaining), key=spread.__getitem__)
            order.insert(0, leaf)
            remaining.remove(leaf)
        return order


def _second_derivative(values: Matrix, ridge: float) -> Matrix:
    return Stein(values, ridge).jacobian_diagonal()


@dataclass(frozen=True, kw_only=True)
class Das(Score):
    """DAS: the order of SCORE, with candidate parents by the other derivatives of the score.

    The score of a variable depends on its parents, its children and their other parents: of the
    variables before it in the order, those whose derivatives are significantly larger than the
    smallest, by a t test, are candidates, of which the additive model prunes few. Made for many
    variables.

    Parameters
    ----------
    cutoff
        Significance level of the t tests.
    min_parents
        Number of variables with the largest derivatives that are candidates without a test.
    max_parents
        Largest number of candidates.
    """

    name = "das"
    references = (
        "Montagna, Noceti, Rosasco, Zhang and Locatello 2023, Scalable causal discovery with score "
        "matching, CLeaR",
    )

    cutoff: Probability = 0.001
    min_parents: Count = 5
    max_parents: Natural = 20

    def search(self, problem: Problem, models: Models) -> OrderResult:
        """Find the order, then candidate parents from the last variable to the first."""
        values, notes = self.prepared(problem)
        order = self.leaves(values, problem)
        stein = aside(Stein, values, self.ridge)
        arcs = np.zeros((len(order), len(order)), dtype=np.bool_)
        for place in range(len(order) - 1, 0, -1):
            beat(len(order) - place, len(order))
            leaf = order[place]
            derivatives = aside(stein.jacobian_rows, leaf)
            self._record_candidates(derivatives, leaf, sorted(order[: place + 1]), arcs)
        return OrderResult(order, arcs, {"candidates": int(arcs.sum())}, notes)

    def _record_candidates(
        self, derivatives: Matrix, leaf: int, left: list[int], arcs: Arcs
    ) -> None:
        """Record the candidate parents of a leaf among the remaining variables."""
        columns = derivatives[:, left]
        medians = np.abs(np.median(columns, axis=0))
        largest = np.argsort(medians)[::-1][: self.max_parents + 1]
        sizes = np.abs(columns)
        # The smallest mean is the reference for a derivative that is 0 up to estimation error.
        nothing = sizes[:, largest[-1]]
        for rank, place in enumerate(largest):
            if left[place] == leaf:
                continue
            tested = rank >= self.min_parents
            if not tested or _welch_p_value(sizes[:, place], nothing) < self.cutoff:
                arcs[left[place], leaf] = True


def _welch_p_value(first: Vector, second: Vector) -> float:
    """Return the p-value of Welch's one-sided test that the first mean is larger."""
    from scipy.special import stdtr  # noqa: PLC0415 - SciPy only when asked for

    errors = np.array([first.var(ddof=1) / len(first), second.var(ddof=1) / len(second)])
    total = float(errors.sum())
    if total <= 0:
        return float(first.mean() <= second.mean())
    freedom = total**2 / float((errors**2 / (len(first) - 1)).sum())
    return float(stdtr(freedom, -(first.mean() - second.mean()) / np.sqrt(total)))
