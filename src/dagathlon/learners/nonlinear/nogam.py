"""NoGAM: leaves found by predicting the score function from residuals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dagathlon.learners.nonlinear.kernel_ridge import HeldOut
from dagathlon.learners.nonlinear.order_based import Models, OrderResult, Problem
from dagathlon.learners.nonlinear.score_matching import ScoreMatching
from dagathlon.learners.nonlinear.splines import Matrix, Vector
from dagathlon.learners.nonlinear.stein import Stein
from dagathlon.modules import Natural, NonNegative
from dagathlon.pulse import aside, beat


@dataclass(frozen=True, kw_only=True)
class NoGam(ScoreMatching):
    """NoGAM: the variable whose score is best predicted from its residual is a leaf.

    The score (gradient of the log density) of a leaf is a function of its noise alone, whatever
    the distribution of the noise. Residuals are those of a regression on all other variables.
    Both regressions are kernel ridge regressions with held-out fits.

    Parameters
    ----------
    folds
        Parts of the rows that are held out in turn.
    kernel_ridge
        Penalty of the kernel ridge regressions.
    gamma
        Parameter of their Gaussian kernels exp(-gamma·|x - y|²).
    """

    name = "nogam"
    references = (
        "Montagna, Noceti, Rosasco, Zhang and Locatello 2023, Causal discovery with score matching "
        "on additive models with arbitrary noise, CLeaR",
    )

    folds: Natural = 5
    kernel_ridge: NonNegative = 0.01
    gamma: NonNegative = 0.01

    def search(self, problem: Problem, models: Models) -> OrderResult:
        """Find the order by removing leaves one after another."""
        values, notes = self.prepared(problem)
        remaining = list(range(values.shape[1]))
        order: list[int] = []
        while len(remaining) > 1:
            score = aside(_score, values[:, remaining], self.ridge)
            errors: dict[int, float] = {}
            for place, j in enumerate(remaining):
                beat(len(order), values.shape[1])
                errors[j] = aside(self._error, values[:, remaining], place, score[:, place])
            leaf = min(problem.sinks(remaining), key=errors.__getitem__)
            order.insert(0, leaf)
            remaining.remove(leaf)
        return OrderResult(remaining + order, notes=notes)

    def _error(self, values: Matrix, place: int, score: Vector) -> float:
        """Return the mean squared error of the prediction of one component of the score."""
        column = values[:, place]
        regression = HeldOut(gamma=self.gamma, ridge=self.kernel_ridge, folds=self.folds)
        residuals = column - regression.fits(np.delete(values, place, axis=1), column)
        return float(np.mean((score - regression.fits(residuals[:, None], score)) ** 2))


def _score(values: Matrix, ridge: float) -> Matrix:
    return Stein(values, ridge).score
