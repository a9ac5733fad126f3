"""Likelihood of data under draws of linear Gaussian models, from second moments alone.

A draw (B, σ²) says that node k is normal around Σ B[i, k] x_i with variance σ_k². The expected
negative log density of a row is ½ Σ_k [ln 2πσ_k² + a_kᵀ M a_k / σ_k²] with a_k = e_k - B[:, k] and
M the matrix of second moments of the rows: those of held-out rows, or exact ones of a true model.
Its cost does not depend on the number of rows.
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import numpy as np

from dagathlon.data import Dataset, LinearSem
from dagathlon.errors import DataError
from dagathlon.evaluate.posteriors.graphs import node_positions
from dagathlon.posteriors.arrays import LinearModels, linear_models
from dagathlon.posteriors.packed import Floats
from dagathlon.posteriors.posterior import Posterior

Drawn: TypeAlias = Posterior | LinearModels
"""Posterior with parameters, or its draws as arrays."""


def negative_log_likelihood(posterior: Drawn, rows: Dataset | LinearSem | Floats) -> float:
    """Return the negative log density of a row, averaged over rows and posterior.

    Parameters
    ----------
    posterior
        Draws with parameters.
    rows
        Held-out rows; or the true linear model, for the value of infinitely many rows; or a matrix
        of second moments in the order of the posterior's nodes.
    """
    models = dense_models(posterior)
    terms = node_terms(models, second_moments(rows, models.names))
    return float(models.shares @ terms.sum(axis=1))


def interventional_nll(posterior: Drawn, model: LinearSem, size: float = 1.0) -> float:
    """Return the expected negative log density of true rows under do(X_i), averaged over i.

    The factor of the intervened node is left out.

    Parameters
    ----------
    posterior
        Draws with parameters.
    model
        The true model.
    size
        Value that a node is set to, in units of its standard deviation in the true model. (As
        only second moments count, it is that of random values of this standard deviation too.)
    """
    models = dense_models(posterior)
    true = dense_models(model, models.names)
    found = []
    for intervention in interventions(true, size):
        terms = node_terms(models, intervention.second_moments())
        found.append(models.shares @ (terms.sum(axis=1) - terms[:, intervention.node]))
    return float(np.mean(found))


def node_terms(models: LinearModels, moments: Floats) -> Floats:
    """Return the expected negative log density of each node given its parents, per draw."""
    residuals = np.eye(len(models.names)) - models.coefficients
    squares = np.sum(residuals * (moments @ residuals), axis=1)
    terms = np.log(2 * math.pi * models.variances) + squares / models.variances
    return np.asarray(0.5 * terms, dtype=np.float64)


class Intervention(NamedTuple):
    """An intervention that sets one node of a linear model to a value.

    ``effects[i, j]`` is the effect of the noise (for the node itself: of the value) of ``i`` on
    ``j``; the noise of the intervened node has no variance.
    """

    node: int
    value: float
    effects: Floats
    variances: Floats

    def second_moments(self) -> Floats:
        """Return the second moments of rows under the intervention."""
        spread = self.variances.copy()
        spread[self.node] = self.value**2
        return np.asarray(self.effects.T @ (spread[:, None] * self.effects))

    def rows(self, normal: Floats) -> Floats:
        """Return rows under the intervention, from standard normal numbers."""
        noise = normal * np.sqrt(self.variances)
        noise[:, self.node] = self.value
        return np.asarray(noise @ self.effects)


def interventions(true: LinearModels, size: float) -> list[Intervention]:
    """Return an intervention on each node of a model, to `size` of its standard deviations."""
    total, noise = total_effects(true)[0], true.variances[0]
    deviations = np.sqrt(noise @ total**2)
    result = []
    for node, deviation in enumerate(deviations):
        variances = noise.copy()
        variances[node] = 0.0
        effects = effects_under(total[None], node)[0]
        result.append(Intervention(node, size * float(deviation), effects, variances))
    return result


def total_effects(models: LinearModels) -> Floats:
    """Return the total effect of each node on each other, from row to column, over all paths."""
    paths = np.linalg.inv(np.eye(len(models.names)) - models.coefficients)
    return np.asarray(paths, dtype=np.float64)


def effects_under(total: Floats, node: int) -> Floats:
    """Return the total effects after an intervention on a node, which cuts paths through it."""
    effects = total - total[:, :, node, None] * total[:, node, None, :]
    effects[:, node] = total[:, node]
    return effects


def dense_models(given: Drawn | LinearSem, names: tuple[str, ...] | None = None) -> LinearModels:
    """Return draws as arrays in an order of nodes, checked to have densities."""
    if isinstance(given, LinearSem):
        models = LinearModels(given.names, given.weights[None], given.variances[None], np.ones(1))
    else:
        models = linear_models(given) if isinstance(given, Posterior) else given
    if names is not None and models.names != names:
        order = node_positions(models.names, names, "the true model")
        coefficients = models.coefficients[:, order][:, :, order]
        models = LinearModels(names, coefficients, models.variances[:, order], models.shares)
    require_noise(models)
    return models


def require_noise(models: LinearModels) -> None:
    """Refuse models whose covariance matrix is singular."""
    bad = np.argwhere(~(models.variances > 0))
    if len(bad):
        draw, node = bad[0]
        which = f"draw {draw}" if len(models.shares) > 1 else "the model"
        raise DataError(
            f"the noise of {models.names[node]} has variance 0 in {which}: its covariance matrix "
            "is singular, and rows have no density"
        )


def second_moments(rows: Dataset | LinearSem | Floats, names: tuple[str, ...]) -> Floats:
    """Return the mean products of all pairs of variables, in an order of nodes."""
    if isinstance(rows, LinearSem):
        order = node_positions(rows.names, names, "the true model")
        return rows.covariance()[np.ix_(order, order)]
    values = complete_rows(rows, names) if isinstance(rows, Dataset) else None
    moments = np.asarray(rows if values is None else values.T @ values / len(values), dtype=float)
    if moments.shape != (len(names),) * 2 or not np.all(np.isfinite(moments)):
        raise DataError(f"second moments of {len(names)} variables are a finite square matrix")
    return moments


def complete_rows(data: Dataset, names: tuple[str, ...]) -> Floats:
    """Return rows of continuous variables without missing values, in an order of nodes."""
    absent = [name for name in names if name not in data.names]
    if absent:
        node_positions(tuple(data.names), names, "the held-out rows")
    chosen = data.select(names)
    if not chosen.is_continuous:
        raise DataError("linear Gaussian models have densities of continuous variables only")
    values = np.asarray(chosen.values, dtype=np.float64)
    values = values[~np.isnan(values).any(axis=1)]
    if not len(values):
        raise DataError("there is no held-out row without missing values")
    return values
