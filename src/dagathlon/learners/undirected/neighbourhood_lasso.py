"""Neighbourhood selection with the lasso."""

from __future__ import annotations

from dataclasses import dataclass

from dagathlon.learners.undirected.inputs import Moments, Vector
from dagathlon.learners.undirected.neighbourhoods import NeighbourhoodLearner
from dagathlon.learners.undirected.penalised import PathFit


@dataclass(frozen=True, kw_only=True)
class NeighbourhoodLasso(NeighbourhoodLearner):
    """Regress each variable on all others with the lasso, and join it to its predictors.

    The penalty is in units of correlations: with it at the largest absolute correlation the
    graph is empty. The optimality conditions hold to 1e-10 at every penalty of the path. There
    is no estimate of the precision matrix; ``ebic`` and ``cv`` evaluate a graph by the least-
    squares regressions of each variable on its neighbours.
    """

    name = "neighbourhood_lasso"
    references = (
        "Meinshausen and Bühlmann 2006, High-dimensional graphs and variable selection with the "
        "lasso, Annals of Statistics 34",
    )

    def fit_moments(self, moments: Moments, penalties: Vector) -> PathFit:
        """Fit the regressions along the path."""
        path = self.regressions(moments, penalties)
        return PathFit(self.graphs(path, len(penalties)), converged=path.converged)
