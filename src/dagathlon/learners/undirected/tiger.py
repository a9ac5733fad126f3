"""TIGER: the square-root lasso of each variable on all others."""

from __future__ import annotations

from dataclasses import dataclass

from dagathlon.learners.undirected.inputs import Moments, Vector
from dagathlon.learners.undirected.neighbourhoods import NeighbourhoodLearner, precisions_of
from dagathlon.learners.undirected.penalised import PathFit


@dataclass(frozen=True, kw_only=True)
class Tiger(NeighbourhoodLearner):
    """Regress each variable on all others with the scale-free square-root lasso (TIGER).

    The same penalty suits columns of any residual variance, so that one of about
    √(2 log p / n), known before the data are seen, does well; the default selects one all the same.
    The optimality conditions hold to 1e-10 at every penalty. The precision matrix has the inverse
    residual variances on its diagonal; it is symmetric, but of few rows and at small penalties
    need not be positive definite.
    """

    name = "tiger"
    references = (
        "Liu and Wang 2017, TIGER: a tuning-insensitive approach for optimally estimating Gaussian "
        "graphical models, Electronic Journal of Statistics 11",
        "Belloni, Chernozhukov and Wang 2011, Square-root lasso, Biometrika 98",
    )

    def fit_moments(self, moments: Moments, penalties: Vector) -> PathFit:
        """Fit the regressions along the path, and their precision matrices."""
        path = self.regressions(moments, penalties, square_root=True)
        precisions = precisions_of(path, len(penalties), self.rule)
        return PathFit(self.graphs(path, len(penalties)), precisions, converged=path.converged)
