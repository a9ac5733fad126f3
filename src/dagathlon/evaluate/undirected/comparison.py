"""`compare_path` and `compare_precision`: metrics of learners of undirected models."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from dagathlon.data import Dataset
from dagathlon.errors import DataError, GraphError
from dagathlon.evaluate.metric import Value
from dagathlon.evaluate.undirected.scores import AREAS, PrecisionScores, curve_of
from dagathlon.graphs import Graph, GraphPath, as_graph, read_path
from dagathlon.graphs.undirected import UndirectedForm
from dagathlon.learners.base import Estimate
from dagathlon.posteriors.posterior import Posterior


def compare_path(path: Any, truth: Any, undirected: UndirectedForm = "moral") -> dict[str, Value]:
    """Compare the graphs along a path of penalties with the true graph, matched by name.

    A distribution over graphs is such a path too: its edges come in order of their probability.

    Parameters
    ----------
    path
        A `GraphPath`, a `Posterior`, an `Estimate` that has one of them, or the ``.npz`` file of a
        path.
    truth
        The true graph, as in `compare`.
    undirected
        The undirected form in which directed truths and draws of DAGs are compared: ``moral``
        graphs or their graphs of unconditional ``dependence``.

    Returns
    -------
    dict
        ``undirected_auroc``, ``undirected_auprc``, the best F1 along the path and where it is, and
        the F1 of the chosen graph (of a distribution, all edges above one half).
    """
    row = curve_of(_path(path), as_graph(truth), undirected)
    return {measure.name: row[measure.name] for measure in AREAS}


def compare_precision(
    estimate: Any,
    model: Any = None,
    *,
    data: Dataset | None = None,
    test_data: Dataset | None = None,
    scaled: bool = False,
) -> dict[str, Value]:
    """Compare an estimated precision matrix with the true model, and score it on fresh rows.

    Parameters
    ----------
    estimate
        An `Estimate`; or a precision matrix over the variables of the model in their order. A
        learner that gives no matrix has the one of greatest likelihood with the zeros of its graph,
        fitted to `data`.
    model
        The true model: a `MultivariateNormal`, a `LinearSem` or a Gaussian `Network`.
    data
        The data that were learned from: for means, and for fitting a matrix.
    test_data
        Fresh rows, for the log-likelihood.
    scaled
        Whether the data were standardised, so that the model is scaled alike.

    Returns
    -------
    dict
        Losses by name as in `precision_losses`, ``precision_log_likelihood``; None where something
        is missing. ``precision_how`` says whose matrix it is.
    """
    given = estimate if isinstance(estimate, Estimate) else _of_matrix(estimate, model)
    if data is None and (given.precision is None or test_data is not None):
        raise DataError("give the data that were learned from: means and fits are from them")
    inputs = ("model", "data", "test_data", "estimate")
    row = PrecisionScores(inputs=inputs, scaled=scaled).compute(model, data, test_data, given)
    if "precision_note" in row and "precision_how" not in row:
        raise DataError(str(row["precision_note"]))
    return row


def _of_matrix(matrix: Any, model: Any) -> Estimate:
    names = tuple(getattr(model, "names", ()))
    precision = np.asarray(matrix, dtype=np.float64)
    if not names or precision.shape != (len(names), len(names)):
        raise DataError("a matrix is compared over the variables of a true model: give both")
    return Estimate(Graph(names), precision=precision)


def _path(given: Any) -> GraphPath | Posterior:
    if isinstance(given, str | os.PathLike):
        return read_path(given)  # type: ignore[arg-type]
    path = given
    if isinstance(given, Estimate):
        path = given.posterior if given.path is None else given.path
    if not isinstance(path, GraphPath | Posterior):
        raise GraphError(
            "there is no path of graphs: give a GraphPath, or an estimate that has one"
        )
    return path
