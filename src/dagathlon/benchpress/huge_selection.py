"""Variants of our learners that reproduce huge 1.3.5's selection of a penalty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dagathlon.learners.continuous.weights import numbers
from dagathlon.learners.undirected import selection
from dagathlon.learners.undirected.graphical_lasso import GraphicalLasso
from dagathlon.learners.undirected.inputs import Matrix, Moments, Vector
from dagathlon.learners.undirected.neighbourhood_lasso import NeighbourhoodLasso
from dagathlon.learners.undirected.penalised import GaussianPenalised, PathFit

if TYPE_CHECKING:
    from dagathlon.data import Dataset


@dataclass(frozen=True, kw_only=True)
class HugeSelection(GaussianPenalised):
    """Selection of a penalty as by huge.select."""

    def ric_penalty(self, data: Dataset, rng: np.random.Generator) -> float:
        """Return the RIC penalty of the raw columns, neither centred nor scaled."""
        shifts = 1 + rng.permutation(len(data))[: self.stars_samples]
        return selection.rotation_penalty(numbers(data, self.name), shifts)

    def stable(self, unstable: Vector) -> int:
        """Return the last penalty index before instability reaches the threshold, else 0."""
        return max(int(np.argmax(unstable >= self.stars_threshold)) - 1, 0)


@dataclass(frozen=True, kw_only=True)
class HugeGraphicalLasso(HugeSelection, GraphicalLasso):
    """The graphical lasso with huge's selection."""

    def log_likelihoods(self, data: Dataset, fit: PathFit) -> tuple[Vector, Vector]:
        """Return log-likelihoods and edge counts; isolated variables count as unpenalised."""
        given = self.moments(data)
        pairs = zip(fit.graphs, fit.precisions or (), strict=True)
        rows = [_log_likelihood(graph.any(axis=0), found, given) for graph, found in pairs]
        return given.n / 2 * np.array(rows), fit.edges()


@dataclass(frozen=True, kw_only=True)
class HugeNeighbourhoods(HugeSelection, NeighbourhoodLasso):
    """Neighbourhood selection with huge's selection."""


def _log_likelihood(joined: np.ndarray, precision: Matrix, given: Moments) -> float:
    inside = np.ix_(joined, joined)
    product = float(np.sum(precision[inside] * given.correlation[inside]))
    return float(np.linalg.slogdet(precision[inside])[1]) - product - float(np.sum(~joined))
