"""FOFC and FTFC: clusters of variables that share one latent cause, or two."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Literal

from dagathlon import _core
from dagathlon.learners.measurement.cluster_learner import ClusterLearner, Floats


@dataclass(frozen=True, kw_only=True)
class FactorClusters(ClusterLearner):
    """A search for clusters that begins with small pure sets and lets them grow.

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
        """The test of minors."""

    @abstractmethod
    def search(self, least_correlation: float) -> _core.ClusterSearch:
        """How clusters are sought, given the size of correlations that are none."""

    def clusters(
        self, correlations: Floats, fourth: Floats, rows: int
    ) -> tuple[list[list[int]], int]:
        """Grown from seeds whose minors with all other variables vanish."""
        search = self.search(math.tanh(self._critical() / self._scale(rows)))
        return _core.factor_clusters(correlations, fourth, float(rows), self.minors(), search)

    def _scale(self, rows: int) -> float:
        """What Fisher's transform of a correlation is multiplied by; Tetrad's is twice as large."""
        return 2 * math.sqrt(rows) if self.like == "tetrad" else math.sqrt(rows - 3)


@dataclass(frozen=True, kw_only=True)
class Fofc(FactorClusters):
    """Find one-factor clusters: groups of variables with one latent cause each.

    Four variables with one common cause have tetrads that vanish. Three variables are pure when
    their tetrads with every other variable do; pure threes are grown to clusters.

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
        """Only the distribution-free test does."""
        return self.test == "delta"

    def minors(self) -> _core.MinorSettings:
        """Three tetrads, one by one, or two of them together."""
        tetrad = self.like == "tetrad"
        if self.test == "wishart":
            name = "two-wishart" if tetrad else "wishart"
            return _core.MinorSettings(name, self._critical() ** 2)
        return _core.MinorSettings("partial-delta" if tetrad else "delta", self._chi_square(2))

    def search(self, least_correlation: float) -> _core.ClusterSearch:
        """From three variables, half of whose sets with a fourth must be pure for it to join."""
        return _core.ClusterSearch(3, 0.5, least_correlation, 1, 1, self.growth == "gap")


@dataclass(frozen=True, kw_only=True)
class Ftfc(FactorClusters):
    """Find two-factor clusters: groups of variables with the same two latent causes.

    Six variables with two common causes have sextads, determinants of three by three covariances,
    that vanish. Five variables are pure when their sextads with every other variable do.
    """

    name = "ftfc"
    references = (
        "Kummerfeld, Ramsey, Yang, Spirtes and Scheines 2014, Causal clustering for 2-factor "
        "measurement models, ECML PKDD",
    )
    factors = 2

    def by_moments(self) -> bool:
        """Always."""
        return True

    def minors(self) -> _core.MinorSettings:
        """Five sextads together; a two-factor model of six variables has four constraints."""
        return _core.MinorSettings("sextad", self._chi_square(1 if self.like == "tetrad" else 4))

    def search(self, least_correlation: float) -> _core.ClusterSearch:
        """From five variables, all of whose sets with a sixth must be pure for it to join."""
        return _core.ClusterSearch(5, 1.0, least_correlation, 4, 5, self.growth == "gap")
