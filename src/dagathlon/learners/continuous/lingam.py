"""LiNGAM: linear models with non-Gaussian noise, whose direction is identifiable."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from dagathlon import _core
from dagathlon.data.spec import DataFacts, DataKind
from dagathlon.errors import DataError
from dagathlon.learners.assumptions import LINEAR, NO_HIDDEN, NOT_GAUSSIAN
from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.continuous.kernels import kernel_order
from dagathlon.learners.continuous.weights import (
    Matrix,
    dag_estimate,
    few_values,
    numbers,
    varying,
)
from dagathlon.learners.with_scipy import ScipyLearner
from dagathlon.modules import Natural, NonNegative
from dagathlon.pulse import aside, beat

if TYPE_CHECKING:
    from dagathlon.data import Dataset

_MANY = 200


@dataclass(frozen=True, kw_only=True)
class Lingam(Learner):
    """Base class of LiNGAM: a causal order, then parents among the variables before each.

    Constant columns get no edges.

    Parameters
    ----------
    thresh
        Weights not above this in absolute value are no edges.
    pruning
        Pruning of the arcs along the order. Either way the adaptive lasso, with the penalty of the
        best BIC, selects the parents: on the data as they are, with the weights of the lasso itself
        (lasso, as in gCastle), or on standardised data, with weights by least squares (refit, as in
        the package lingam).
    timeout
        Seconds after which the run is stopped; null for no limit.
    """

    assumes = (LINEAR, NOT_GAUSSIAN, NO_HIDDEN)
    takes: ClassVar[frozenset[DataKind]] = frozenset({"continuous"})
    gives = "dag"

    thresh: NonNegative = 0.0
    pruning: Literal["lasso", "refit"] = "refit"
    timeout: NonNegative | None = None

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return a message if there are fewer rows than columns; empty otherwise."""
        if data.n_rows is not None and 3 <= data.n_rows <= (data.n_columns or 0) + 1:
            return (
                f"{self.name} needs more rows than columns, by two at least; found {data.n_rows} "
                f"rows of {data.n_columns} columns"
            )
        return super().why_unsuitable(data)

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Learn a DAG."""
        values = numbers(data, self.name, rows=3)
        used = np.flatnonzero(varying(values))
        if len(values) <= len(used) + 1:
            raise DataError(
                f"{self.name} needs more rows than columns, by two at least; found {len(values)} "
                f"rows of {len(used)} columns that vary"
            )
        weights = np.zeros((values.shape[1],) * 2)
        order = self.order(values[:, used], rng) if len(used) else []
        weights[np.ix_(used, used)] = self._weights(values[:, used], order)
        stats = {"order": " ".join(data.names[used[i]] for i in order)}
        estimate = dag_estimate(data.names, weights, self.thresh, stats)
        return replace(estimate, notes=few_values(self.name, data, values))

    @abstractmethod
    def order(self, values: Matrix, rng: np.random.Generator) -> list[int]:
        """Return the columns in causal order."""

    def _weights(self, values: Matrix, order: list[int]) -> Matrix:
        centred = values - values.mean(axis=0)
        if self.pruning == "refit":
            centred /= centred.std(axis=0)
        weights = _core.weights_along(centred.T @ centred, order, len(centred))
        return _refitted(values, weights) if self.pruning == "refit" else weights


def _refitted(values: Matrix, weights: Matrix) -> Matrix:
    """Return the least-squares weights of the arcs with non-zero weight."""
    centred = values - values.mean(axis=0)
    result = np.zeros_like(weights)
    for j, column in enumerate(weights.T):
        beat(j, len(weights))
        parents = np.flatnonzero(column)
        if len(parents):
            result[parents, j] = np.linalg.lstsq(centred[:, parents], centred[:, j], rcond=None)[0]
    return result


@dataclass(frozen=True, kw_only=True)
class DirectLingam(Lingam):
    """DirectLiNGAM: a causal order by repeated removal of the most exogenous variable.

    Parameters
    ----------
    measure
        Measure of independence: pairwise likelihood ratios (pwling) or kernels (kernel), whose cost
        grows with the third power of the number of rows.
    """

    name = "direct_lingam"
    reentrant = True
    splits = True
    uses_blas = True
    order_independent = True
    references = (
        "Shimizu et al. 2011, DirectLiNGAM, JMLR 12",
        "Hyvärinen and Smith 2013, Pairwise likelihood ratios, JMLR 14",
    )

    measure: Literal["pwling", "kernel"] = "pwling"

    def order(self, values: Matrix, rng: np.random.Generator) -> list[int]:
        """Return the causal order by the chosen measure of independence."""
        if self.measure == "kernel":
            return kernel_order(values)
        return _core.pairwise_order(np.asfortranarray(values))


@dataclass(frozen=True, kw_only=True)
class IcaLingam(Lingam, ScipyLearner):
    """LiNGAM by independent component analysis.

    Parameters
    ----------
    max_iter
        Largest number of steps of FastICA.
    """

    name = "ica_lingam"
    references = ("Shimizu, Hoyer, Hyvärinen and Kerminen 2006, JMLR 7",)

    max_iter: Natural = 1000

    def order(self, values: Matrix, rng: np.random.Generator) -> list[int]:
        """Return the order in which the unmixing matrix's weights are nearest to triangular."""
        unmixing = independent_components(values, self.max_iter, rng)
        return _triangular_order(_regressions(unmixing))


def _regressions(unmixing: Matrix) -> Matrix:
    """Return the weights, from column to row, after assigning and scaling unmixing rows."""
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - SciPy only when asked for

    with np.errstate(divide="ignore"):
        cost = np.minimum(1 / np.abs(unmixing), 1e100)
    components, variables = linear_sum_assignment(cost)
    rows = np.empty_like(unmixing)
    rows[variables] = unmixing[components]
    weights: Matrix = np.eye(len(rows)) - rows / np.diag(rows)[:, None]
    return weights


def _triangular_order(weights: Matrix) -> list[int]:
    """Return the causal order after zeroing the smallest weights until the rest form a DAG."""
    p = len(weights)
    places = np.argsort(np.abs(weights), axis=None, kind="stable")

    def order_without(n_zero: int) -> list[int]:
        remaining = weights.copy()
        remaining.flat[places[:n_zero]] = 0.0
        return _core.weight_order(np.ascontiguousarray(remaining.T))

    low, high = p * (p + 1) // 2, p * p
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if len(order_without(middle)) == p else (middle + 1, high)
    return order_without(low)


def independent_components(values: Matrix, max_iter: int, rng: np.random.Generator) -> Matrix:
    """Return the unmixing matrix: a row of column weights for each independent component.

    All components are estimated jointly, with the contrast log cosh (Hyvärinen 1999, IEEE
    Transactions on Neural Networks 10). Collinear columns have no such matrix and raise an
    error.
    """
    centred = (values - values.mean(axis=0)).T
    left, sizes, _ = aside(np.linalg.svd, centred, full_matrices=False)
    if sizes[-1] <= 1e-10 * sizes[0]:
        raise DataError("ica_lingam needs columns of which none is a combination of others")
    whitening = (left / sizes).T * np.sqrt(centred.shape[1])
    white = whitening @ centred
    rotation = _orthogonal(rng.normal(size=(len(white),) * 2))
    for step in range(max_iter):
        beat(step, max_iter)
        curves = np.tanh(rotation @ white)
        slopes = (1 - curves**2).mean(axis=1)
        turned = _orthogonal(curves @ white.T / white.shape[1] - slopes[:, None] * rotation)
        change = np.abs(np.abs(np.einsum("ij,ij->i", turned, rotation)) - 1).max()
        rotation = turned
        if change < 1e-4:
            break
    result: Matrix = rotation @ whitening
    return result


def _orthogonal(rows: Matrix) -> Matrix:
    """Return the nearest matrix with orthonormal rows (polar decomposition)."""
    # In this thread: starting another one costs as much as a small decomposition.
    left, _, right = aside(_decomposed, rows) if len(rows) > _MANY else _decomposed(rows)
    result: Matrix = left @ right
    return result


def _decomposed(rows: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    left, sizes, right = np.linalg.svd(rows)
    return left, sizes, right
