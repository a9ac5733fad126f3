"""Losses of an estimated precision matrix against the true Gaussian model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from dagathlon.data import Dataset, LinearSem
from dagathlon.data.models.multivariate_normal import MultivariateNormal
from dagathlon.errors import DataError, listing
from dagathlon.evaluate.metric import Measure
from dagathlon.evaluate.models.likelihood import complete_rows, fit
from dagathlon.evaluate.models.true_families import Moments, moments_of
from dagathlon.graphs import Graph
from dagathlon.posteriors.packed import Floats
from dagathlon.simulate.completion import complete_covariance

_YUAN = (
    "Yuan and Lin 2007, Model selection and estimation in the Gaussian graphical model, "
    "Biometrika 94",
)
_STEIN = (
    "James and Stein 1961, Estimation with quadratic loss, Proceedings of the fourth Berkeley "
    "symposium on mathematical statistics and probability",
)
_loss = partial(Measure, better="less")

LOSSES = (
    _loss(
        "precision_kl",
        "Kullback–Leibler divergence of the estimated from the true distribution",
        short="KL",
        unit="nats",
        references=_YUAN,
    ),
    _loss(
        "precision_stein",
        "Stein's loss of the estimated covariance",
        short="Stein's loss",
        references=_STEIN,
    ),
    _loss(
        "precision_quadratic",
        "quadratic loss of the precision matrix",
        short="quadratic loss",
        references=_YUAN,
    ),
    _loss(
        "precision_frobenius",
        "Frobenius distance of the precision matrix to the true one",
        short="Frobenius",
    ),
    _loss(
        "precision_relative",
        "Frobenius distance of the precision matrix, as a share of the norm of the true one",
        short="Frobenius, relative",
    ),
)
LIKELIHOOD = Measure(
    "precision_log_likelihood",
    "log-likelihood of fresh rows under the estimated normal distribution, per row",
    "more",
    "fresh log-likelihood",
    "nats",
)


class Normal(NamedTuple):
    """Estimated normal distribution.

    Parameters
    ----------
    names
        The variables.
    precision
        Inverse of the covariance.
    how
        Whether it is the learner's ``own``, or was ``fitted`` to the graph by maximum likelihood.
    """

    names: tuple[str, ...]
    precision: Floats
    how: str


def precision_losses(precision: Floats, covariance: Floats) -> dict[str, float]:
    """Return losses of an estimated precision matrix K against the true covariance S.

    Parameters
    ----------
    precision
        The estimate, positive definite.
    covariance
        That of the true model, over the same variables in the same order.

    Returns
    -------
    dict
        ``precision_kl``: ½ (tr SK - log det SK - p), the divergence of the estimated from the true
        normal distribution. ``precision_stein``: tr (SK)⁻¹ + log det SK - p, Stein's (entropy) loss
        of the estimated covariance, twice the divergence the other way. ``precision_quadratic``:
        tr (SK - I)². These three do not depend on the units of the variables; the Frobenius
        distance ``precision_frobenius`` and ``precision_relative``, its share of the true norm, do.
    """
    true = np.linalg.inv(covariance)
    apart = float(np.linalg.norm(precision - true))
    ratios = _ratios(precision, covariance)
    logarithms = np.log(ratios)
    return {
        "precision_kl": float((ratios - logarithms - 1).sum() / 2),
        "precision_stein": float((1 / ratios + logarithms - 1).sum()),
        "precision_quadratic": float(((ratios - 1) ** 2).sum()),
        "precision_frobenius": apart,
        "precision_relative": apart / float(np.linalg.norm(true)),
    }


def _ratios(precision: Floats, covariance: Floats) -> Floats:
    """Return the eigenvalues of KS: all 1 for a perfect estimate."""
    try:
        factor = np.linalg.cholesky(covariance)
        np.linalg.cholesky(precision)
    except np.linalg.LinAlgError:
        raise DataError("the estimated or the true matrix is not positive definite") from None
    return np.linalg.eigvalsh(factor.T @ precision @ factor)


def normal_log_likelihood(normal: Normal, training: Dataset, test: Dataset) -> float:
    """Return the mean log density of test rows, about the means of the training rows.

    Parameters
    ----------
    normal
        The estimated distribution.
    training, test
        Data with a column for each variable.
    """
    return float(normal_row_log_likelihoods(normal, training, test).mean())


def normal_row_log_likelihoods(normal: Normal, training: Dataset, test: Dataset) -> Floats:
    """Return the log density of every complete test row, about the means of the training rows."""
    rows = complete_rows(test.select(normal.names))
    if not len(rows):
        raise DataError("there is no row without missing values")
    centred = rows.values - _means(normal, training)
    far = np.einsum("ni,ij,nj->n", centred, normal.precision, centred, optimize=True)
    return np.asarray(-(_constant(normal) + far) / 2, dtype=np.float64)


def normal_cross_entropy(normal: Normal, training: Dataset, true: Moments) -> float:
    """Return the expected negative log density of true rows, about the means of the data.

    Parameters
    ----------
    normal
        The estimated distribution.
    training
        The data it was estimated from.
    true
        Mean and covariance of the model, whose variables include those of the estimate.
    """
    place = [true.names.index(name) for name in normal.names]
    apart = true.mean[place] - _means(normal, training)
    square = true.covariance[np.ix_(place, place)] + np.outer(apart, apart)
    return float((_constant(normal) + (normal.precision * square).sum()) / 2)


def _means(normal: Normal, training: Dataset) -> Floats:
    known = complete_rows(training.select(normal.names))
    if not len(known):
        raise DataError("there is no row without missing values")
    return np.asarray(known.values.mean(axis=0), dtype=np.float64)


def _constant(normal: Normal) -> float:
    """Return the normalising constant: minus twice the log density at the mean."""
    try:
        factor = np.linalg.cholesky(normal.precision)
    except np.linalg.LinAlgError:
        raise DataError("the estimated precision matrix is not positive definite") from None
    roots = float(np.log(np.diag(factor)).sum())
    return len(normal.names) * math.log(2 * math.pi) - 2 * roots


def stands_for_normal(graph: Graph, data: Dataset) -> bool:
    """Whether an undirected graph of continuous data represents a normal but no network."""
    return data.is_continuous and graph.is_undirected and not graph.is_chordal


def fitted_normal(graph: Graph, data: Dataset) -> Normal:
    """Return the maximum-likelihood normal distribution with the zeros of a graph.

    Parameters
    ----------
    graph
        An undirected graph, or one that a DAG extends.
    data
        Continuous data with a column for each node.
    """
    if not data.is_continuous:
        raise DataError("a normal distribution is fitted to continuous data")
    if not graph.is_undirected:
        moments = moments_of(fit(graph, data))
        return Normal(moments.names, _inverse(moments.covariance), "fitted")
    rows = complete_rows(data.select(graph.names))
    if len(rows) < 2:
        raise DataError("there are too few rows without missing values")
    centred = rows.values - rows.values.mean(axis=0)
    scales = np.sqrt((centred**2).mean(axis=0))
    if not np.all(scales > 0):
        raise DataError("a column is constant: there is no density")
    standard = centred / scales
    completed = complete_covariance(standard.T @ standard / len(rows), graph)
    return Normal(graph.names, _inverse(completed) / np.outer(scales, scales), "fitted")


def _inverse(matrix: Floats) -> Floats:
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64)


def true_covariance(model: Any, names: Sequence[str], scaled: bool = False) -> Floats:
    """Return the true model's covariance for ordered variables; `DataError` if it has none.

    Parameters
    ----------
    model
        A normal distribution, a linear model or a Gaussian network.
    names
        The variables.
    scaled
        Whether the data were standardised, so that the model is scaled alike.
    """
    normal = isinstance(model, LinearSem | MultivariateNormal)
    if not normal and getattr(model, "kind", "") != "gaussian":
        raise DataError("the true model is not Gaussian: it has no precision matrix")
    given, _, matrix = moments_of(model)
    absent = [name for name in names if name not in given]
    if absent:
        raise DataError(f"the true model does not have {listing(absent)}")
    place = [given.index(name) for name in names]
    chosen = matrix[np.ix_(place, place)]
    scales = np.sqrt(np.diag(chosen)) if scaled else np.ones(len(place))
    return np.asarray(chosen / np.outer(scales, scales), dtype=np.float64)
