"""BPC (build pure clusters): clusters of variables by vanishing tetrads."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from dagathlon import _core
from dagathlon.learners.measurement.cluster_learner import ClusterLearner, Floats
from dagathlon.learners.measurement.purification import Bools, Ints, Purifier, all_fours
from dagathlon.modules import Probability

_VANISHES, _DIFFERS = 1, 2


@dataclass(frozen=True, kw_only=True)
class Bpc(ClusterLearner):
    """Build pure clusters (BPC): groups of variables with one latent cause each.

    Three rules on tetrads decide which pairs of variables have no latent cause in common.
    Groups whose members all may have one are purified: variables are removed until every tetrad
    that a model with these clusters implies to vanish does so.

    Parameters
    ----------
    alpha
        Significance level. Tetrads and correlations count as 0 when the p-value is above it;
        tetrads count as not 0 when it is below the level over the number of all tetrads.
    test
        How tetrads are tested: wishart for normal data; delta, by fourth moments, for any
        distribution.
    """

    name = "bpc"
    references = (
        "Silva, Scheines, Glymour and Spirtes 2006, Learning the structure of linear latent "
        "variable models, JMLR 7",
        "Wishart 1928, Sampling errors in the theory of two factors, British Journal of Psychology "
        "19",
        "Bollen 1990, Outlier screening and a distribution-free test for vanishing tetrads, "
        "Sociological Methods & Research 19",
    )
    most_columns = 64

    alpha: Probability = 0.05
    test: Literal["wishart", "delta"] = "wishart"

    def by_moments(self) -> bool:
        """Return whether the distribution-free test is chosen."""
        return self.test == "delta"

    def clusters(
        self, correlations: Floats, fourth: Floats, rows: int
    ) -> tuple[list[list[int]], int]:
        """Return cliques of pairs that no rule separates, purified."""
        settings = _core.MinorSettings(self.test, 0.0)
        statistics = _core.tetrad_statistics(correlations, fourth, float(rows), settings)
        linked = self._linked(correlations, rows)
        differs = statistics > self._chi_square(1, statistics.size)
        vanishes = statistics < self._chi_square(1)
        answers = np.where(vanishes, _VANISHES, np.where(differs, _DIFFERS, 0)).astype(np.uint8)
        joined = linked.copy()
        for i, j in _core.separate_causes(answers, linked):
            joined[i, j] = joined[j, i] = False
        fours = all_fours(len(linked))
        pure = vanishes.all(axis=1) & _all_joined(fours, self._correlated(correlations, rows))
        purifier = Purifier(fours, statistics, differs, pure)
        return _pure_clusters(purifier, joined, correlations), statistics.size

    def _correlated(self, correlations: Floats, rows: int, given: int = 0) -> Bools:
        """Return the mask of significant (partial) correlations, given so many variables."""
        least = math.tanh(self._critical() / math.sqrt(rows - 3 - given))
        return np.abs(correlations) > least

    def _linked(self, correlations: Floats, rows: int) -> Bools:
        """Return the pairs that are correlated, marginally and given each other variable."""
        linked = self._correlated(correlations, rows)
        for k, column in enumerate(correlations):
            rest = np.sqrt(np.maximum(1 - column**2, 1e-12))
            partial = (correlations - np.outer(column, column)) / np.outer(rest, rest)
            near = self._correlated(partial, rows, 1)
            near[k] = near[:, k] = True
            linked &= near
        np.fill_diagonal(linked, val=False)
        return np.ascontiguousarray(linked & linked.T)


def _all_joined(fours: Ints, pairs: Bools) -> Bools:
    """Return the mask of quartets all of whose pairs are marked."""
    together = np.ones(len(fours), dtype=bool)
    for i, j in combinations(range(4), 2):
        together &= pairs[fours[:, i], fours[:, j]]
    return together


def _pure_clusters(purifier: Purifier, joined: Bools, correlations: Floats) -> list[list[int]]:
    labels = purifier.chosen(joined, correlations)
    labels = purifier.purified(purifier.unrelated(labels))
    clusters = [np.flatnonzero(labels == label).tolist() for label in range(labels.max() + 1)]
    return purifier.merged([cluster for cluster in clusters if purifier.supported(cluster)])
