"""Baselines that sort the variables: by variance, by explained variance, at random."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dagathlon import _core
from dagathlon.learners.assumptions import NO_HIDDEN
from dagathlon.learners.nonlinear.additive import Arcs
from dagathlon.learners.nonlinear.order_based import Found, Models, OrderBased, Problem
from dagathlon.learners.nonlinear.splines import Matrix, Vector


@dataclass(frozen=True, kw_only=True)
class Sorted(OrderBased):
    """Variables sorted by a number, the smallest first, then the parents of each before it.

    No learner but a yardstick: what it finds, the data gave away. Ties, which all variances of
    standardised data are, have a random order.

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
        """What the variables are sorted by."""

    def search(self, problem: Problem, models: Models) -> Found:
        """Sort, as far as what is required allows."""
        keys = _without_rounding(self.keys(problem.values, problem.rng))
        ties = problem.rng.permutation(len(keys))
        left = list(range(len(keys)))
        order: list[int] = []
        while left:
            last = max(problem.sinks(left), key=lambda j: (keys[j], ties[j]))
            order.insert(0, last)
            left.remove(last)
        return Found(order)

    def parents(self, problem: Problem, found: Found, models: Models) -> Arcs:
        """The arcs along the order that are kept."""
        if self.pruning == "additive":
            return super().parents(problem, found, models)
        scaled = problem.values - problem.values.mean(axis=0)
        scaled /= scaled.std(axis=0)
        weights = _core.weights_along(scaled.T @ scaled, list(found.order), len(scaled))
        kept: Arcs = (weights != 0) & ~problem.forbidden | problem.required
        return kept


@dataclass(frozen=True, kw_only=True)
class VarSort(Sorted):
    """Sort the variables by their variances: what units of simulated data give away."""

    name = "var_sort"
    references = ("Reisach, Seiler and Weichwald 2021, Beware of the simulated DAG, NeurIPS",)

    def keys(self, values: Matrix, rng: np.random.Generator) -> Vector:
        """Variances."""
        return np.asarray(values.var(axis=0), dtype=np.float64)


@dataclass(frozen=True, kw_only=True)
class R2Sort(Sorted):
    """Sort the variables by how much of their variance the others explain, linearly.

    Unlike variances, these shares do not depend on units.
    """

    name = "r2_sort"
    references = (
        "Reisach, Tami, Seiler, Chambaz and Weichwald 2023, A scale-invariant sorting criterion to "
        "find a causal order in additive noise models, NeurIPS",
    )

    def keys(self, values: Matrix, rng: np.random.Generator) -> Vector:
        """Explained shares of the variances."""
        return explained_shares(values)


@dataclass(frozen=True, kw_only=True)
class RandomSort(Sorted):
    """Sort the variables at random: what a learner that knows nothing of the order finds."""

    name = "random_sort"
    references = ("Reisach, Seiler and Weichwald 2021, Beware of the simulated DAG, NeurIPS",)

    def keys(self, values: Matrix, rng: np.random.Generator) -> Vector:
        """Random numbers."""
        return np.asarray(rng.random(values.shape[1]), dtype=np.float64)


def _without_rounding(keys: Vector) -> list[float]:
    """The keys to nine digits: what comes after them is rounding, which tells no order."""
    return [float(f"{key:.8e}") for key in keys]


def explained_shares(matrix: Matrix) -> Vector:
    """Share of the variance (R²) of each column that a linear regression on the others explains."""
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
