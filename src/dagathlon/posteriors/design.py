"""Choice of the next intervention: expected information gain about the model, per variable."""

from __future__ import annotations

import math

import numpy as np

from dagathlon.data import Dataset
from dagathlon.errors import DataError
from dagathlon.posteriors.arrays import LinearModels, linear_models, sample_of
from dagathlon.posteriors.packed import Floats
from dagathlon.posteriors.parameters import NormalInverseGamma
from dagathlon.posteriors.posterior import Posterior


def best_target(
    posterior: Posterior,
    data: Dataset,
    rng: np.random.Generator,
    *,
    rows: int = 5,
    mean: float = 2.0,
    sd: float = 1.0,
    draws: int = 200,
) -> str:
    """Return the variable with the largest expected information gain; see `information_gains`.

    Parameters
    ----------
    posterior
        The present posterior, as draws of DAGs. Draws without coefficients and variances get
        them from their normal–inverse-gamma posterior given the DAG.
    data
        The data it was learned from.
    rng
        The only source of randomness.
    rows, mean, sd
        The experiment: number of rows, and mean and standard deviation of the variable that is set.
    draws
        At most so many draws are used.
    """
    if all(chain.parameters is not None for chain in posterior.chains):
        models = linear_models(posterior)
    else:
        drawn = NormalInverseGamma().draw(sample_of(posterior, draws), data, rng)
        models = linear_models(Posterior([drawn]))
    gains = information_gains(models.thinned(draws), rng, rows=rows, mean=mean, sd=sd)
    return models.names[int(np.argmax(gains))]


def information_gains(
    models: LinearModels, rng: np.random.Generator, *, rows: int = 5, mean: float, sd: float
) -> Floats:
    """Return the expected information gain about the model per intervened variable, in nats.

    This is the expected reduction of the entropy over the given models (the mutual information
    of model and rows), by rows drawn from each of them; it is at most the entropy of their
    probabilities. The same random numbers are used for all variables, so that their differences
    vary less than their values.

    Parameters
    ----------
    models
        Linear Gaussian models of means zero with their probabilities.
    rng
        The only source of randomness.
    rows
        Number of rows of an experiment.
    mean, sd
        Mean and standard deviation of the variable that is set.
    """
    if np.any(models.variances <= 0):
        raise DataError("information needs models whose noise variances are above 0")
    count, p = models.variances.shape
    normal = rng.standard_normal((count, rows, p))
    return np.array([_gain(models, normal, target, mean, sd) for target in range(p)])


def _gain(models: LinearModels, normal: Floats, target: int, mean: float, sd: float) -> Floats:
    values = _simulated(models, normal, target, mean, sd)
    count, rows, p = values.shape
    squares = (values.transpose(0, 2, 1) @ values).reshape(count, p * p)
    others = np.arange(p) != target
    # A row of residuals for each node: its value minus its parents' weighted sum.
    deviations = np.eye(p) - models.coefficients.transpose(0, 2, 1)
    scaled = deviations[:, others] / np.sqrt(models.variances[:, others, None])
    precisions = (scaled.transpose(0, 2, 1) @ scaled).reshape(count, p * p)
    constants = np.log(2 * math.pi * models.variances[:, others]).sum(axis=1) * rows / 2
    # From the model that drew the rows, in rows, to the model under which they are judged.
    logs = -constants - squares @ precisions.T / 2
    with np.errstate(divide="ignore"):
        weighted = logs + np.log(models.shares)
    largest = weighted.max(axis=1)
    mixture = largest + np.log(np.exp(weighted - largest[:, None]).sum(axis=1))
    return np.asarray(models.shares @ (np.diagonal(logs) - mixture))


def _simulated(models: LinearModels, normal: Floats, target: int, mean: float, sd: float) -> Floats:
    """Draw rows from each model with one variable intervened on."""
    p = normal.shape[2]
    noise = normal * np.sqrt(models.variances)[:, None, :]
    noise[:, :, target] = mean + sd * normal[:, :, target]
    cut = models.coefficients.copy()
    cut[:, :, target] = 0.0
    rows_drawn: Floats = noise @ np.linalg.inv(np.eye(p) - cut)
    return rows_drawn
