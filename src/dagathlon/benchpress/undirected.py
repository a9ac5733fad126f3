"""Learners of undirected graphs from continuous data."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal

from dagathlon.benchpress.base import BenchpressLearner
from dagathlon.learners.undirected.graphical_lasso import GraphicalLasso
from dagathlon.modules import Count, NonNegative, Probability

_HUGE = "Zhao, Liu, Roeder, Lafferty and Wasserman 2012, The huge package, JMLR 13"


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
class HugePath(UndirectedLearner):
    """A path of graphs of huge, from which one is selected.

    Parameters
    ----------
    lambda
        Penalty; null is a path of penalties.
    nlambda
        Number of penalties on the path; null is 10.
    """

    lambda_: NonNegative | None = field(default=None, metadata={"json": "lambda"})
    nlambda: Count | None = None


@dataclass(frozen=True, kw_only=True)
class HugeMb(HugePath):
    """Neighbourhood selection: a lasso regression of each variable on the others.

    Parameters
    ----------
    select_criterion
        How the penalty is selected; null is stars.
    """

    name = "huge_mb"
    implementation = "huge 1.3.5"
    unavailable = "not implemented yet: needs the R package huge as an external module"
    references = (_HUGE, "Meinshausen and Bühlmann 2006, Annals of Statistics 34")

    select_criterion: Literal["ric", "ebic", "stars"] | None = None


@dataclass(frozen=True, kw_only=True)
class HugeTiger(UndirectedLearner):
    """TIGER: neighbourhoods by square-root lasso regression.

    Parameters
    ----------
    lambda
        Penalty; null is 1.
    """

    name = "huge_tiger"
    implementation = "huge 1.3.5"
    unavailable = "not implemented yet: needs the R package huge as an external module"
    references = (_HUGE, "Liu and Wang 2017, TIGER, Electronic Journal of Statistics 11")

    lambda_: NonNegative | None = field(default=None, metadata={"json": "lambda"})


@dataclass(frozen=True, kw_only=True)
class EqusaPsilearner(UndirectedLearner):
    """Psi-learning: partial correlations given small neighbourhoods, with multiple testing.

    Parameters
    ----------
    alpha1, alpha2
        Significance levels of the correlation screening and of the partial correlations.
    grid
        Number of components of the mixture that is fitted to the scores.
    iterations
        Number of steps of that fit.
    neig
        Size of the neighbourhoods; null is n/log n.
    """

    name = "equsa_psilearner"
    implementation = "equSA 1.2.1"
    unavailable = "not implemented yet: needs the R package equSA as an external module"
    references = ("Liang, Song and Qiu 2015, JASA 110",)

    alpha1: Probability = 0.05
    alpha2: Probability = 0.05
    grid: Count = 2
    iterations: Count = 100
    neig: Count | None = None
