"""Distances between interventional distributions of a posterior and of the true model.

A posterior predicts rows under do(X_i) by a mixture of Gaussians, one for each draw. The intervened
node is a constant in both distributions and is left out.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon.data import LinearSem
from dagathlon.errors import DataError, unknown
from dagathlon.evaluate.posteriors.likelihoods import (
    Drawn,
    Intervention,
    dense_models,
    effects_under,
    interventions,
    total_effects,
)
from dagathlon.evaluate.posteriors.quasi_random import normal_points
from dagathlon.posteriors.arrays import LinearModels
from dagathlon.posteriors.packed import Floats

# So many draws at once stay in the processor's cache.
_BLOCK = 64


class KernelDistance(NamedTuple):
    """Squared maximum mean discrepancy, and the bandwidth of its kernel."""

    value: float
    bandwidth: float


def interventional_kl(
    posterior: Drawn,
    model: LinearSem,
    *,
    size: float = 1.0,
    rows: int = 128,
    method: Literal["mixture", "mean"] = "mixture",
) -> float:
    """Return the KL divergence of predicted from true rows under do(X_i), averaged over i.

    Parameters
    ----------
    posterior
        Draws with parameters.
    model
        The true model.
    size
        Value that a node is set to, in units of its standard deviation in the true model.
    rows
        Number of true rows over which the log ratio of the densities is averaged. They are the same
        for all posteriors.
    method
        ``mixture``: from the true distribution to the posterior's mixture, by these rows.
        ``mean``: the mean over draws of their own divergences, in closed form; it is I-NLL less a
        constant of the true model.
    """
    if method not in ("mixture", "mean"):
        raise DataError(unknown("method", method, ("mixture", "mean")))
    models = dense_models(posterior)
    true = dense_models(model, models.names)
    densities = (_Densities(models), _Densities(true))
    normal = normal_points(rows, len(models.names))
    divergences = []
    for intervention in interventions(true, size):
        if method == "mean":
            predicted_terms, other = (density.expected(intervention) for density in densities)
            divergences.append(float(predicted_terms @ models.shares - other[0]))
            continue
        drawn = intervention.rows(normal)
        predicted, right = (density.log(drawn, intervention.node) for density in densities)
        divergences.append(float(np.mean(right - predicted)))
    return float(np.mean(divergences))


class _Densities:
    """Log densities of rows under interventions, as quadratic forms of the rows."""

    def __init__(self, models: LinearModels) -> None:
        p = len(models.names)
        self._shares = np.log(models.shares)
        residuals = np.eye(p) - models.coefficients
        self._residuals = residuals
        self._precisions = 1.0 / models.variances
        self._logs = np.log(2 * math.pi * models.variances)
        self._i, self._j = np.triu_indices(p)
        # Products off the diagonal count twice, for both orders.
        self._count = np.where(self._i == self._j, 1.0, 2.0)
        scaled = residuals * self._precisions[:, None, :]
        self._forms = (scaled @ residuals.transpose(0, 2, 1))[:, self._i, self._j]

    def log(self, rows: Floats, node: int) -> Floats:
        """Return the log density of each row under the mixture, without the factor of a node."""
        node_residuals = self._residuals[:, :, node]
        left_out = (
            node_residuals[:, self._i]
            * node_residuals[:, self._j]
            * self._precisions[:, node, None]
        )
        forms = (self._forms - left_out) * self._count
        constants = self._shares - 0.5 * (self._logs.sum(axis=1) - self._logs[:, node])
        logs = (rows[:, self._i] * rows[:, self._j]) @ (-0.5 * forms.T)
        logs += constants
        largest = logs.max(axis=1)
        logs -= largest[:, None]
        np.exp(logs, out=logs)
        return np.asarray(largest + np.log(logs.sum(axis=1)))

    def expected(self, intervention: Intervention) -> Floats:
        """Return the expected negative log density of true rows, for each draw."""
        moments = intervention.second_moments()
        squares = np.sum(self._residuals * (moments @ self._residuals), axis=1)
        terms = 0.5 * (self._logs + squares * self._precisions)
        return np.asarray(terms.sum(axis=1) - terms[:, intervention.node])


def interventional_mmd(
    posterior: Drawn,
    model: LinearSem,
    *,
    size: float = 1.0,
    frequencies: int | None = 64,
) -> KernelDistance:
    """Return the squared MMD of rows under do(X_i), averaged over i.

    The kernel is exp(-r²/2ℓ²), whose bandwidth ℓ is the median distance of two rows of the true
    model under the same intervention, and so the same for all posteriors.

    Parameters
    ----------
    posterior
        Draws with parameters.
    model
        The true model.
    size
        Value that a node is set to, in units of its standard deviation in the true model.
    frequencies
        The discrepancy is the mean squared difference of two characteristic functions, which
        Gaussians have in closed form, over normal frequencies of standard deviation 1/ℓ: so many
        quasi-random ones are used. None gives the closed form over all pairs of draws, whose number
        grows with the square of the number of draws.

    Returns
    -------
    KernelDistance
        The mean over i, and the mean bandwidth.
    """
    models = dense_models(posterior)
    true = dense_models(model, models.names)
    p = len(models.names)
    if p < 2:
        raise DataError("under an intervention on its only variable a model has nothing to predict")
    total = total_effects(models)
    distances, bandwidths = [], []
    for intervention in interventions(true, size):
        bandwidth = _median_distance(intervention)
        effects = effects_under(total, intervention.node)
        variances = models.variances.copy()
        variances[:, intervention.node] = 0.0
        right = _Gaussians(
            intervention.effects[None], intervention.variances[None], np.ones(1), intervention
        )
        predicted = _Gaussians(effects, variances, models.shares, intervention)
        if frequencies is None:
            distances.append(_closed(right, predicted, bandwidth))
        else:
            points = normal_points(frequencies, p) / bandwidth
            points[:, intervention.node] = 0.0
            apart = right.characteristic(points) - predicted.characteristic(points)
            distances.append(float(np.mean(np.abs(apart) ** 2)))
        bandwidths.append(bandwidth)
    return KernelDistance(float(np.mean(distances)), float(np.mean(bandwidths)))


class _Gaussians(NamedTuple):
    """Mixture of the models' distributions under one intervention."""

    effects: Floats
    variances: Floats
    shares: Floats
    about: Intervention

    def characteristic(self, points: Floats) -> npt.NDArray[np.complex128]:
        """Return the mixture's characteristic function at some points."""
        total = np.zeros(len(points), dtype=np.complex128)
        noise = -0.5 * self.variances[:, None, :]
        for first in range(0, len(self.shares), _BLOCK):
            block = slice(first, first + _BLOCK)
            met = self.effects[block] @ points.T
            phases = met[:, self.about.node] * self.about.value
            sizes = np.exp((noise[block] @ met**2)[:, 0]) * self.shares[block, None]
            total += (sizes * np.cos(phases)).sum(axis=0) + 1j * (sizes * np.sin(phases)).sum(
                axis=0
            )
        return total

    def means(self) -> Floats:
        """Return the means of the nodes not intervened on, per component."""
        others = self._kept()
        return self.effects[:, self.about.node][:, others] * self.about.value

    def covariances(self) -> Floats:
        """Return the covariances of the nodes not intervened on, per component."""
        parts = self.effects[:, :, self._kept()]
        return parts.transpose(0, 2, 1) @ (self.variances[:, :, None] * parts)

    def _kept(self) -> list[int]:
        return [k for k in range(self.effects.shape[1]) if k != self.about.node]


def _median_distance(intervention: Intervention) -> float:
    """Return the median distance of two rows of the true model under an intervention."""
    p = len(intervention.variances)
    noise = normal_points(512, p) * np.sqrt(2 * intervention.variances)
    distance = float(np.median(np.sqrt(((noise @ intervention.effects) ** 2).sum(axis=1))))
    if not distance > 0:
        raise DataError("rows of the true model under an intervention are all the same")
    return distance


def _closed(true: _Gaussians, other: _Gaussians, bandwidth: float) -> float:
    """Return the closed-form squared MMD of two mixtures."""
    return (
        _mean_kernel(true, true, bandwidth)
        - 2 * _mean_kernel(true, other, bandwidth)
        + _mean_kernel(other, other, bandwidth)
    )


def _mean_kernel(left: _Gaussians, right: _Gaussians, bandwidth: float) -> float:
    """Return the expected kernel between two mixtures: a Gaussian integral per component pair."""
    means, covariances, total = right.means(), right.covariances(), 0.0
    ridge = bandwidth**2 * np.eye(means.shape[1])
    zipped = zip(left.shares, left.means(), left.covariances(), strict=True)
    for share, mean, covariance in zipped:
        spread = covariances + covariance + ridge
        gaps = means - mean
        squares = (gaps * np.linalg.solve(spread, gaps[:, :, None])[:, :, 0]).sum(axis=1)
        logs = -0.5 * (np.linalg.slogdet(spread / bandwidth**2)[1] + squares)
        total += share * float(right.shares @ np.exp(logs))
    return total
