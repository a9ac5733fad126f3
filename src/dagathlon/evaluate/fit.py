"""A network fitted to data on a given graph, and how probable other data are under it."""

from __future__ import annotations

import math

import numpy as np

from dagathlon.data import Dataset, LinearSem, Network
from dagathlon.data.distributions import FloatArray, Gaussian
from dagathlon.data.fitting import fit as fit_network
from dagathlon.errors import DataError, GraphError
from dagathlon.evaluate.mixed_fit import mixed_row_log_likelihoods
from dagathlon.graphs import Graph, extension


def fit(graph: Graph, data: Dataset, sample_size: float = 1.0) -> Network:
    """The network whose density is asked: `dagathlon.fit` on the complete rows.

    Parameters
    ----------
    graph
        A DAG, or a graph of directed and undirected edges that a DAG extends.
    data
        A column for each node; all discrete or all continuous. Rows with missing values are left
        out.
    sample_size
        Equivalent sample size of the uniform prior of discrete nodes; 0 gives maximum likelihood.
    """
    if not (data.is_discrete or data.is_continuous):
        raise DataError("a network is fitted to data that are all discrete or all continuous")
    dag = graph if graph.is_dag else extension(graph)
    complete = _complete(data.select(dag.names))
    if not len(complete):
        raise DataError("there is no row without missing values to fit a network to")
    if sample_size == 0:
        network = fit_network(complete, dag, method="mle")
    else:
        network = fit_network(complete, dag, prior=sample_size)
    for name, given in network.distributions.items():
        if isinstance(given, Gaussian) and not given.sd.all():
            raise DataError(f"variable {name!r} follows from its parents without noise: no density")
    return network


def _complete(data: Dataset) -> Dataset:
    missing = data.missing
    return data if missing is None else data.take(np.flatnonzero(~missing.any(axis=1)))


def held_out_log_likelihood(
    graph: Graph, training: Dataset, test: Dataset, sample_size: float = 1.0
) -> float:
    """Mean log-likelihood per row of test data under the network fitted to training data.

    Parameters
    ----------
    graph
        What was learned: a DAG, or a graph that a DAG extends.
    training, test
        Data with a column for each node.
    sample_size
        Equivalent sample size of the prior of discrete nodes.
    """
    complete = _complete(test.select(graph.names))
    if not len(complete):
        raise DataError("there is no test row without missing values")
    network = fit(graph, training, sample_size)
    return network.log_likelihood(complete) / len(complete)


def cross_validated_log_likelihood(
    graph: Graph, data: Dataset, folds: int = 5, sample_size: float = 1.0
) -> float:
    """Mean log-likelihood per row, each row under parameters fitted without its fold.

    The graph is the same in every fold: this asks how well its parameters carry over, and not
    whether another sample would give the same graph. Row i is in fold i modulo `folds`.
    """
    return float(np.mean(cross_validated_rows(graph, data, folds, sample_size)))


def cross_validated_rows(
    graph: Graph, data: Dataset, folds: int = 5, sample_size: float = 1.0
) -> FloatArray:
    """Log-likelihood of every complete row, under parameters fitted without its fold.

    Parameters
    ----------
    graph
        A DAG, or a graph of directed and undirected edges that a DAG extends.
    data
        A column for each node, of any kind; rows with missing values are left out.
    folds
        Number of parts; row i is in fold i modulo `folds`.
    sample_size
        Equivalent sample size of the prior of discrete nodes.
    """
    complete = _complete(data.select(graph.names))
    if not 2 <= folds <= len(complete):
        raise DataError(
            f"cross-validation in {folds} folds needs 2 or more folds, and a row for each; "
            f"there are {len(complete)} complete rows"
        )
    dag = graph if graph.is_dag else extension(graph)
    fold = np.arange(len(complete)) % folds
    rows = np.empty(len(complete))
    for k in range(folds):
        training = complete.take(np.flatnonzero(fold != k))
        test = complete.take(np.flatnonzero(fold == k))
        if data.is_mixed:
            rows[fold == k] = mixed_row_log_likelihoods(dag, training, test, sample_size)
        else:
            rows[fold == k] = fit(dag, training, sample_size).row_log_likelihoods(test)
    return rows


def gaussian_cross_entropy(fitted: Network, truth: LinearSem, scaled: bool = False) -> float:
    """Expected negative log density under a fitted Gaussian network, of rows of the true model.

    Exact, by the covariance that the true model implies; the least value is the true model's own
    entropy.

    Parameters
    ----------
    fitted
        A Gaussian network over variables of the true model.
    truth
        The model that the data are drawn from.
    scaled
        Whether the network was fitted to data of variance 1, so that the truth is scaled alike.
    """
    if fitted.kind != "gaussian":
        raise GraphError("the exact cross-entropy is that of a Gaussian network")
    covariance = truth.covariance()
    if scaled:
        deviation = np.sqrt(np.diag(covariance))
        covariance = covariance / np.outer(deviation, deviation)
    position = {name: i for i, name in enumerate(truth.names)}
    return sum(
        _expected(position, covariance, name, given)
        for name, given in fitted.distributions.items()
        if isinstance(given, Gaussian)
    )


def _expected(
    position: dict[str, int], covariance: FloatArray, name: str, given: Gaussian
) -> float:
    """The node's part of the cross-entropy."""
    chosen = [position[name], *(position[parent] for parent in given.continuous_parents)]
    weights = np.concatenate([[1.0], -np.ravel(given.coefficients)])
    part = covariance[np.ix_(chosen, chosen)]
    square = float(weights @ part @ weights) + float(given.intercept) ** 2
    sd = float(given.sd)
    return math.log(sd) + 0.5 * math.log(2 * math.pi) + square / (2 * sd * sd)
