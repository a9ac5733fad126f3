"""SPACE: partial correlations by joint sparse regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dagathlon import _core
from dagathlon.learners.undirected.inputs import Matrix, Moments, Vector
from dagathlon.learners.undirected.path_precisions import PathPrecisions
from dagathlon.learners.undirected.penalised import GaussianPenalised, PathFit
from dagathlon.modules import Natural

_TOLERANCE = 1e-10
_MAX_SWEEPS = 5000


@dataclass(frozen=True, kw_only=True)
class Space(GaussianPenalised):
    """Regress all variables on all others at once, with one partial correlation for each pair.

    Unlike in neighbourhood selection both regressions of a pair share its parameter, so that
    the result is symmetric, and a penalty treats hubs and spread edges alike. The penalty
    counts each pair twice: with it at the largest absolute correlation the graph is empty. The
    R package space has 2n times this number. The precision matrix is symmetric, but with few
    rows and at small penalties it need not be positive definite.

    Parameters
    ----------
    weights
        Weight of each variable's regression: equal (equal), the inverse of its residual variance
        (precision), or one more than its number of neighbours (degree).
    rounds
        Number of times the partial correlations are estimated, each time with the residual
        variances of the previous one, the first time with variances of 1.
    """

    name = "space"
    order_independent = True
    references = (
        "Peng, Wang, Zhou and Zhu 2009, Partial correlation estimation by joint sparse regression "
        "models, Journal of the American Statistical Association 104",
    )

    weights: Literal["equal", "precision", "degree"] = "equal"
    rounds: Natural = 3

    def fit_moments(self, moments: Moments, penalties: Vector) -> PathFit:
        """Fit partial correlations and precision matrices along the path."""
        settings = _core.JointSettings(
            weights=self.weights, rounds=self.rounds, tolerance=_TOLERANCE, max_sweeps=_MAX_SWEEPS
        )
        correlation = np.ascontiguousarray(moments.correlation)
        path = _core.joint_path(correlation, penalties.tolist(), settings)
        graphs, precisions = [], PathPrecisions(moments.p, moments.p)
        for k in range(len(penalties)):
            partial = path.partial_correlations(k)
            graphs.append(partial != 0)
            precisions.append(_precision(partial, path.precisions(k)))
        return PathFit(np.stack(graphs), precisions, converged=path.converged)


def _precision(partial: Matrix, diagonal: list[float]) -> Matrix:
    roots = np.sqrt(diagonal)
    result: Matrix = (np.eye(len(roots)) - partial) * np.outer(roots, roots)
    return result
