"""Regressions of each variable on all others, and the graphs that they give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.learners.undirected.inputs import Matrix, Moments, Vector
from dagathlon.learners.undirected.penalised import GaussianPenalised, Graphs

Rule: TypeAlias = Literal["and", "or"]
_TOLERANCE = 1e-10
_MAX_SWEEPS = 10_000


@dataclass(frozen=True, kw_only=True)
class NeighbourhoodLearner(GaussianPenalised):
    """A learner that regresses each variable on all others.

    Parameters
    ----------
    rule
        Two variables are joined when each is a predictor of the other (and), or one of them of
        the other at least (or).
    """

    order_independent = True

    rule: Rule = "and"

    def regressions(
        self, moments: Moments, penalties: Vector, *, square_root: bool = False
    ) -> _core.RegressionPath:
        """The lasso, or the square-root lasso, of all columns along the path."""
        settings = _core.LassoSettings(
            tolerance=_TOLERANCE, max_sweeps=_MAX_SWEEPS, square_root=square_root
        )
        correlation = np.ascontiguousarray(moments.correlation)
        return _core.neighbourhood_path(correlation, penalties.tolist(), settings)

    def graphs(self, path: _core.RegressionPath, length: int) -> Graphs:
        """The graphs of all penalties."""
        return np.stack([joined(path.weights(k) != 0, self.rule) for k in range(length)])


def joined(predicts: npt.NDArray[np.bool_], rule: Rule) -> npt.NDArray[np.bool_]:
    """Who is joined, where each row says which columns predict it."""
    return predicts & predicts.T if rule == "and" else predicts | predicts.T


class RegressionPrecisions(Sequence[Matrix]):
    """Precision matrices of regressions, made when they are asked for.

    A row has the inverse of the residual variance on the diagonal and minus the weights times it
    elsewhere. Of the two entries of a pair the smaller in size is taken for both with the rule
    ``and``, the larger with ``or``, so that the graph is where they are not zero.
    """

    def __init__(self, path: _core.RegressionPath, length: int, rule: Rule) -> None:
        self._path = path
        self._length = length
        self._rule = rule

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, k: int) -> Matrix: ...
    @overload
    def __getitem__(self, k: slice) -> list[Matrix]: ...
    def __getitem__(self, k: int | slice) -> Matrix | list[Matrix]:
        if isinstance(k, slice):
            return [self[i] for i in range(*k.indices(self._length))]
        if not -self._length <= k < self._length:
            raise IndexError(k)
        k %= self._length
        variances = np.maximum(self._path.residual_variances()[k], np.finfo(float).eps)
        return symmetric_precision(self._path.weights(k), variances, self._rule)


def symmetric_precision(weights: Matrix, variances: Vector, rule: Rule) -> Matrix:
    """The precision matrix of regressions with these weights and residual variances."""
    rows = -weights / variances[:, None]
    smaller = np.abs(rows) < np.abs(rows.T)
    ties = np.abs(rows) == np.abs(rows.T)
    own = smaller if rule == "and" else ~smaller
    result: Matrix = np.where(ties, (rows + rows.T) / 2, np.where(own, rows, rows.T))
    np.fill_diagonal(result, 1 / variances)
    return result
