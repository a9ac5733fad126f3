"""Independence tests by the partial correlation."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.data.dataset import Dataset
from dagathlon.learners.assumptions import COPULA, GAUSSIAN
from dagathlon.learners.independence.module import (
    CONTINUOUS,
    MonteCarlo,
    Options,
    Sequential,
    StackedCopies,
    TestModule,
)

Floats = npt.NDArray[np.float64]


class GaussianTest(TestModule):
    """Base class of the tests by the partial correlation.

    Attributes
    ----------
    statistic
        Name of the statistic in the kernel.
    largest_correlation
        Absolute value at which correlations are truncated before Fisher's z transform.
    ranks
        Whether columns are replaced by normal scores of their ranks.
    """

    takes = CONTINUOUS
    assumes: ClassVar[tuple[str, ...]] = (GAUSSIAN,)
    leaves_out_rows = True
    statistic: ClassVar[str]
    largest_correlation: ClassVar[float] = 1.0
    ranks: ClassVar[bool] = False

    def native(self, data: Dataset, options: Options) -> _core.IndependenceTest:
        """Build the native test."""
        statistic, cut = self.statistic, self.largest_correlation
        if self.replicates:
            return _core.gaussian_permutation_test(
                data.values, statistic, options.replicates, options.seed
            )
        values = normal_scores(data.values) if self.ranks else data.values
        return _core.gaussian_test(values, statistic, cut, options.rowwise)

    def pooled(self, copies: StackedCopies) -> _core.IndependenceTest:
        """Build the native test that pools Fisher's z over imputed copies."""
        return _core.pooled_gaussian_test(copies.values, copies.copies, self.largest_correlation)


class FisherZ(GaussianTest):
    """Fisher's z of the partial correlation, normal approximation."""

    name = "zf"
    statistic = "fisher-z"
    pools = True
    pooled_version = 2


class FisherZOfRanks(GaussianTest):
    """Fisher's z of normal scores of the ranks, for monotone relations."""

    name = "zf-ranks"
    assumes = (COPULA,)
    statistic = "fisher-z"
    ranks = True


class GaussCITest(GaussianTest):
    """Fisher's z as in pcalg, which truncates correlations at 0.9999999."""

    name = "gaussCItest"
    statistic = "fisher-z"
    largest_correlation = 0.9999999
    pools = True
    pooled_version = 2


class Correlation(GaussianTest):
    """Student's t of the partial correlation, exact."""

    name = "cor"
    statistic = "correlation"


class GaussianInformation(GaussianTest):
    """Mutual information of Gaussian variables, chi-square."""

    name = "mi-g"
    statistic = "information"


class ShrunkGaussianInformation(GaussianTest):
    """Mutual information of correlations shrunk towards 0, chi-square."""

    name = "mi-g-sh"
    statistic = "shrunk"


class MonteCarloFisherZ(MonteCarlo, GaussianTest):
    """Permutation test by Fisher's z with 5000 permutations."""

    name = "mc-zf"
    statistic = "fisher-z"


class SequentialFisherZ(Sequential, GaussianTest):
    """Permutation test by Fisher's z with 500 permutations."""

    name = "smc-zf"
    statistic = "fisher-z"


class MonteCarloCorrelation(MonteCarlo, GaussianTest):
    """Permutation test by the partial correlation with 5000 permutations."""

    name = "mc-cor"
    statistic = "correlation"


class SequentialCorrelation(Sequential, GaussianTest):
    """Permutation test by the partial correlation with 500 permutations."""

    name = "smc-cor"
    statistic = "correlation"


class MonteCarloGaussianInformation(MonteCarlo, GaussianTest):
    """Permutation test by Gaussian mutual information with 5000 permutations."""

    name = "mc-mi-g"
    statistic = "information"


class SequentialGaussianInformation(Sequential, GaussianTest):
    """Permutation test by Gaussian mutual information with 500 permutations."""

    name = "smc-mi-g"
    statistic = "information"


def normal_scores(values: Floats) -> Floats:
    """Replace each column by the normal quantiles of its mid-ranks; missing values stay NaN."""
    return np.column_stack([_scores(column) for column in values.T]) if values.size else values


def _scores(column: Floats) -> Floats:
    from scipy.special import ndtri  # noqa: PLC0415 - heavy

    known = ~np.isnan(column)
    _, place, counts = np.unique(column[known], return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    scores = np.full(len(column), np.nan)
    scores[known] = ndtri(ranks / (known.sum() + 1))[place]
    return scores
