"""Cross-entropy from the true model to the network fitted to a learned graph."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dagathlon.data import Dataset, LinearSem, Network
from dagathlon.data.models.distributions import FloatArray, Gaussian, Table
from dagathlon.data.models.multivariate_normal import MultivariateNormal
from dagathlon.errors import DagathlonError, DataError, GraphError, listing
from dagathlon.evaluate.metric import Measure
from dagathlon.evaluate.models.approximate_extension import (
    REMARK,
    ApproximateExtension,
    approximate_extension,
    why_no_dag,
)
from dagathlon.evaluate.models.learner_prior import SAMPLE_SIZE, LearnerPriorScore
from dagathlon.evaluate.models.likelihood import complete_rows, fit, predicted_rows
from dagathlon.evaluate.models.precision_losses import (
    fitted_normal,
    normal_cross_entropy,
    normal_row_log_likelihoods,
    stands_for_normal,
)
from dagathlon.evaluate.models.true_families import (
    FamilyTables,
    Moments,
    family_tables,
    fresh_rows,
    moments_of,
)
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate
from dagathlon.wording import counted

EXACT = "exact"


class CrossEntropyValue(NamedTuple):
    """Cross-entropy in nats, with its standard error and method.

    Parameters
    ----------
    value
        Expected negative log density of a row.
    error
        Its standard error; None where it is exact.
    how
        ``exact``, or how many fresh rows it is the mean of.
    """

    value: float
    error: float | None
    how: str


def cross_entropy(
    graph: Graph,
    training: Dataset,
    truth: LinearSem | MultivariateNormal | Network | Dataset,
    sample_size: float = SAMPLE_SIZE,
    *,
    scaled: bool = False,
) -> CrossEntropyValue:
    """Return the expected negative log density of true rows under the fitted network.

    The network is fitted to the graph on the data that the graph was learned from: probability
    tables are posterior means under a uniform prior, regressions are least squares. The value
    is exact where the truth is Gaussian, or discrete and not too large; else it is the mean
    over 20,000 fresh rows of the model, the same for all graphs. The least possible value is
    the entropy of the true model.

    Parameters
    ----------
    graph
        A DAG, or a graph of directed and undirected edges, for which one DAG stands. An undirected
        graph of continuous data that is not chordal is given the normal distribution of greatest
        likelihood with its zeros.
    training
        Data to fit the network to; rows with missing values are left out.
    truth
        The true model, over all variables of the graph; or rows of it.
    sample_size
        Imaginary rows of the prior of each probability table (BDeu); 0 is maximum likelihood.
    scaled
        Whether the training data were standardised, so that the truth is scaled alike.

    Raises
    ------
    GraphError
        For graphs that represent no DAG: PAGs, MAGs, undirected graphs of discrete data that are
        not chordal.
    DataError
        When the fitted network has no density, or the truth lacks variables.
    """
    absent = [name for name in graph.names if name not in truth.names]
    if absent:
        raise DataError(f"the true model does not have {listing(absent)}")
    if stands_for_normal(graph, training):
        return _of_normal(graph, training, truth, scaled)
    dag = _extended(graph).dag
    rows = complete_rows(training.select(dag.names))
    if not len(rows):
        raise DataError("there is no row without missing values to fit a network to")
    if isinstance(truth, Dataset):
        return _by_rows(dag, rows, truth, sample_size)
    if isinstance(truth, LinearSem | MultivariateNormal) or truth.kind == "gaussian":
        fitted = fit(dag, rows, sample_size)
        return CrossEntropyValue(gaussian_cross_entropy(fitted, truth, scaled), None, EXACT)
    if truth.kind == "discrete":
        fitted = fit(dag, rows, sample_size)
        tables = family_tables(truth)
        if tables is not None and tables.within_reach(_families(fitted)):
            return CrossEntropyValue(_expected(fitted, tables), None, EXACT)
    return _by_rows(dag, rows, fresh_rows(truth, scaled), sample_size)


def _of_normal(graph: Graph, training: Dataset, truth: Any, scaled: bool) -> CrossEntropyValue:
    """Return the cross-entropy of the normal distribution with an undirected graph's zeros."""
    normal = fitted_normal(graph, training)
    if isinstance(truth, Dataset):
        return _mean_of(-normal_row_log_likelihoods(normal, training, truth))
    true = moments_of(truth).scaled() if scaled else moments_of(truth)
    return CrossEntropyValue(normal_cross_entropy(normal, training, true), None, EXACT)


def _extended(graph: Graph) -> ApproximateExtension:
    reason = why_no_dag(graph)
    if reason:
        raise GraphError(reason)
    return approximate_extension(graph)


def _by_rows(dag: Graph, training: Dataset, rows: Dataset, sample_size: float) -> CrossEntropyValue:
    complete = complete_rows(rows.select(dag.names))
    return _mean_of(-predicted_rows(dag, training, complete, sample_size))


def _mean_of(rows: FloatArray) -> CrossEntropyValue:
    """Return the mean over rows, with its standard error."""
    if not len(rows) or not np.isfinite(rows).all():
        raise DataError("some fresh rows have no finite log-likelihood")
    error = float(np.std(rows, ddof=1) / math.sqrt(len(rows))) if len(rows) > 1 else None
    return CrossEntropyValue(float(rows.mean()), error, counted(len(rows), "fresh row"))


def discrete_cross_entropy(fitted: Network, truth: Network) -> float:
    """Return the exact cross-entropy of a fitted discrete network to the true one.

    The true probabilities of each node with its parents are queried from the true network's
    junction tree and cached, so that further graphs cost little.

    Parameters
    ----------
    fitted
        A discrete network over variables of the true one.
    truth
        The network that the data are drawn from.
    """
    return _expected(fitted, family_tables(truth) or FamilyTables(truth))


def _families(fitted: Network) -> list[tuple[str, ...]]:
    return [(*given.parents, name) for name, given in fitted.distributions.items()]


def _expected(fitted: Network, tables: FamilyTables) -> float:
    total = 0.0
    for name, given in fitted.distributions.items():
        if not isinstance(given, Table):
            raise GraphError("the cross-entropy to a discrete network is that of a discrete one")
        probable = tables.table((*given.parents, name))
        estimated = _aligned(fitted, (*given.parents, name), given.probabilities, tables)
        possible = probable > 0
        with np.errstate(divide="ignore"):
            logs = np.log(estimated[possible])
        total -= float(probable[possible] @ logs)
    if not math.isfinite(total):
        raise DataError("the fitted network gives no probability to rows that the truth draws")
    return total


def _aligned(
    fitted: Network, names: tuple[str, ...], cells: FloatArray, tables: FamilyTables
) -> FloatArray:
    """Return a fitted table's probabilities with axes and levels in the order of the truth."""
    for axis, name in enumerate(names):
        given = fitted.distribution(name)
        fitted_levels, wanted = (
            given.levels if isinstance(given, Table) else (),
            tables.levels[name],
        )
        if fitted_levels == wanted:
            continue
        lacking = [level for level in wanted if level not in fitted_levels]
        if lacking:
            raise DataError(f"variable {name!r} has no level {listing(lacking)} in the data")
        cells = np.take(cells, [fitted_levels.index(level) for level in wanted], axis=axis)
    return cells


def gaussian_cross_entropy(
    fitted: Network, truth: LinearSem | MultivariateNormal | Network, scaled: bool = False
) -> float:
    """Return the exact cross-entropy of a fitted Gaussian network to the true model.

    It is computed from the mean and covariance implied by the true model; the least value is
    the true model's own entropy.

    Parameters
    ----------
    fitted
        A Gaussian network over variables of the true model.
    truth
        The model that the data are drawn from: a linear model, a normal distribution or a Gaussian
        network.
    scaled
        Whether the network was fitted to data of variance 1, so that the truth is scaled alike.
    """
    if fitted.kind != "gaussian":
        raise GraphError("the exact cross-entropy is that of a Gaussian network")
    true = moments_of(truth).scaled() if scaled else moments_of(truth)
    position = {name: i for i, name in enumerate(true.names)}
    return sum(
        _gaussian_part(position, true, name, given)
        for name, given in fitted.distributions.items()
        if isinstance(given, Gaussian)
    )


def _gaussian_part(position: dict[str, int], true: Moments, name: str, given: Gaussian) -> float:
    """Return one node's part of the cross-entropy."""
    chosen = [position[name], *(position[parent] for parent in given.continuous_parents)]
    weights = np.concatenate([[1.0], -np.ravel(given.coefficients)])
    part = true.covariance[np.ix_(chosen, chosen)]
    apart = float(weights @ true.mean[chosen]) - float(given.intercept)
    square = float(weights @ part @ weights) + apart**2
    sd = float(given.sd)
    return math.log(sd) + 0.5 * math.log(2 * math.pi) + square / (2 * sd * sd)


CROSS_ENTROPY = Measure(
    "cross_entropy", "cross-entropy to the true model", "less", "cross-entropy", "nats"
)


@dataclass(frozen=True, kw_only=True)
class CrossEntropy(LearnerPriorScore):
    """Cross-entropy to the true model of the network fitted to an estimate on the run's data.

    Parameters
    ----------
    scaled
        Whether the data were standardised.
    """

    name = "cross_entropy"
    version = 2
    order = 61
    measures = (CROSS_ENTROPY,)
    scaled: bool = False

    def compute(self, model: Any, data: Dataset, estimate: Estimate) -> dict[str, Any]:
        """Return one row: the value, its error and method, or the reason why there is none.

        Parameters
        ----------
        model
            The true model, or rows of it.
        data
            The data that the graph was learned from.
        estimate
            The graph.
        """
        try:
            graph, faithful = estimate.graph, True
            if not stands_for_normal(graph, data):
                graph, faithful = _extended(graph)
            entropy = cross_entropy(graph, data, model, self.sample_size, scaled=self.scaled)
        except DagathlonError as error:
            return {CROSS_ENTROPY.name: None, "cross_entropy_note": str(error)}
        row = {CROSS_ENTROPY.name: entropy.value, "cross_entropy_how": entropy.how}
        row |= {} if entropy.error is None else {"cross_entropy_se": entropy.error}
        return row | ({} if faithful else {"cross_entropy_note": REMARK})
