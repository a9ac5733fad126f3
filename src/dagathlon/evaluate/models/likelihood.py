"""Held-out and cross-validated likelihood of networks fitted on a given graph."""

from __future__ import annotations

import numpy as np

from dagathlon.data import Dataset, Network
from dagathlon.data.models.distributions import FloatArray, Gaussian
from dagathlon.data.models.fitting import fit as fit_network
from dagathlon.errors import DataError
from dagathlon.evaluate.models.mixed_likelihood import mixed_row_log_likelihoods
from dagathlon.graphs import Graph, extension


def fit(graph: Graph, data: Dataset, sample_size: float = 1.0) -> Network:
    """Fit a network on a graph by `dagathlon.fit`, using complete rows only.

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
    complete = complete_rows(data.select(dag.names))
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


def complete_rows(data: Dataset) -> Dataset:
    """Return the rows without missing values."""
    missing = data.missing
    return data if missing is None else data.take(np.flatnonzero(~missing.any(axis=1)))


def held_out_log_likelihood(
    graph: Graph, training: Dataset, test: Dataset, sample_size: float = 1.0
) -> float:
    """Return the mean log-likelihood per test row under the network fitted to training data.

    Parameters
    ----------
    graph
        Learned graph: a DAG, or a graph that a DAG extends.
    training, test
        Data with a column for each node.
    sample_size
        Equivalent sample size of the prior of discrete nodes.
    """
    complete = complete_rows(test.select(graph.names))
    if not len(complete):
        raise DataError("there is no test row without missing values")
    network = fit(graph, training, sample_size)
    return network.log_likelihood(complete) / len(complete)


def cross_validated_log_likelihood(
    graph: Graph, data: Dataset, folds: int = 5, sample_size: float = 1.0
) -> float:
    """Return the mean log-likelihood per row, each under parameters fitted without its fold.

    The graph is the same in every fold: this measures how well its parameters generalise, and
    not whether another sample would give the same graph. Row i is in fold i modulo `folds`.
    """
    return float(np.mean(cross_validated_rows(graph, data, folds, sample_size)))


def cross_validated_rows(
    graph: Graph, data: Dataset, folds: int = 5, sample_size: float = 1.0
) -> FloatArray:
    """Return the log-likelihood of every complete row, under parameters fitted without its fold.

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
    complete = complete_rows(data.select(graph.names))
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
        rows[fold == k] = predicted_rows(dag, training, test, sample_size)
    return rows


def predicted_rows(
    dag: Graph, training: Dataset, test: Dataset, sample_size: float = 1.0
) -> FloatArray:
    """Return the log-likelihood of every test row under the network fitted to training rows.

    Parameters
    ----------
    dag
        A DAG over columns of the data.
    training, test
        Rows without missing values, of any kind: discrete, continuous or mixed.
    sample_size
        Equivalent sample size of the prior of discrete nodes.
    """
    if training.is_mixed:
        return mixed_row_log_likelihoods(dag, training, test, sample_size)
    return fit(dag, training, sample_size).row_log_likelihoods(test)
