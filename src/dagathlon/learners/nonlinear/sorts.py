"""Sorting baselines: by variance, by explained variance, at random."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dagathlon import _core
from dagathlon.learners.assumptions import NO_HIDDEN
from dagathlon.learners.nonlinear.additive import Arcs
from dagathlon.learners.nonlinear.order_based import Models, OrderBased, OrderResult, Problem
from dagathlon.learners.nonlinear.splines import Matrix, Vector


@dataclass(frozen=True, kw_only=True)
class Sorted(OrderBased):
    """Base class of baselines: variables sorted by a key, then the parents of each before it.

    A baseline, not a learner: what it finds is due to artefacts of simulated data. Ties, which
    all variances of standardised data are, are ordered at random.

    Parameters
    ----------
    pruning
        How parents are chosen: by the adaptive lasso with the penalty of the best BIC, as its
        authors do (lasso), or by additive models (additive).
    """

    assumes = (NO_HIDDEN,)

    pruning: Literal["lasso", "additive"] = "lasso"

    @abstractmethod
    def keys(self, values: Matrix, rng: np.random.Generator) -> Vector:
        """Return the sort keys of the variables."""

    def search(self, problem: Problem, models: Models) -> OrderResult:
        """Sort the variables, subject to required arcs."""
        keys = _without_rounding(self.keys(problem.values, problem.rng))
        ties = problem.rng.permutation(len(keys))
        remaining = list(range(len(keys)))
        order: list[int] = []
        while remaining:
            last = max(problem.sinks(remaining), key=lambda j: (keys[j], ties[j]))
            order.insert(0, last)
            remaining.remove(last)
        return OrderResult(order)

    def parents(self, problem: Problem, found: OrderResult, models: Models) -> Arcs:
        """Return the arcs along the order after pruning."""
        if self.pruning == "additive":
            return super().parents(problem, found, models)
        scaled = problem.values - problem.values.mean(axis=0)
        scaled /= scaled.std(axis=0)
        weights = _core.weights_along(scaled.T @ scaled, list(found.order), len(scaled))
        chosen: Arcs = (weights != 0) & ~problem.forbidden | problem.required
        return chosen


@dataclass(frozen=True, kw_only=True)
class VarSort(Sorted):
    """Sort the variables by their variances, which reveal the order of much simulated data."""

    name = "var_sort"
    references = ("Reisach, Seiler and Weichwald 2021, Beware of the simulated DAG, NeurIPS",)

    def keys(self, values: Matrix, rng: np.random.Generator) -> Vector:
        """Return the variances."""
        return np.asarray(values.var(axis=0), dtype=np.float64)


@dataclass(frozen=True, kw_only=True)
class R2Sort(Sorted):
    """Sort the variables by the share of their variance that the others explain linearly.

    Unlike variances, these shares (R²) do not depend on units.
    """

    name = "r2_sort"
    references = (
        "Reisach, Tami, Seiler, Chambaz and Weichwald 2023, A scale-invariant sorting criterion to "
        "find a causal order in additive noise models, NeurIPS",
    )

    def keys(self, values: Matrix, rng: np.random.Generator) -> Vector:
        """Return the explained shares of the variances (R²)."""
        return explained_shares(values)


@dataclass(frozen=True, kw_only=True)
class RandomSort(Sorted):
    """Sort the variables at random: the baseline without any information on the order."""

    name = "random_sort"
    references = ("Reisach, Seiler and Weichwald 2021, Beware of the simulated DAG, NeurIPS",)

    def keys(self, values: Matrix, rng: np.random.Generator) -> Vector:
        """Return random numbers."""
        return np.asarray(rng.random(values.shape[1]), dtype=np.float64)


def _without_rounding(keys: Vector) -> list[float]:
    """Round the keys to nine digits, so that rounding errors decide no order."""
    return [float(f"{key:.8e}") for key in keys]


def explained_shares(matrix: Matrix) -> Vector:
    """Return the share of each column's variance (R²) that the others explain linearly."""
    centred = matrix - matrix.mean(axis=0)
    deviation = np.sqrt((centred**2).sum(axis=0))
    scaled = centred / np.where(deviation > 0, deviation, 1.0)
    correlation = scaled.T @ scaled
    if np.linalg.matrix_rank(correlation) == len(correlation):
        result: Vector = 1.0 - 1.0 / np.diag(np.linalg.inv(correlation))
        return result
    return np.array([_explained_share(scaled, j) for j in range(scaled.shape[1])])


def _explained_share(scaled: Matrix, j: int) -> float:
    others = np.delete(scaled, j, axis=1)
    fitted = others @ np.linalg.lstsq(others, scaled[:, j], rcond=None)[0]
    total = float(scaled[:, j] @ scaled[:, j])
    return float(fitted @ fitted) / total if total else 0.0
