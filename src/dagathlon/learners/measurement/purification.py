"""Purification of clusters by tetrads: cliques of pairs that may share a latent cause."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from dagathlon.graphs.cliques import cliques_of_pairs
from dagathlon.pulse import beat

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

FEWEST = 3
_NONE = -1


def all_fours(columns: int) -> Ints:
    """Return all quartets of the columns, in lexicographic order, as in the native code."""
    return np.array(list(combinations(range(columns), 4)), dtype=np.int64).reshape(-1, 4)


@dataclass(frozen=True)
class Purifier:
    """Purity of every quartet of variables, with the operations on clusters that use it.

    Parameters
    ----------
    fours
        The variables of each quartet.
    statistics
        Chi-square statistics of ab·cd - ac·bd, ab·cd - ad·bc and ac·bd - ad·bc.
    differs
        Which of them are significant.
    pure
        Quartets all of whose tetrads vanish, and all of whose variables are correlated.
    """

    fours: Ints
    statistics: Floats
    differs: Bools
    pure: Bools

    def violated(self, labels: Ints) -> Bools:
        """Return the quartets with a non-zero tetrad that a model with these clusters sets to 0."""
        a, b, c, d = labels[self.fours].T
        three = ((a == b) & ((b == c) | (b == d))) | ((c == d) & ((a == c) | (b == c)))
        wrong = three & self.differs.any(axis=1)
        # Two pairs: the products across the clusters are equal.
        wrong |= (a == b) & (c == d) & self.differs[:, 2]
        wrong |= (a == c) & (b == d) & self.differs[:, 1]
        wrong |= (a == d) & (b == c) & self.differs[:, 0]
        return np.asarray(wrong & (labels[self.fours] != _NONE).all(axis=1))

    def purified(self, labels: Ints) -> Ints:
        """Remove the variables in most violated quartets, one after another."""
        labels = labels.copy()
        while (wrong := self.violated(labels)).any():
            beat()
            members = self.fours[wrong].ravel()
            size = np.repeat(self.statistics[wrong].max(axis=1), 4)
            count = np.bincount(members, minlength=len(labels))
            weight = np.bincount(members, size, minlength=len(labels))
            labels[np.lexsort((weight, count))[-1]] = _NONE
        return labels

    def chosen(self, joined: Bools, correlations: Floats) -> Ints:
        """Return labels by disjoint cliques, those with many and strong correlations first."""
        sizes = np.abs(correlations)
        candidates = [self._pure_part(c, len(joined)) for c in cliques_of_pairs(joined)]
        labels = np.full(len(joined), _NONE)
        for label in range(len(joined)):
            candidates = [cluster for cluster in candidates if len(cluster) >= FEWEST]
            if not candidates:
                break
            best = max(candidates, key=lambda cluster: _strength(cluster, sizes))
            labels[sorted(best)] = label
            candidates = [cluster - best for cluster in candidates]
        return labels

    def _pure_part(self, clique: tuple[int, ...], columns: int) -> frozenset[int]:
        beat()
        labels = np.full(columns, _NONE)
        if len(clique) >= FEWEST:
            labels[sorted(clique)] = 0
            labels = self.purified(labels)
        return frozenset(np.flatnonzero(labels == 0).tolist())

    def unrelated(self, labels: Ints) -> Ints:
        """Remove one of each two variables of a cluster that share no pure quartet.

        One of them may cause the other. The one with more such partners is removed, on ties
        the later one.
        """
        labels = labels.copy()
        known = np.eye(len(labels), dtype=bool)
        for i, j in combinations(range(4), 2):
            known[self.fours[self.pure, i], self.fours[self.pure, j]] = True
        doubtful = ~(known | known.T)
        while True:
            together = (labels[:, None] == labels) & (labels != _NONE)
            count = (doubtful & together).sum(axis=1)
            if not count.any():
                return labels
            labels[np.flatnonzero(count == count.max())[-1]] = _NONE

    def supported(self, cluster: list[int]) -> bool:
        """Return whether a cluster is large enough; three need a pure quartet with a fourth."""
        inside = np.isin(self.fours, cluster).sum(axis=1)
        return len(cluster) > FEWEST or bool(
            len(cluster) == FEWEST and (self.pure & (inside == FEWEST)).any()
        )

    def merged(self, clusters: list[list[int]]) -> list[list[int]]:
        """Merge clusters while all quartets of two of them are pure."""
        clusters = [list(cluster) for cluster in clusters]
        for a, b in combinations(range(len(clusters)), 2):
            union = sorted([*clusters[a], *clusters[b]])
            inside = np.isin(self.fours, union).all(axis=1)
            if clusters[a] and clusters[b] and self.pure[inside].all():
                clusters[a], clusters[b] = [], union
        return [cluster for cluster in clusters if cluster]


def _strength(cluster: frozenset[int], sizes: Floats) -> tuple[float, list[int]]:
    """Return size times mean correlation, rounded, and the members as tie-breaker."""
    members = sorted(cluster)
    among = sizes[np.ix_(members, members)]
    return round(float(among.sum() - len(members)) / (len(members) - 1), 9), members
