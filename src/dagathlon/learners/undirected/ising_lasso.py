"""Ising models, and those of more levels, by penalised logistic regressions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dagathlon import _core
from dagathlon.data.spec import DataKind
from dagathlon.learners.undirected.grouped import Design, design_of, held_out_likelihood
from dagathlon.learners.undirected.inputs import Vector
from dagathlon.learners.undirected.neighbourhoods import Rule, joined
from dagathlon.learners.undirected.penalised import PathFit, PenalisedLearner

if TYPE_CHECKING:
    from dagathlon.data import Dataset


_TOLERANCE = 1e-9
_MAX_STEPS = 500


@dataclass(frozen=True, kw_only=True)
class MixedLasso(PenalisedLearner):
    """Mixed graphical model: least squares for continuous variables, logits for discrete ones.

    A continuous variable is one predictor; a discrete one is a group of predictors, which is
    zero or not as a whole (group lasso), with weights that treat all its levels alike. The
    penalty of a pair is weighted by the standard deviations of both variables, so that it is in
    units of correlations whatever their kinds: at the largest absolute correlation (for
    discrete variables: the norm of the cross-covariance of the indicators over the root of both
    total variances) the graph is empty. With continuous columns alone this is
    ``neighbourhood_lasso``. ``ebic`` and ``cv`` evaluate a graph by unpenalised regressions of
    each variable on its neighbours.

    Parameters
    ----------
    rule
        Two variables are joined if each predicts the other (and), or if at least one predicts the
        other (or).
    """

    name = "mixed_lasso"
    order_independent = True
    takes: ClassVar[frozenset[DataKind]] = frozenset({"continuous", "discrete", "mixed"})
    assumes = (
        "each variable given the others: linear with Gaussian noise, or a multinomial logit",
    )
    references = (
        "Lee and Hastie 2015, Learning the structure of mixed graphical models, Journal of "
        "Computational and Graphical Statistics 24",
        "Haslbeck and Waldorp 2020, mgm: estimating time-varying mixed graphical models in "
        "high-dimensional data, Journal of Statistical Software 93",
    )

    rule: Rule = "and"

    def largest(self, data: Dataset) -> float:
        """Return the smallest penalty with an empty graph, from the mean products of groups."""
        return design_of(data).largest()

    def fit_path(self, data: Dataset, penalties: Vector) -> PathFit:
        """Fit the regressions along the path."""
        path = _path(design_of(data), penalties)
        graphs = [joined(path.predictors(k), self.rule) for k in range(len(penalties))]
        return PathFit(np.stack(graphs), converged=path.converged)

    def log_likelihoods(self, data: Dataset, fit: PathFit) -> tuple[Vector, Vector]:
        """Return log likelihoods of unpenalised neighbour regressions, and parameter counts."""
        refits = _core.group_refits(design_of(data).native(), np.ascontiguousarray(fit.graphs))
        steps = range(len(fit.graphs))
        return (
            np.array([refits.log_likelihood(k) for k in steps]),
            np.array([refits.parameters(k) for k in steps]),
        )

    def held_out(self, train: Dataset, test: Dataset, penalties: Vector) -> Vector:
        """Return held-out log likelihoods of unpenalised regressions on the neighbours."""
        fitted = design_of(train)
        graphs = self.fit_path(train, penalties).graphs
        refits = _core.group_refits(fitted.native(), np.ascontiguousarray(graphs))
        other = design_of(test, fitted)
        steps = range(len(penalties))
        return np.array([held_out_likelihood(refits, k, fitted, other) for k in steps])


def _path(design: Design, penalties: Vector) -> _core.GroupPath:
    settings = _core.GroupSettings(tolerance=_TOLERANCE, max_steps=_MAX_STEPS)
    return _core.group_path(design.native(), penalties.tolist(), settings)


@dataclass(frozen=True, kw_only=True)
class IsingLasso(MixedLasso):
    """Regress each discrete variable on all others by a logit with a lasso penalty.

    Variables of two levels make an Ising model; with more levels it is a multinomial logit
    whose weights between two variables are zero or not as a group (group lasso). The penalty is
    in units of correlations: for two-level variables it is that of a logistic lasso on
    standardised columns, times the standard deviation of the target. ``ebic`` and ``cv``
    evaluate a graph by unpenalised logits of each variable on its neighbours.
    """

    name = "ising_lasso"
    takes: ClassVar[frozenset[DataKind]] = frozenset({"discrete"})
    assumes = ("multinomial logits without higher interactions",)
    references = (
        "Ravikumar, Wainwright and Lafferty 2010, High-dimensional Ising model selection using "
        "l1-regularized logistic regression, Annals of Statistics 38",
        "van Borkulo, Borsboom, Epskamp, Blanken, Boschloo, Schoevers and Waldorp 2014, A new "
        "method for constructing networks from binary data, Scientific Reports 4",
    )
