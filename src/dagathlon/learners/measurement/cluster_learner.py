"""Base class of learners of clusters: data, moments, and the measurement model returned."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from dagathlon.data.spec import DataFacts, DataKind
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
_ROWS_AT_ONCE = 4096


@dataclass(frozen=True, kw_only=True)
class ClusterLearner(Learner):
    """Base class of searches for clusters by vanishing minors of the covariance matrix.

    Parameters
    ----------
    alpha
        Significance level: minors count as 0 when the p-value is above it. The same level decides
        which correlations count as 0, and a cluster has (nearly) none of those.
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
    most_columns: ClassVar[int] = 1023

    alpha: Probability = 0.01
    timeout: NonNegative | None = None

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return a message if there are too many columns for fourth moments; empty otherwise."""
        most = min(self.most_columns, _MOST_COLUMNS) if self.by_moments() else self.most_columns
        if data.n_columns is not None and data.n_columns > most:
            return f"{self.name} with this test takes up to {most} columns, not {data.n_columns}"
        return super().why_unsuitable(data)

    @abstractmethod
    def by_moments(self) -> bool:
        """Return whether the test needs fourth moments."""

    @abstractmethod
    def clusters(
        self, correlations: Floats, fourth: Floats, rows: int
    ) -> tuple[list[list[int]], int]:
        """Return the clusters, as lists of column numbers, and the number of tests."""

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Find clusters among the columns that are not constant."""
        rows = len(data)
        # Not by the variance, which rounding makes non-zero for a constant column.
        ranges = np.ptp(data.values, axis=0) if rows else np.zeros(len(data.names))
        varying = [name for name, r in zip(data.names, ranges, strict=True) if r > 0]
        groups: list[list[int]] = []
        tests = 0
        if rows >= _FEWEST_ROWS and len(varying) > 2 * self.factors + 1:
            groups, tests = self.clusters(*self._moments(data.select(varying).values), rows)
        clusters = [[varying[i] for i in group] for group in groups]
        model = of_clusters(data.names, clusters, self.factors)
        stats = {
            "ntests": tests,
            "n_clusters": len(clusters),
            "n_clustered": sum(map(len, clusters)),
        }
        notes = _notes(data, varying, clusters)
        return Estimate(model.marginal, stats, notes=notes, measurement=model)

    def _moments(self, values: Floats) -> tuple[Floats, Floats]:
        """Return the correlations, and fourth moments if the test needs them."""
        rows = len(values)
        standard = (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)
        correlations = np.ascontiguousarray(standard.T @ standard / (rows - 1))
        fourth = np.zeros((0, 0))
        if self.by_moments():
            fourth = _fourth_moments(standard)
        return correlations, fourth

    def _critical(self) -> float:
        """Return the two-sided critical value of a standard normal variable."""
        from scipy.special import ndtri  # noqa: PLC0415 - heavy

        return float(-ndtri(max(self.alpha, 1e-300) / 2)) if self.alpha < 1 else 0.0

    def _chi_square(self, freedom: int, tests: int = 1) -> float:
        """Return the chi-square critical value, corrected for the number of tests."""
        from scipy.special import chdtri  # noqa: PLC0415 - heavy

        return float(chdtri(freedom, self.alpha / tests)) if self.alpha > 0 else math.inf


def _fourth_moments(standard: Floats) -> Floats:
    """Return the means of products of four columns, by pairs of pairs, computed in batches."""
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
