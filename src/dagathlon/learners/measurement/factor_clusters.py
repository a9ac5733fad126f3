"""FOFC and FTFC: clusters of variables with one or two common latent causes."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Literal

from dagathlon import _core
from dagathlon.learners.measurement.cluster_learner import ClusterLearner, Floats


@dataclass(frozen=True, kw_only=True)
class FactorClusters(ClusterLearner):
    """Base class of searches that grow clusters from small pure sets.

    Parameters
    ----------
    growth
        gap (grow and pick): all seeds are grown, and the largest clusters that do not overlap are
        picked. sag (seed and grow): one cluster is grown as far as possible before the next begins.
    like
        Program whose statistics are used: tetrad has those of Tetrad 7.6; see the learner's page.
        Null uses the published ones.
    """

    growth: Literal["gap", "sag"] = "gap"
    like: Literal["tetrad"] | None = None

    @abstractmethod
    def minors(self) -> _core.MinorSettings:
        """Return the native settings of the test of minors."""

    @abstractmethod
    def search(self, least_correlation: float) -> _core.ClusterSearch:
        """Return the native settings of the search, given the largest insignificant correlation."""

    def clusters(
        self, correlations: Floats, fourth: Floats, rows: int
    ) -> tuple[list[list[int]], int]:
        """Grow clusters from seeds whose minors with all other variables vanish."""
        search = self.search(math.tanh(self._critical() / self._scale(rows)))
        return _core.factor_clusters(correlations, fourth, float(rows), self.minors(), search)

    def _scale(self, rows: int) -> float:
        """Return the factor of Fisher's transform of a correlation; Tetrad's is twice as large."""
        return 2 * math.sqrt(rows) if self.like == "tetrad" else math.sqrt(rows - 3)


@dataclass(frozen=True, kw_only=True)
class Fofc(FactorClusters):
    """Find one-factor clusters (FOFC): groups of variables with one latent cause each.

    Four variables with one common cause have vanishing tetrads. Three variables are pure when
    their tetrads with every other variable vanish; pure triples are grown to clusters.

    Parameters
    ----------
    test
        How tetrads are tested: wishart for normal data; delta, by fourth moments, for any
        distribution.
    """

    name = "fofc"
    references = (
        "Kummerfeld and Ramsey 2016, Causal clustering for 1-factor measurement models, KDD",
        "Wishart 1928, Sampling errors in the theory of two factors, British Journal of Psychology "
        "19",
        "Bollen 1990, Outlier screening and a distribution-free test for vanishing tetrads, "
        "Sociological Methods & Research 19",
    )

    test: Literal["wishart", "delta"] = "wishart"

    def by_moments(self) -> bool:
        """Return whether the distribution-free test is chosen."""
        return self.test == "delta"

    def minors(self) -> _core.MinorSettings:
        """Return the test: three tetrads one by one, or two of them jointly."""
        tetrad = self.like == "tetrad"
        if self.test == "wishart":
            name = "two-wishart" if tetrad else "wishart"
            return _core.MinorSettings(name, self._critical() ** 2)
        return _core.MinorSettings("partial-delta" if tetrad else "delta", self._chi_square(2))

    def search(self, least_correlation: float) -> _core.ClusterSearch:
        """Return the search from triples; a variable joins if half of its sets are pure."""
        return _core.ClusterSearch(3, 0.5, least_correlation, 1, 1, self.growth == "gap")


@dataclass(frozen=True, kw_only=True)
class Ftfc(FactorClusters):
    """Find two-factor clusters (FTFC): groups of variables with the same two latent causes.

    Six variables with two common causes have vanishing sextads, determinants of three by three
    covariances. Five variables are pure when their sextads with every other variable vanish.
    """

    name = "ftfc"
    references = (
        "Kummerfeld, Ramsey, Yang, Spirtes and Scheines 2014, Causal clustering for 2-factor "
        "measurement models, ECML PKDD",
    )
    factors = 2

    def by_moments(self) -> bool:
        """Return True: the test always needs fourth moments."""
        return True

    def minors(self) -> _core.MinorSettings:
        """Return the joint test of five sextads; a two-factor model of six has four constraints."""
        return _core.MinorSettings("sextad", self._chi_square(1 if self.like == "tetrad" else 4))

    def search(self, least_correlation: float) -> _core.ClusterSearch:
        """Return the search from sets of five; a variable joins if all of its sets are pure."""
        return _core.ClusterSearch(5, 1.0, least_correlation, 4, 5, self.growth == "gap")
