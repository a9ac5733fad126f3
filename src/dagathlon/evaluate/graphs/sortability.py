"""Sortability: how well variances or explained variances predict the causal order."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.data import Dataset
from dagathlon.errors import GraphError, listing
from dagathlon.graphs import Graph
from dagathlon.graphs.checks import require_dag
from dagathlon.learners.nonlinear.sorts import explained_shares

FloatArray: TypeAlias = npt.NDArray[np.float64]

# Differences below this, relative to the scores, are rounding: they are ties.
_ROUNDING = 1e-9


def varsortability(data: Dataset, truth: Graph) -> float:
    """Return the share of directed paths along which the variance grows.

    1 means that sorting the variables by their variances gives a causal order, ½ that variances
    are uninformative. Standardised data have ½.

    Parameters
    ----------
    data
        A column for each node of the truth; discrete columns count with their codes.
    truth
        The true DAG.

    Returns
    -------
    float
        NaN for a graph without edges.

    References
    ----------
    Reisach, Seiler and Weichwald 2021, Beware of the simulated DAG, NeurIPS.
    """
    variances = np.nanvar(_columns(data, truth), axis=0)
    return order_alignment(truth, variances, _ROUNDING * float(variances.max(initial=0.0)))


def r2_sortability(data: Dataset, truth: Graph) -> float:
    """Return the share of directed paths along which R² grows.

    R² is that of the regression of a variable on all others, which standardising does not
    change. Rows with missing values are left out.

    Parameters
    ----------
    data
        A column for each node of the truth; discrete columns count with their codes.
    truth
        The true DAG.

    Returns
    -------
    float
        NaN for a graph without edges.

    References
    ----------
    Reisach, Tami, Seiler, Chambaz and Weichwald 2023, A scale-invariant sorting criterion to find
    a causal order in additive noise models, NeurIPS.
    """
    matrix = _columns(data, truth)
    return order_alignment(
        truth, explained_shares(matrix[~np.isnan(matrix).any(axis=1)]), _ROUNDING
    )


def order_alignment(truth: Graph, scores: npt.ArrayLike, tolerance: float = 0.0) -> float:
    """Return the share of a DAG's directed paths whose end has a higher score than their start.

    Pairs of nodes are counted once for every length of a path between them; a tie counts one
    half.

    Parameters
    ----------
    truth
        The DAG.
    scores
        One number for each node, in order.
    tolerance
        Largest difference of two scores that is a tie.
    """
    require_dag(truth, "sortability")
    given = np.asarray(scores, dtype=np.float64)
    edges = truth.adjacency.astype(bool)
    difference = given[None, :] - given[:, None]
    higher = np.where(np.abs(difference) <= tolerance, 0.0, np.sign(difference))
    joined, paths, right = edges, 0, 0.0
    while joined.any():
        paths += int(joined.sum())
        right += float((0.5 + 0.5 * higher)[joined].sum())
        joined = joined @ edges
    return right / paths if paths else float("nan")


def _columns(data: Dataset, truth: Graph) -> FloatArray:
    absent = [name for name in truth.names if name not in data.index]
    if absent:
        raise GraphError(
            f"sortability needs a column for each node; there is none of {listing(absent)}"
        )
    return data.select(truth.names).to_matrix()
