"""Gaussian log likelihoods of estimates along a path, from moments of the evaluated rows."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.learners.undirected.inputs import (
    Matrix,
    Moments,
    Relation,
    Vector,
    moments,
    standardised_as,
)
from dagathlon.pulse import beat


def gaussian_log_likelihoods(precisions: Iterable[Matrix], seen: Matrix) -> Vector:
    """Return the log likelihood of a row under each precision matrix, up to a constant.

    Parameters
    ----------
    precisions
        Precision matrices; one that is not positive definite has likelihood 0.
    seen
        Mean products of the columns in the rows that are asked about.
    """
    result = []
    for precision in precisions:
        beat()
        # The sign of the determinant would not detect two negative eigenvalues.
        try:
            factor = np.linalg.cholesky(precision)
        except np.linalg.LinAlgError:
            result.append(-np.inf)
            continue
        result.append(np.log(np.diag(factor)).sum() - np.sum(precision * seen) / 2)
    return np.array(result)


def pseudo_log_likelihoods(graphs: npt.NDArray[np.bool_], given: Moments, seen: Matrix) -> Vector:
    """Return the log pseudo-likelihood of a row: regressions of variables on their neighbours.

    Parameters
    ----------
    graphs
        Adjacency matrices.
    given
        Moments of the rows to which the regressions are fitted. A graph with as many neighbours as
        rows, without residual degrees of freedom, has likelihood 0.
    seen
        Mean products of the standardised columns in the evaluated rows.
    """
    products = np.ascontiguousarray(seen)
    return np.array(
        _core.refit_likelihoods(
            np.ascontiguousarray(given.correlation), given.n, products, np.ascontiguousarray(graphs)
        )
    )


def held_out_moments(train: Matrix, test: Matrix, relation: Relation) -> Matrix:
    """Return the mean products of held-out rows, in the scale of the rows that were fitted.

    With ranks it is the correlation matrix of the held-out rows, since ranks have no scale.
    """
    if relation == "pearson":
        columns = standardised_as(train, test)
        return columns.T @ columns / len(columns)
    return moments(test, relation).correlation
