"""CLIME: sparse precision matrices by linear programs, a column at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.errors import DataError
from dagathlon.learners.undirected.inputs import Matrix, Moments, Vector
from dagathlon.learners.undirected.path_precisions import PathPrecisions
from dagathlon.learners.undirected.penalised import GaussianPenalised, PathFit
from dagathlon.modules import NonNegative
from dagathlon.pulse import aside, beat
from dagathlon.threads import side_by_side

if TYPE_CHECKING:
    from dagathlon.data import Dataset


@dataclass(frozen=True, kw_only=True)
class Clime(GaussianPenalised):
    """CLIME: the sparse matrix of smallest entries that nearly inverts the correlation matrix.

    Column j is the vector b with the least Σ|b_i| among those with |Sb - e_j| ≤ penalty in
    every row, computed exactly by following the solution path from the largest penalty down; of
    the entries (i, j) and (j, i) the smaller is taken. Two variables are joined where it is not
    zero.

    Parameters
    ----------
    ridge
        Ridge added to the diagonal of the correlation matrix S. Null: the smallest one that brings
        the condition number of S down to the number of columns, or to 100 if there are fewer.
    threshold
        Absolute value of an entry of the precision matrix above which it is an edge.
    """

    name = "clime"
    references = ("Cai, Liu and Luo 2011, Journal of the American Statistical Association 106",)

    ridge: NonNegative | None = None
    threshold: NonNegative = 0.0

    def largest_of(self, moments: Moments) -> float:
        """Return the smallest penalty with an empty graph."""
        given = self._with_ridge(moments)
        # Rounding must not push it beyond the bound.
        return (1 + 1e-9) * _penalty_at(np.abs(np.triu(given, 1)).max(initial=0.0), given)

    def ric_penalty(self, data: Dataset, rng: np.random.Generator) -> float:
        """Return the smallest penalty with an empty graph for columns rotated at random."""
        largest = super().ric_penalty(data, rng)
        return _penalty_at(largest, self._with_ridge(self.moments(data)))

    def fit_moments(self, moments: Moments, penalties: Vector) -> PathFit:
        """Fit all penalties of each column."""
        columns = self._columns(self._with_ridge(moments), penalties)
        graphs = np.zeros((len(penalties), moments.p, moments.p), dtype=np.bool_)
        precisions = PathPrecisions(moments.p, moments.p)
        for k in range(len(penalties)):
            beat()
            weights = smaller_of_both(np.column_stack([column[k] for column in columns]))
            precisions.append(weights)
            graphs[k] = np.abs(weights) > self.threshold
            np.fill_diagonal(graphs[k], False)
        return PathFit(graphs, precisions)

    def _columns(self, correlation: Matrix, penalties: Vector) -> list[PathPrecisions]:
        """Return the sparse solutions of each column along the penalties."""
        native, wanted = _core.SquareMatrix(correlation), penalties.tolist()

        def solved(j: int) -> PathPrecisions:
            solutions = _core.clime_column(native, j, wanted)
            if len(solutions) < len(wanted):
                raise DataError(
                    f"{self.name}: the correlations are too close to singular for penalty "
                    f"{wanted[len(solutions)]:.3g}; raise ridge, or the smallest penalty"
                )
            return PathPrecisions.of(solutions)

        result = []
        for column in side_by_side(solved, range(len(correlation)), len(correlation)):
            result.append(column)
            beat(len(result), len(correlation))
        return result

    def _with_ridge(self, moments: Moments) -> Matrix:
        ridge = self.ridge
        if ridge is None:
            roots = aside(np.linalg.eigvalsh, moments.correlation)
            condition = max(moments.p, 100)
            ridge = max(float(roots[-1] - condition * roots[0]), 0.0) / (condition - 1)
        return np.asarray(moments.correlation + ridge * np.eye(moments.p))


def _penalty_at(largest: float, given: Matrix) -> float:
    """Return the smallest penalty with an empty graph, given the largest correlation."""
    share = largest / given[0, 0]
    return float(share / (1 + share))


def smaller_of_both(matrix: Matrix) -> Matrix:
    """Symmetrise a matrix by the entry (i, j) or (j, i) that is nearer to zero.

    Parameters
    ----------
    matrix
        A square matrix.
    """
    upper: npt.NDArray[np.bool_] = np.triu(np.abs(matrix) <= np.abs(matrix.T), 0)
    chosen = np.triu(np.where(upper, matrix, matrix.T))
    return np.asarray(chosen + np.triu(chosen, 1).T)
