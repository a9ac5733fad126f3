"""The choice between a Gaussian model and a Gaussian copula."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.data.spec import DataFacts, DataKind
from dagathlon.learners.assumptions import COPULA, GAUSSIAN
from dagathlon.learners.base import Learner
from dagathlon.learners.undirected.copula import copula_start

_CONTINUOUS: frozenset[DataKind] = frozenset({"continuous"})


@dataclass(frozen=True, kw_only=True)
class CopulaModel(Learner):
    """Base class of learners of Gaussian graphical models that offer a Gaussian copula too.

    Parameters
    ----------
    model
        The values are Gaussian (``gaussian``), or some monotone function of each column is
        (``copula``). A copula takes continuous, ordinal and mixed data and missing values: of each
        column only the order of its values is used, and the latent Gaussian values are drawn within
        that order (the extended rank likelihood). Levels of a discrete column are ordered as its
        variable lists them. The precision matrix is then that of latent columns of variance 1.
    normal_scores
        Whether the latent values of continuous columns are normal scores of the ranks, instead of
        drawn in every sweep; faster, and accurate with many rows and no missing values, or values
        that are missing completely at random.
    """

    takes: ClassVar[frozenset[DataKind]] = frozenset({"continuous", "discrete", "mixed"})
    handles_missing = True
    assumes = (GAUSSIAN,)

    model: Literal["gaussian", "copula"] = "gaussian"
    normal_scores: bool = False

    def accepted(self) -> frozenset[DataKind]:
        """Return the kinds of data taken; discrete variables need the copula."""
        return _CONTINUOUS if self.model == "gaussian" else self.takes

    def assumptions(self, kind: DataKind) -> tuple[str, ...]:
        """Return the assumptions of the Gaussian or the copula model."""
        return self.assumes if self.model == "gaussian" else (COPULA,)

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return a message for missing values without a copula; empty otherwise."""
        if data.missing and self.model == "gaussian":
            return (
                f"{self.name} cannot handle missing values with the Gaussian model; set model to "
                "'copula', impute them first or drop the rows"
            )
        problem = super().why_unsuitable(data)
        remedy = problem and self.model == "gaussian" and data.kind in self.takes
        return f"{problem}; set model to 'copula', which takes them" if remedy else problem

    def latent(self, data: Dataset) -> _core.CopulaStart:
        """Return the initial latent data of the copula."""
        keeps_scores = [
            self.normal_scores and not variable.is_discrete for variable in data.variables
        ]
        return copula_start(data, keeps_scores)
