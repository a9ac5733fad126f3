"""Scores of discrete data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from dagathlon import _core
from dagathlon._core import NormalisedLikelihood, Pseudocount
from dagathlon.data import Dataset
from dagathlon.data.spec import DataKind
from dagathlon.errors import DataError
from dagathlon.learners.score.score_kinds import ScoreModule
from dagathlon.learners.score.score_parts import (
    AicPenalty,
    BicPenalty,
    EbicPenalty,
    all_rows,
    half_log_rows,
    rows_without_intervention,
)
from dagathlon.modules import NonNegative

_DISCRETE: frozenset[DataKind] = frozenset({"discrete"})


class DiscreteLikelihood(ScoreModule):
    """Base class of the penalised log likelihoods of contingency tables."""

    takes = _DISCRETE

    def penalty(self, data: Dataset) -> float:
        """Return the penalty per parameter."""
        raise NotImplementedError

    def build(self, data: Dataset) -> _core.Score:
        """Build the native score."""
        parts, of_child = all_rows(data, data.codes)
        return _core.discrete_likelihood(parts, data.arities, of_child, self.penalty(data))


class DirichletScore(ScoreModule):
    """Base class of the marginal likelihoods of tables with Dirichlet priors.

    Attributes
    ----------
    cells
        Distribution of the imaginary sample over the cells of a table.
    """

    takes = _DISCRETE
    cells: ClassVar[Pseudocount] = Pseudocount.uniform

    def sample_size(self) -> float:
        """Return the imaginary sample size of the prior."""
        raise NotImplementedError

    def build(self, data: Dataset) -> _core.Score:
        """Build the native score."""
        rows: Any = rows_without_intervention if self.knows_targets else all_rows
        parts, of_child = rows(data, data.codes)
        size = self.sample_size()
        if not size > 0:
            raise DataError(f"iss: found {size:g}, expected a number above 0")
        return _core.dirichlet_score(parts, data.arities, of_child, self.cells, size)


@dataclass(frozen=True, kw_only=True)
class SampleSize:
    """Mixin of Dirichlet scores with a free imaginary sample size.

    Parameters
    ----------
    iss
        Imaginary sample size.
    """

    iss: NonNegative = 1.0

    def sample_size(self) -> float:
        """Return the parameter `iss`, the imaginary sample size."""
        return self.iss


@dataclass(frozen=True, kw_only=True)
class StructurePrior:
    """Mixin of scores that support Tetrad's structure prior.

    Parameters
    ----------
    structure_prior
        Expected number of parents; 0 is no prior.
    """

    structure_prior: NonNegative = 0.0


class NormalisedScore(ScoreModule):
    """Base class of the normalised maximum likelihoods of tables."""

    takes = _DISCRETE
    likelihood: ClassVar[NormalisedLikelihood]

    def build(self, data: Dataset) -> _core.Score:
        """Build the native score."""
        parts, of_child = all_rows(data, data.codes)
        return _core.normalised_likelihood(parts, data.arities, of_child, self.likelihood)


class BlipScore(ScoreModule):
    """Base class of BLIP's variants of BIC."""

    takes = _DISCRETE
    equivalent = False

    def build(self, data: Dataset) -> _core.Score:
        """Build the native score."""
        parts, of_child = all_rows(data, data.codes)
        states = [n + (self.extra_states or 0) for n in data.arities]
        return _core.smoothed_bic(parts, states, of_child)


class LogLikelihood(DiscreteLikelihood):
    """Log likelihood of discrete data."""

    name = "loglik"
    by_expectation = True

    def penalty(self, data: Dataset) -> float:
        """Return 0: there is no penalty."""
        return 0.0


class Aic(AicPenalty, DiscreteLikelihood):
    """Akaike's criterion of discrete data."""

    name = "aic"
    by_expectation = True


class Bic(BicPenalty, DiscreteLikelihood):
    """Bayesian information criterion of discrete data."""

    name = "bic"
    by_expectation = True
    extended = "ebic"


class Ebic(EbicPenalty, DiscreteLikelihood):
    """Extended BIC of discrete data: bic with an extra penalty per arc."""

    name = "ebic"
    by_expectation = True


@dataclass(frozen=True, kw_only=True)
class DiscBic(DiscreteLikelihood):
    """Tetrad's discrete BIC, halved.

    Parameters
    ----------
    penalty_discount
        Factor of the penalty.
    """

    name = "disc-bic"
    by_expectation = True

    penalty_discount: NonNegative = 2.0

    def penalty(self, data: Dataset) -> float:
        """Return half the logarithm of the number of rows, times the penalty discount."""
        return self.penalty_discount * half_log_rows(data)


class Bde(SampleSize, DirichletScore):
    """Bayesian Dirichlet, equivalent uniform."""

    name = "bde"
    by_expectation = True
    without_targets = "mbde"


@dataclass(frozen=True, kw_only=True)
class Bdeu(SampleSize, StructurePrior, DirichletScore):
    """Alias of bde."""

    name = "bdeu"
    by_expectation = True
    without_targets = "mbde"


@dataclass(frozen=True, kw_only=True)
class Mbde(SampleSize, StructurePrior, DirichletScore):
    """bde where each variable's term uses only the rows in which it was not intervened on."""

    name = "mbde"
    knows_targets = True


class Bds(SampleSize, DirichletScore):
    """Bayesian Dirichlet, sparse: the prior covers observed configurations alone."""

    name = "bds"
    equivalent = False
    cells = Pseudocount.observed


class Bdj(DirichletScore):
    """Bayesian Dirichlet with Jeffreys' prior."""

    name = "bdj"
    equivalent = False
    by_expectation = True
    cells = Pseudocount.cell

    def sample_size(self) -> float:
        """Return the imaginary sample size: half an observation per cell."""
        return 0.5


class K2Score(DirichletScore):
    """Bayesian Dirichlet with one imaginary observation per cell."""

    name = "k2"
    equivalent = False
    by_expectation = True
    cells = Pseudocount.cell

    def sample_size(self) -> float:
        """Return the imaginary sample size: one observation per cell."""
        return 1.0


class Fnml(NormalisedScore):
    """Factorised normalised maximum likelihood."""

    name = "fnml"
    equivalent = False
    likelihood = NormalisedLikelihood.factorised


class Qnml(NormalisedScore):
    """Quotient normalised maximum likelihood."""

    name = "qnml"
    likelihood = NormalisedLikelihood.quotient


class BlipBic(BlipScore):
    """BIC as BLIP computes it."""

    name = "bic-blip"
    extra_states = 0


class BlipBicFromOne(BlipScore):
    """bic-blip of states numbered from 1, which counts one state too many for each variable."""

    name = "bic-blip1"
    extra_states = 1
