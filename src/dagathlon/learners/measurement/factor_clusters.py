"""FOFC and FTFC: clusters of variables that share one latent cause, or two."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.data.facts import DataFacts, DataKind
from dagathlon.errors import listing
from dagathlon.graphs.measurement import of_clusters
from dagathlon.learners.base import Estimate, Learner
from dagathlon.modules import NonNegative, Probability
from dagathlon.pulse import beat

if TYPE_CHECKING:
    from dagathlon.data import Dataset

Floats = npt.NDArray[np.float64]

_FEWEST_ROWS = 5
# Fourth moments of all pairs of pairs: 200 MB of numbers at the most.
_MOST_COLUMNS = 100
_MOST_WITHOUT_MOMENTS = 1023
_ROWS_AT_ONCE = 4096


@dataclass(frozen=True, kw_only=True)
class FactorClusters(Learner):
    """A search for clusters by minors of the covariance matrix that vanish.

    Parameters
    ----------
    alpha
        Significance level: minors count as 0 when the p-value is above it. The same level decides
        which correlations count as 0, and a cluster has (nearly) none of those.
    growth
        gap (grow and pick): all seeds are grown, and the largest clusters that do not overlap are
        picked. sag (seed and grow): one cluster is grown as far as possible before the next begins.
    like
        Program whose statistics are used: tetrad has those of Tetrad 7.6; see the learner's page.
        Null uses the published ones.
    timeout
        Seconds after which the run is stopped; null for no limit.
    """

    gives = "mag"
    takes: ClassVar[frozenset[DataKind]] = frozenset({"continuous"})
    assumes: ClassVar[tuple[str, ...]] = (
        "linear relations between latent and observed variables",
        "enough indicators of each latent variable that have no other cause",
    )
    uses_blas = True
    factors: ClassVar[int] = 1

    alpha: Probability = 0.01
    growth: Literal["gap", "sag"] = "gap"
    like: Literal["tetrad"] | None = None
    timeout: NonNegative | None = None

    def objection(self, data: DataFacts) -> str:
        """Fourth moments are kept of all pairs of pairs of columns."""
        most = _MOST_COLUMNS if self.by_moments() else _MOST_WITHOUT_MOMENTS
        if data.n_columns is not None and data.n_columns > most:
            return f"{self.name} with this test takes up to {most} columns, not {data.n_columns}"
        return super().objection(data)

    @abstractmethod
    def by_moments(self) -> bool:
        """Whether the test needs fourth moments."""

    @abstractmethod
    def minors(self) -> _core.MinorSettings:
        """The test of minors."""

    @abstractmethod
    def search(self, least_correlation: float) -> _core.ClusterSearch:
        """How clusters are sought, given the size of correlations that are none."""

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Find clusters among the columns that vary."""
        rows = len(data)
        # Not by the variance, which rounding lets differ from 0 in a constant column.
        ranges = np.ptp(data.values, axis=0) if rows else np.zeros(len(data.names))
        varying = [name for name, r in zip(data.names, ranges, strict=True) if r > 0]
        groups: list[list[int]] = []
        tests = 0
        if rows >= _FEWEST_ROWS and len(varying) > 2 * self.factors + 1:
            groups, tests = self._clusters(data.select(varying).values, rows)
        clusters = [[varying[i] for i in group] for group in groups]
        model = of_clusters(data.names, clusters, self.factors)
        stats = {
            "ntests": tests,
            "n_clusters": len(clusters),
            "n_clustered": sum(map(len, clusters)),
        }
        notes = _notes(data, varying, clusters)
        return Estimate(model.marginal, stats, notes=notes, measurement=model)

    def _clusters(self, values: Floats, rows: int) -> tuple[list[list[int]], int]:
        standard = (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)
        correlations = np.ascontiguousarray(standard.T @ standard / (rows - 1))
        fourth = np.zeros((0, 0))
        if self.by_moments():
            fourth = _fourth_moments(standard)
        search = self.search(math.tanh(self._critical() / self._scale(rows)))
        return _core.factor_clusters(correlations, fourth, float(rows), self.minors(), search)

    def _critical(self) -> float:
        """The size of a normal variable that is beyond chance."""
        from scipy.special import ndtri  # noqa: PLC0415 - heavy

        return float(-ndtri(max(self.alpha, 1e-300) / 2)) if self.alpha < 1 else 0.0

    def _scale(self, rows: int) -> float:
        """What Fisher's transform of a correlation is multiplied by; Tetrad's is twice as large."""
        return 2 * math.sqrt(rows) if self.like == "tetrad" else math.sqrt(rows - 3)

    def _chi_square(self, freedom: int) -> float:
        from scipy.special import chdtri  # noqa: PLC0415 - heavy

        return float(chdtri(freedom, self.alpha)) if self.alpha > 0 else math.inf


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


def _fourth_moments(standard: Floats) -> Floats:
    """Means of products of four columns, by pairs; products of pairs are held of some rows only."""
    left, right = np.triu_indices(standard.shape[1], 1)
    total = np.zeros((len(left), len(left)))
    for start in range(0, len(standard), _ROWS_AT_ONCE):
        beat(start, len(standard))
        some = standard[start : start + _ROWS_AT_ONCE]
        products = some[:, left] * some[:, right]
        total += products.T @ products
    return total / len(standard)


def _notes(data: Dataset, varying: list[str], clusters: list[list[str]]) -> tuple[str, ...]:
    notes = []
    if len(varying) < len(data.names):
        constant = [name for name in data.names if name not in set(varying)]
        notes.append(f"columns that never vary were left out: {listing(constant)}")
    if not clusters:
        notes.append("no cluster of variables with a latent cause was found")
    return tuple(notes)
