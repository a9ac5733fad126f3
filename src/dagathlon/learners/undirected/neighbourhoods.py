"""Regressions of each variable on all others, and the graphs of their predictors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.learners.undirected.inputs import Matrix, Moments, Vector
from dagathlon.learners.undirected.path_precisions import PathPrecisions
from dagathlon.learners.undirected.penalised import GaussianPenalised, Graphs

Rule: TypeAlias = Literal["and", "or"]
_TOLERANCE = 1e-10
_MAX_SWEEPS = 1000


@dataclass(frozen=True, kw_only=True)
class NeighbourhoodLearner(GaussianPenalised):
    """Base class of learners that regress each variable on all others.

    Parameters
    ----------
    rule
        Two variables are joined if each predicts the other (and), or if at least one predicts the
        other (or).
    """

    order_independent = True

    rule: Rule = "and"

    def regressions(
        self, moments: Moments, penalties: Vector, *, square_root: bool = False
    ) -> _core.RegressionPath:
        """Fit the lasso, or the square-root lasso, of all columns along the path."""
        settings = _core.LassoSettings(
            tolerance=_TOLERANCE, max_sweeps=_MAX_SWEEPS, square_root=square_root
        )
        correlation = np.ascontiguousarray(moments.correlation)
        return _core.neighbourhood_path(correlation, penalties.tolist(), settings)

    def graphs(self, path: _core.RegressionPath, length: int) -> Graphs:
        """Return the graphs of all penalties."""
        return np.stack([joined(path.weights(k) != 0, self.rule) for k in range(length)])


def joined(predicts: npt.NDArray[np.bool_], rule: Rule) -> npt.NDArray[np.bool_]:
    """Return the adjacency matrix of a matrix of predictors, by the rule (and, or)."""
    return predicts & predicts.T if rule == "and" else predicts | predicts.T


def precisions_of(path: _core.RegressionPath, length: int, rule: Rule) -> PathPrecisions:
    """Return the precision matrices that correspond to the regressions at each penalty."""
    variances = np.maximum(path.residual_variances(), np.finfo(float).eps)
    result = PathPrecisions(*variances.shape[1:], *variances.shape[1:])
    for k in range(length):
        result.append(symmetric_precision(path.weights(k), variances[k], rule))
    return result


def symmetric_precision(weights: Matrix, variances: Vector, rule: Rule) -> Matrix:
    """The precision matrix of regressions with these weights and residual variances.

    A row has the inverse of the residual variance on the diagonal and minus the weights times it
    elsewhere. Of the two entries of a pair the smaller in size is taken for both with the rule
    ``and``, the larger with ``or``, so that the graph is where they are not zero.
    """
    rows = -weights / variances[:, None]
    smaller = np.abs(rows) < np.abs(rows.T)
    ties = np.abs(rows) == np.abs(rows.T)
    takes_own = smaller if rule == "and" else ~smaller
    result: Matrix = np.where(ties, (rows + rows.T) / 2, np.where(takes_own, rows, rows.T))
    np.fill_diagonal(result, 1 / variances)
    return result
