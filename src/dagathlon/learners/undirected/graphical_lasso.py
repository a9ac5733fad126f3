"""The graphical lasso, through scikit-learn."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from dagathlon.data.facts import DataKind
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.learners.assumptions import GAUSSIAN
from dagathlon.learners.base import Estimate
from dagathlon.learners.continuous.weights import numbers
from dagathlon.learners.with_scipy import ScipyLearner
from dagathlon.modules import Natural, NonNegative
from dagathlon.pulse import aside

if TYPE_CHECKING:
    from dagathlon.data import Dataset

_HINT = "needs scikit-learn: pip install 'dagathlon[glasso]'"
NEEDS_SKLEARN = "" if find_spec("sklearn") else _HINT


@dataclass(frozen=True, kw_only=True)
class GraphicalLasso(ScipyLearner):
    """Graphical lasso, with an edge where the precision matrix is above a threshold.

    Parameters
    ----------
    alpha
        Factor of the L1 penalty.
    mode
        Coordinate descent (cd) or least angle regression (lars).
    tol, enet_tol
        Tolerance of the whole and of each regression.
    max_iter
        Largest number of sweeps.
    precmat_threshold
        An edge needs an entry of the precision matrix, rounded to three decimals, above this.
    assume_centered
        Whether the means are taken to be zero.
    timeout
        Seconds after which the run is stopped; null for no limit.
    """

    assumes = (GAUSSIAN,)
    name = "glasso"
    gives = "undirected"
    takes: ClassVar[frozenset[DataKind]] = frozenset({"continuous"})
    unavailable = NEEDS_SKLEARN
    references = ("Friedman, Hastie and Tibshirani 2008, Biostatistics 9",)

    alpha: NonNegative = 0.01
    mode: Literal["cd", "lars"] = "cd"
    tol: NonNegative = 1e-4
    enet_tol: NonNegative = 1e-4
    max_iter: Natural = 100
    precmat_threshold: NonNegative = 0.0
    assume_centered: bool = False
    timeout: NonNegative | None = None

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Threshold the estimated precision matrix."""
        values = numbers(data, self.name)
        if values.shape[1] < 2:
            return Estimate(Graph(data.names))
        from sklearn.covariance import GraphicalLasso as Model  # noqa: PLC0415 - an extra

        model = Model(
            alpha=self.alpha,
            mode=self.mode,
            tol=max(self.tol, np.finfo(float).tiny),
            enet_tol=max(self.enet_tol, np.finfo(float).tiny),
            max_iter=self.max_iter,
            assume_centered=self.assume_centered,
        )
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                precision = aside(model.fit, values).precision_
        except (FloatingPointError, ValueError, np.linalg.LinAlgError) as error:
            raise DataError(
                f"{self.name}: the covariance is too close to singular for alpha {self.alpha:g}; "
                f"raise alpha, or leave out constant and duplicated columns ({error})"
            ) from None
        joined = np.abs(np.round(precision, 3)) > self.precmat_threshold
        np.fill_diagonal(joined, False)
        return Estimate(
            Graph.from_adjacency(data.names, joined | joined.T), {"sweeps": int(model.n_iter_)}
        )
