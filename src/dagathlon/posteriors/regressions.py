"""Batched regressions of nodes on their parents, from second moments."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dagathlon.data import Dataset
from dagathlon.errors import DataError, listing
from dagathlon.posteriors.packed import Bools, Floats, Ints

# Parents whose correlation matrix has a smaller eigenvalue are functions of each other.
_SINGULAR = 1e-12


class Moments(NamedTuple):
    """Sums of products over the rows in which a node was not intervened on, for each node.

    Parameters
    ----------
    sums
        Matrices of sums of products, one for each distinct choice of rows.
    rows
        Number of rows of each choice.
    of_node
        For each node the number of its choice of rows.
    """

    sums: Floats
    rows: Floats
    of_node: Ints

    def at(self, node: int) -> Floats:
        """Return the sums of products over a node's rows."""
        sums: Floats = self.sums[self.of_node[node]]
        return sums


class Group(NamedTuple):
    """Regressions with equally many parents, for batched linear algebra.

    Parameters
    ----------
    rows
        Numbers of the regressions.
    parents
        Numbers of the parents, a row for each regression.
    matrices
        The second moments of the parents, ridge included.
    """

    rows: Ints
    parents: Ints
    matrices: Floats


class Regressions(NamedTuple):
    """Regressions of one node, each on its own set of parents.

    Parameters
    ----------
    coefficients
        A row for each regression over all nodes, 0 for those that are no parents.
    rest
        The residual sum of squares of the node.
    groups
        The regressions by their number of parents.
    """

    coefficients: Floats
    rest: Floats
    groups: tuple[Group, ...]

    def log_determinants(self) -> Floats:
        """Log determinants of the parents' second moments, ridge included."""
        result = np.zeros(len(self.rest))
        for group in self.groups:
            result[group.rows] = np.linalg.slogdet(group.matrices)[1]
        return result

    def noise(self, of_draw: Ints, normal: Floats) -> Floats:
        """Transform standard normal numbers to have the inverse of the moments as covariance.

        Parameters
        ----------
        of_draw
            For each draw the number of its regression.
        normal
            Independent standard normal numbers, a row over all nodes for each draw.
        """
        result = np.zeros_like(normal)
        group_of, place = self._places()
        for number, group in enumerate(self.groups):
            draws = np.flatnonzero(group_of[of_draw] == number)
            mine = place[of_draw[draws]]
            size = group.parents.shape[1]
            lower = np.linalg.cholesky(group.matrices)
            roots = np.linalg.inv(lower).transpose(0, 2, 1)
            turned = np.einsum("dij,dj->di", roots[mine], normal[draws, :size])
            result[draws[:, None], group.parents[mine]] = turned
        return result

    def _places(self) -> tuple[Ints, Ints]:
        group_of = np.full(len(self.rest), -1)
        place = np.zeros(len(self.rest), dtype=np.int64)
        for number, group in enumerate(self.groups):
            group_of[group.rows] = number
            place[group.rows] = np.arange(len(group.rows))
        return group_of, place


def moments_of(data: Dataset, *, centred: bool) -> Moments:
    """Return second moments of continuous data, for each node without its intervened rows.

    Parameters
    ----------
    data
        Rows without missing values.
    centred
        Whether the mean of the rows is subtracted.
    """
    values = checked_values(data)
    masks = np.zeros((len(data), len(data.names)), dtype=bool)
    if data.intervened is not None:
        masks = np.asarray(data.intervened)
    numbers: dict[bytes, int] = {}
    of_node = [numbers.setdefault(mask.tobytes(), len(numbers)) for mask in masks.T]
    sums, rows = [], []
    for number in range(len(numbers)):
        observed = values[~masks[:, of_node.index(number)]]
        shifted = observed - observed.mean(axis=0) if centred and len(observed) else observed
        sums.append(shifted.T @ shifted)
        rows.append(float(len(observed)))
    return Moments(np.array(sums), np.array(rows), np.array(of_node))


def checked_values(data: Dataset) -> Floats:
    """Return the values of data checked to be suitable for linear models."""
    discrete = [variable.name for variable in data.variables if variable.is_discrete]
    if discrete:
        raise DataError(
            f"parameters of linear models need continuous data; discrete are {listing(discrete)}"
        )
    if not len(data):
        raise DataError("parameters of linear models need at least one row of data, found none")
    if data.has_missing:
        raise DataError(
            "parameters of linear models take no missing values; impute them first or drop the rows"
        )
    if not np.isfinite(data.values).all():
        raise DataError("parameters of linear models take finite values only")
    return np.asarray(data.values)


def regressions(moments: Floats, child: int, parents: Bools, *, ridge: float = 0.0) -> Regressions:
    """Regress a node on many sets of parents.

    Parameters
    ----------
    moments
        Sums of products: one matrix, or one for each set of parents.
    child
        The node.
    parents
        For each set which nodes it holds.
    ridge
        Constant added to the diagonal of the parents' moments. Without it collinear parents
        share their effect: the minimum-norm solution in units of their own sizes.
    """
    count, p = parents.shape
    matrices = np.broadcast_to(moments, (count, p, p))
    coefficients = np.zeros((count, p))
    groups = []
    sizes = parents.sum(axis=1)
    for size in np.unique(sizes[sizes > 0]).tolist():
        rows = np.flatnonzero(sizes == size)
        chosen = np.nonzero(parents[rows])[1].reshape(len(rows), size)
        square = matrices[rows[:, None, None], chosen[:, :, None], chosen[:, None, :]]
        square = square + ridge * np.eye(size)
        right = matrices[rows[:, None], chosen, child]
        solved = _solved(square, right) if ridge > 0 else _least_squares(square, right)
        coefficients[rows[:, None], chosen] = solved
        groups.append(Group(rows, chosen, square))
    explained = np.einsum("mi,mi->m", coefficients, matrices[:, :, child])
    rest = np.maximum(matrices[:, child, child] - explained, 0.0)
    return Regressions(coefficients, rest, tuple(groups))


def _solved(matrices: Floats, right: Floats) -> Floats:
    return np.asarray(np.linalg.solve(matrices, right[:, :, None])[:, :, 0], dtype=np.float64)


def _least_squares(matrices: Floats, right: Floats) -> Floats:
    """Solve normal equations scaled to correlations, so that units do not affect singularity."""
    scale = np.sqrt(np.diagonal(matrices, axis1=1, axis2=2))
    scale = np.where(scale > 0, scale, 1.0)
    inverse = np.linalg.pinv(
        matrices / (scale[:, :, None] * scale[:, None, :]), rcond=_SINGULAR, hermitian=True
    )
    return np.asarray(np.einsum("mij,mj->mi", inverse, right / scale) / scale, dtype=np.float64)
