"""Scores of continuous and discrete data together."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.data.spec import DataKind
from dagathlon.learners.assumptions import conditional_gaussian, degenerate_gaussian
from dagathlon.learners.indicators import indicator_columns
from dagathlon.learners.score.score_kinds import ScoreModule
from dagathlon.learners.score.score_parts import (
    AicPenalty,
    BicPenalty,
    EbicPenalty,
    all_rows,
    rows_without_intervention,
)

_ANY: frozenset[DataKind] = frozenset({"continuous", "discrete", "mixed"})


class ConditionalLikelihood(ScoreModule):
    """Base class of the penalised conditional Gaussian log likelihoods."""

    takes = _ANY
    equivalent = False
    conditional = True

    @classmethod
    def assumptions(cls, kind: DataKind) -> tuple[str, ...]:
        """Return the assumption that numbers are Gaussian in each configuration of levels."""
        return conditional_gaussian(kind)

    def penalty(self, data: Dataset) -> float:
        """Return the penalty per parameter."""
        raise NotImplementedError

    def build(self, data: Dataset) -> _core.Score:
        """Build the native score."""
        discrete = [variable.is_discrete for variable in data.variables]
        penalty = self.penalty(data)
        return _core.mixed_likelihood(data.codes, data.arities, data.values, discrete, penalty)


class DegenerateLikelihood(ScoreModule):
    """Base class of the penalised degenerate Gaussian log likelihoods."""

    takes = _ANY

    @classmethod
    def assumptions(cls, kind: DataKind) -> tuple[str, ...]:
        """Return the assumption of linear relations among numbers and indicators."""
        return degenerate_gaussian(kind)

    def penalty(self, data: Dataset) -> float:
        """Return the penalty per parameter."""
        raise NotImplementedError

    def build(self, data: Dataset) -> _core.Score:
        """Build the native score."""
        # An indicator of a single row would be a function of any other variable in that row.
        columns, starts = indicator_columns(data, least_rows=2)
        rows = rows_without_intervention if self.knows_targets else all_rows
        parts, of_child = rows(data, columns)
        return _core.degenerate_gaussian_score(parts, of_child, starts, self.penalty(data))


class KernelScore(ScoreModule):
    """Base class of the generalised scores: cross-validated likelihoods of kernel features.

    Attributes
    ----------
    ridge
        Ridge added to the diagonal of kernel matrices.
    """

    takes = _ANY
    equivalent = False
    by_folds = True
    least_rows = 4
    ridge: ClassVar[float]

    def build(self, data: Dataset) -> _core.Score:
        """Build the native score."""
        discrete = [variable.is_discrete for variable in data.variables]
        matrix = np.ascontiguousarray(data.to_matrix(), dtype=float)
        return _core.kernel_score(matrix, discrete, self.ridge)


class ConditionalLogLikelihood(ConditionalLikelihood):
    """Log likelihood of mixed data, conditional Gaussian."""

    name = "loglik-cg"

    def penalty(self, data: Dataset) -> float:
        """Return 0: there is no penalty."""
        return 0.0


class ConditionalAic(AicPenalty, ConditionalLikelihood):
    """Akaike's criterion of mixed data, conditional Gaussian."""

    name = "aic-cg"


class ConditionalBic(BicPenalty, ConditionalLikelihood):
    """Bayesian information criterion of mixed data, conditional Gaussian."""

    name = "bic-cg"


class ConditionalEbic(EbicPenalty, ConditionalLikelihood):
    """Extended BIC of mixed data: bic-cg with an extra penalty per arc."""

    name = "ebic-cg"


class DegenerateLogLikelihood(DegenerateLikelihood):
    """Log likelihood of mixed data, degenerate Gaussian."""

    name = "loglik-dg"

    def penalty(self, data: Dataset) -> float:
        """Return 0: there is no penalty."""
        return 0.0


class DegenerateAic(AicPenalty, DegenerateLikelihood):
    """Akaike's criterion of mixed data, degenerate Gaussian."""

    name = "aic-dg"


class DegenerateBic(BicPenalty, DegenerateLikelihood):
    """Bayesian information criterion of mixed data, degenerate Gaussian."""

    name = "bic-dg"
    extended = "ebic-dg"
    without_targets = "l0-dg"


class DegenerateEbic(EbicPenalty, DegenerateLikelihood):
    """Extended BIC of mixed data: bic-dg with an extra penalty per arc."""

    name = "ebic-dg"


class DegenerateL0(BicPenalty, DegenerateLikelihood):
    """bic-dg where each variable's term uses only the rows in which it was not intervened on."""

    name = "l0-dg"
    knows_targets = True


class CvKernel(KernelScore):
    """Generalised score: cross-validated likelihood of kernel features in ten folds."""

    name = "cv-kernel"
    ridge = 1e-4


class CvKernel2018(KernelScore):
    """cv-kernel with the ridge parameter of its authors' program."""

    name = "cv-kernel-2018"
    ridge = 1e-2
