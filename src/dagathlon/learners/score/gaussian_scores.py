"""Scores of continuous data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from dagathlon import _core
from dagathlon._core import LikelihoodConvention
from dagathlon.data import Dataset
from dagathlon.data.spec import DataKind
from dagathlon.errors import DataError
from dagathlon.learners.assumptions import GAUSSIAN
from dagathlon.learners.score.score_kinds import ScoreModule
from dagathlon.learners.score.score_parts import (
    AicPenalty,
    BicPenalty,
    EbicPenalty,
    all_rows,
    rows_without_intervention,
    values_or_moments,
)
from dagathlon.modules import NonNegative

_CONTINUOUS: frozenset[DataKind] = frozenset({"continuous"})


class GaussianLikelihood(ScoreModule):
    """Base class of the penalised Gaussian log likelihoods.

    Attributes
    ----------
    convention
        How variances and parameters are counted.
    """

    takes = _CONTINUOUS
    assumes = (GAUSSIAN,)
    convention: ClassVar[LikelihoodConvention] = LikelihoodConvention.unbiased

    def penalty(self, data: Dataset) -> float:
        """Return the penalty per parameter."""
        raise NotImplementedError

    def build(self, data: Dataset) -> _core.Score:
        """Build the native score."""
        rows = rows_without_intervention if self.knows_targets else all_rows
        parts, of_child = values_or_moments(rows, data)
        return _core.gaussian_likelihood(parts, of_child, self.convention, self.penalty(data))


@dataclass(frozen=True, kw_only=True)
class WishartScore(ScoreModule):
    """Base class of the marginal likelihoods with a normal-Wishart prior.

    Parameters
    ----------
    iss_mu
        Imaginary sample size of the mean.
    iss_w
        Imaginary sample size of the Wishart prior; null is the number of variables plus 2.
    """

    takes = _CONTINUOUS
    assumes = (GAUSSIAN,)

    iss_mu: NonNegative = 1.0
    iss_w: NonNegative | None = None

    def build(self, data: Dataset) -> _core.Score:
        """Build the native score."""
        rows = rows_without_intervention if self.knows_targets else all_rows
        parts, of_child = values_or_moments(rows, data)
        p = len(data.names)
        wishart = p + 2.0 if self.iss_w is None else self.iss_w
        if not self.iss_mu > 0:
            raise DataError(f"iss_mu: found {self.iss_mu:g}, expected a number above 0")
        if not wishart > p + 1:
            raise DataError(
                f"iss_w: found {wishart:g}, expected a number above {p + 1}, the number of "
                "variables plus 1"
            )
        return _core.bge_score(parts, of_child, self.iss_mu, wishart)


class GaussianLogLikelihood(GaussianLikelihood):
    """Log likelihood of continuous data."""

    name = "loglik-g"
    by_expectation = True

    def penalty(self, data: Dataset) -> float:
        """Return 0: there is no penalty."""
        return 0.0


class GaussianAic(AicPenalty, GaussianLikelihood):
    """Akaike's criterion of continuous data."""

    name = "aic-g"
    by_expectation = True


class GaussianBic(BicPenalty, GaussianLikelihood):
    """Bayesian information criterion of continuous data."""

    name = "bic-g"
    by_expectation = True
    extended = "ebic-g"


class GaussianEbic(EbicPenalty, GaussianLikelihood):
    """Extended BIC of continuous data: bic-g with an extra penalty per arc."""

    name = "ebic-g"
    by_expectation = True


@dataclass(frozen=True, kw_only=True)
class SemBic(GaussianLikelihood):
    """Tetrad's SEM BIC, which is twice a log likelihood in scale.

    Parameters
    ----------
    penalty_discount
        Factor of the penalty.
    structure_prior
        Expected number of parents in Tetrad's structure prior; 0 is no prior.
    """

    name = "sem-bic"
    by_expectation = True
    doubled = True
    convention = LikelihoodConvention.doubled

    penalty_discount: NonNegative = 2.0
    structure_prior: NonNegative = 0.0

    def penalty(self, data: Dataset) -> float:
        """Return the logarithm of the number of rows, times the penalty discount."""
        return self.penalty_discount * math.log(len(data))


class L0(BicPenalty, GaussianLikelihood):
    """pcalg's L0-penalised likelihood; rows that intervene on a variable leave its term."""

    name = "l0-g"
    by_expectation = True
    knows_targets = True
    convention = LikelihoodConvention.maximum


class Bge(WishartScore):
    """Bayesian Gaussian equivalent score (BGe)."""

    name = "bge"
    by_expectation = True
    penalises_nodes = True
    without_targets = "mbge"


class Mbge(WishartScore):
    """bge where each variable's term uses only the rows in which it was not intervened on."""

    name = "mbge"
    penalises_nodes = True
    knows_targets = True


@dataclass(frozen=True, kw_only=True)
class Nig(ScoreModule):
    """Normal-inverse-gamma marginal likelihood, zero means; intervened rows leave the term.

    Parameters
    ----------
    nig_shape
        Shape of the inverse-gamma prior of each noise variance.
    nig_rate
        Rate of the inverse-gamma prior of each noise variance.
    nig_precision
        Precision of the normal prior of the coefficients, in units of the noise.
    """

    name = "nig"
    takes = _CONTINUOUS
    assumes = (GAUSSIAN,)
    equivalent = False
    least_rows = 1
    by_expectation = True
    knows_targets = True

    nig_shape: NonNegative = 4.0
    nig_rate: NonNegative = 0.5
    nig_precision: NonNegative = 1.0

    def build(self, data: Dataset) -> _core.Score:
        """Build the native score."""
        hyperparameters = self.nig_shape, self.nig_rate, self.nig_precision
        for name, found in zip(self.parameters(), hyperparameters, strict=True):
            if not found > 0:
                raise DataError(f"{name}: found {found:g}, expected a number above 0")
        parts, of_child = values_or_moments(rows_without_intervention, data)
        return _core.nig_score(parts, of_child, *hyperparameters)
