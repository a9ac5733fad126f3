"""Psi-learning: partial correlations given small neighbourhoods, with multiple testing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.data.spec import DataKind
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.learners.assumptions import COPULA, FAITHFUL, GAUSSIAN
from dagathlon.learners.base import Estimate, Learner, Statistic
from dagathlon.learners.continuous.weights import numbers
from dagathlon.learners.undirected.false_discovery import Threshold, evidence, threshold
from dagathlon.learners.undirected.inputs import Matrix, Relation, Vector, moments
from dagathlon.learners.undirected.thresholds import above_diagonal, path_of
from dagathlon.modules import Count, Natural, NonNegative, Probability
from dagathlon.pulse import beat

if TYPE_CHECKING:
    from dagathlon.data import Dataset

Neighbours: TypeAlias = list[npt.NDArray[np.int64]]
_TINY = 1e-300
_FEW_PAIRS = (
    "There are too few pairs of variables to estimate what their scores are by chance; "
    "they were taken to be standard normal."
)


@dataclass(frozen=True, kw_only=True)
class PsiLearner(Learner):
    """Partial correlations given the smaller of two correlation neighbourhoods.

    Two variables are joined when they are correlated given the variables that one of them is
    correlated with. Both significance thresholds control the false discovery rate, with a null
    distribution estimated from the scores of all pairs.

    Parameters
    ----------
    alpha1
        False discovery rate of the correlations that define the neighbourhoods. Larger rates make
        larger neighbourhoods, which does little harm.
    alpha2
        False discovery rate of the edges.
    components
        Number of exponential power distributions in the mixture of the scores; all but the highest
        one are the null distribution.
    iterations
        Number of passes over the scores when the mixture is fitted by stochastic approximation.
    max_neighbours
        Largest size of a neighbourhood, which keeps the strongest correlations; null is n / log n.
    ridge
        Added to every variance before partial correlations are computed, in squared units of the
        columns.
    relation
        Kind of correlation: Pearson's; that of columns transformed to normality by their ranks
        (nonparanormal, or truncated, which winsorises the tails); or that of a Gaussian
        distribution with the same rank correlations (kendall, spearman).
    timeout
        Seconds after which the run is stopped; null for no limit.
    """

    assumes = (GAUSSIAN, FAITHFUL)
    name = "psi_learner"
    gives = "undirected"
    takes: ClassVar[frozenset[DataKind]] = frozenset({"continuous"})
    uses_blas = True
    references = (
        "Liang, Song and Qiu 2015, JASA 110",
        "Liang and Zhang 2008, Biometrika 95",
    )

    alpha1: Probability = 0.05
    alpha2: Probability = 0.05
    components: Natural = 2
    iterations: Count = 100
    max_neighbours: Count | None = None
    ridge: NonNegative = 0.0
    relation: Relation = "pearson"
    timeout: NonNegative | None = None

    def assumptions(self, kind: DataKind) -> tuple[str, ...]:
        """Return the assumptions; with ranks, any monotone function of a column is allowed."""
        return self.assumes if self.relation == "pearson" else (COPULA, FAITHFUL)

    def problem(self) -> str:
        """Return a message if there are fewer than two mixture components; empty otherwise."""
        return "" if self.components > 1 else "components must be at least 2"

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Screen the correlations, then the partial correlations."""
        if len(data) < 5:
            raise DataError(f"{self.name} needs at least 5 rows, found {len(data)}")
        if len(data.names) < 2:
            return Estimate(Graph(data.names))
        given = moments(numbers(data, self.name), self.relation)
        correlated = evidence(fisher(given.correlation, given.n - 3))
        screened = self._threshold(correlated, self.alpha1, rng)
        around = neighbourhoods(correlated, screened.value, self._most(given.n))
        raised = given.correlation + np.diag(self.ridge / given.scales**2)
        scores = evidence(psi_scores(raised, around, given.n))
        return self._estimate(data, scores, self._threshold(scores, self.alpha2, rng), around)

    def _most(self, n: int) -> int:
        """Return the largest neighbourhood for which n rows allow partial correlations."""
        wanted = int(n / np.log(n)) if self.max_neighbours is None else self.max_neighbours
        return min(wanted, n - 4)

    def _threshold(self, scores: Matrix, rate: float, rng: np.random.Generator) -> Threshold:
        options = {"components": self.components, "iterations": self.iterations}
        return threshold(above_diagonal(scores), rate, rng=rng, **options)

    def _estimate(
        self, data: Dataset, scores: Matrix, found: Threshold, around: Neighbours
    ) -> Estimate:
        path = path_of(data.names, above_diagonal(scores), found.value)
        stats: dict[str, Statistic] = {"largest_neighbourhood": max(map(len, around))}
        if np.isfinite(found.value):
            stats["threshold"] = found.value
        notes = () if found.mixture is not None else (_FEW_PAIRS,)
        return Estimate(path.graph(path.chosen or 0), stats, path=path, notes=notes)


def fisher(correlation: Matrix, freedom: npt.ArrayLike) -> Matrix:
    """Return Fisher's z-scores, which are standard normal without correlation."""
    inside = np.clip(correlation, -1 + 1e-15, 1 - 1e-15)
    return np.asarray(np.arctanh(inside) * np.sqrt(freedom))


def neighbourhoods(scores: Matrix, cut: float, most: int) -> Neighbours:
    """Return, for each variable, those with a score above the cut, at most `most`, by column."""
    chosen = []
    for j, row in enumerate(scores):
        above = np.flatnonzero((row > cut) & (np.arange(len(row)) != j))
        strongest = above[np.argsort(-row[above], kind="stable")[:most]]
        chosen.append(np.sort(strongest))
    return chosen


def psi_scores(covariance: Matrix, around: Neighbours, n: int) -> Matrix:
    """Fisher's z-scores of partial correlations of pairs, given one of their neighbourhoods.

    It is the smaller one, that of the later column where they are equally large, without the pair.

    Parameters
    ----------
    covariance
        Covariances or correlations.
    around
        The neighbourhood of each variable.
    n
        Number of rows.
    """
    sizes = np.array([len(one) for one in around])
    columns = np.arange(len(sizes))
    result = np.zeros(covariance.shape)
    for j, given in enumerate(around):
        beat(j, len(around))
        mine = (sizes[j] < sizes) | ((sizes[j] == sizes) & (columns < j))
        partial, conditioned = _partial(covariance, j, given)
        scores = fisher(partial, n - conditioned - 3)
        result[j, mine] = result[mine, j] = scores[mine]
    return result


def _partial(
    covariance: Matrix, j: int, given: npt.NDArray[np.int64]
) -> tuple[Vector, npt.NDArray[np.int64]]:
    """Return partial correlations of a variable given its neighbours, and how many are given."""
    weights = _inverse(covariance[np.ix_(given, given)]) @ covariance[given]
    rest = np.diag(covariance) - np.sum(covariance[given] * weights, axis=0)
    shared = covariance[j] - covariance[j, given] @ weights
    partial = shared / np.sqrt(np.maximum(rest[j] * rest, _TINY))
    both = np.append(given, j)
    inverse = _inverse(covariance[np.ix_(both, both)])
    diagonal = np.maximum(np.diag(inverse), _TINY)
    partial[given] = (-inverse[-1] / np.sqrt(diagonal * diagonal[-1]))[:-1]
    conditioned = np.full(len(covariance), len(given))
    conditioned[given] -= 1
    return partial, conditioned


def _inverse(matrix: Matrix) -> Matrix:
    """Return the inverse; the pseudo-inverse of a singular matrix."""
    inverse: Matrix = np.asarray(np.linalg.pinv(matrix, rcond=1e-10, hermitian=True), np.float64)
    return inverse
