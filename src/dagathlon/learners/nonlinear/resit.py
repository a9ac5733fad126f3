"""RESIT: regression with subsequent independence test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dagathlon.learners.continuous.weights import standardized
from dagathlon.learners.nonlinear.additive import Arcs, fit_additive
from dagathlon.learners.nonlinear.distances import median_distance, squared_distances
from dagathlon.learners.nonlinear.hsic import CentredKernel, Independence, independence
from dagathlon.learners.nonlinear.kernel_ridge import kernel_features, smoothest_residuals
from dagathlon.learners.nonlinear.order_based import Models, OrderBased, OrderResult, Problem
from dagathlon.learners.nonlinear.splines import Matrix, SplineProducts, Vector, fitting_splines
from dagathlon.learners.nonlinear.stein import drawn_rows
from dagathlon.modules import Natural, Probability
from dagathlon.pulse import aside, beat

# Largest rank of the kernel's decomposition in regressions.
_FEATURES = 200


@dataclass(frozen=True, kw_only=True)
class Resit(OrderBased):
    """RESIT: the variable whose residual depends least on all others is a leaf.

    Dependence is measured by HSIC. Removing leaves one after another gives the order. The noise
    may have any distribution.

    Parameters
    ----------
    regression
        How a variable is regressed on others: by kernel ridge regression on all of them together,
        the penalty chosen by generalised cross-validation (kernel), or by an additive model
        (additive).
    pruning
        Pruning of arcs: by F tests in additive models, as CAM does (additive), or, as in the paper,
        if the residual without a parent is still independent of all candidates (independence),
        which keeps too many arcs if the regression is inexact.
    independence_alpha
        Significance level of these tests of independence.
    max_rows
        Largest number of rows for finding the order, drawn at random if there are more; memory and
        time are quadratic in it. Null: all.
    """

    name = "resit"
    references = (
        "Peters, Mooij, Janzing and Schölkopf 2014, Causal discovery with continuous additive "
        "noise models, JMLR 15",
    )

    regression: Literal["kernel", "additive"] = "kernel"
    pruning: Literal["additive", "independence"] = "additive"
    independence_alpha: Probability = 0.05
    max_rows: Natural | None = 2000

    def search(self, problem: Problem, models: Models) -> OrderResult:
        """Find the order by removing leaves, then drop arcs by independence tests if asked to."""
        values, notes = drawn_rows(
            standardized(problem.values), self.max_rows, problem.rng, self.name
        )
        regressions = _Regressions(values, self.regression, self.splines)
        remaining = list(range(values.shape[1]))
        order: list[int] = []
        while len(remaining) > 1:
            excess: dict[int, float] = {}
            able = problem.sinks(remaining)
            for j in able:
                beat(len(order), values.shape[1])
                others = [i for i in remaining if i != j]
                excess[j] = aside(regressions.dependence, j, others, others).excess
            leaf = min(able, key=excess.__getitem__)
            order.insert(0, leaf)
            remaining.remove(leaf)
        order = remaining + order
        arcs = self._independent(problem, order, regressions)
        return OrderResult(order, arcs, {"regressions": regressions.made}, notes)

    def _independent(
        self, problem: Problem, order: list[int], regressions: _Regressions
    ) -> Arcs | None:
        if self.pruning != "independence":
            return None
        arcs = problem.candidates(order)
        for place, child in enumerate(order):
            beat(place, len(order))
            candidates = np.flatnonzero(arcs[:, child]).tolist()
            for parent in candidates:
                if problem.required[parent, child]:
                    continue
                rest = [i for i in np.flatnonzero(arcs[:, child]).tolist() if i != parent]
                test = aside(regressions.dependence, child, rest, candidates)
                arcs[parent, child] = test.p_value <= self.independence_alpha
        return arcs

    def parents(self, problem: Problem, found: OrderResult, models: Models) -> Arcs:
        """Return the arcs kept by independence tests, or those of significant terms."""
        if self.pruning == "independence" and found.candidates is not None:
            return found.candidates | problem.required
        return super().parents(problem, found, models)


class _Regressions:
    """Residuals of standardised variables, and their dependence on other variables."""

    def __init__(self, values: Matrix, kind: str, splines: int) -> None:
        self.values, self.made = values, 0
        self._bases: SplineProducts | None = None
        if kind == "additive":
            functions = fitting_splines(splines, len(values), values.shape[1] - 1)
            self._bases = SplineProducts(values, functions)

    def dependence(self, target: int, parents: list[int], others: list[int]) -> Independence:
        """Test the residual given the parents for dependence on a group of variables."""
        residual = self.residual(target, parents)
        return independence(CentredKernel(residual[:, None]), CentredKernel(self.values[:, others]))

    def residual(self, target: int, parents: list[int]) -> Vector:
        """Return the residual of a variable regressed on its parents."""
        column: Vector = self.values[:, target]
        if not parents:
            return column
        self.made += 1
        if self._bases is not None:
            fit = fit_additive(self._bases, target, parents)
            used = self._bases.columns[:, self._bases.positions(parents)]
            result: Vector = column - used @ fit.coefficients
            return result
        rows = self.values[:, parents]
        gamma = 0.5 / median_distance(squared_distances(rows)) ** 2
        features, _ = kernel_features(rows, gamma, _FEATURES)
        return smoothest_residuals(features, column)
