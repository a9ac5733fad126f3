"""Learners of undirected graphs from continuous data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from dagathlon.benchpress.base import BenchpressLearner
from dagathlon.benchpress.translation import same
from dagathlon.learners.undirected.graphical_lasso import GraphicalLasso
from dagathlon.learners.undirected.psi_learner import PsiLearner
from dagathlon.modules import Count, NonNegative


@dataclass(frozen=True, kw_only=True)
class UndirectedLearner(BenchpressLearner):
    """A learner of undirected graphs from continuous data."""

    gives = "undirected"
    takes = frozenset({"continuous"})


@dataclass(frozen=True, kw_only=True)
class SklearnGlasso(UndirectedLearner):
    """Graphical lasso, with an edge where the precision matrix is above a threshold.

    Parameters
    ----------
    alpha
        Penalty, in the units of the covariances.
    precmat_threshold
        An edge needs an absolute entry of the precision matrix, rounded to three decimals, above
        this.
    mode, tol, enet_tol, max_iter
        How scikit-learn comes near to the optimum; ignored, since the optimum itself is given.
    assume_centered
        Ignored: means are always taken to be zero, as in Benchpress.
    verbose
        Ignored: nothing is printed.
    """

    name = "sklearn_glasso"
    version = 2
    runs = GraphicalLasso
    fixed = {"columns": "raw", "refit": False, "tolerance": 1e-8}
    references = ("Friedman, Hastie and Tibshirani 2008, Biostatistics 9",)

    alpha: NonNegative = 0.01
    mode: Literal["cd", "lars"] = "cd"
    tol: NonNegative = 1e-4
    enet_tol: NonNegative = 1e-4
    max_iter: Count = 100
    precmat_threshold: NonNegative = 0.0
    assume_centered: bool = False
    verbose: bool = False

    def translated(self) -> dict[str, Any]:
        """What is rounded to more than the threshold is at least half a unit above it."""
        units = math.floor(round(1000 * self.precmat_threshold, 6))
        values = {"penalty": self.alpha, "threshold": (units + 0.5) / 1000}
        return super().translated() | values


@dataclass(frozen=True, kw_only=True)
class EqusaPsilearner(UndirectedLearner):
    """Psi-learning: partial correlations given small neighbourhoods, with multiple testing."""

    name = "equsa_psilearner"
    runs = PsiLearner
    inherits = same(
        "alpha1",
        "alpha2",
        "iterations",
        grid="components",
        neig="max_neighbours",
    )
    fixed = {"ridge": 1e-3}
    references = ("Liang, Song and Qiu 2015, JASA 110",)

    grid: Count = 2
