"""Ising models, and those of more levels, by penalised logistic regressions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dagathlon.data.spec import DataKind
from dagathlon.learners.undirected.mixed_lasso import MixedLasso


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
