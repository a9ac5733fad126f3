"""Base class of learners with a path of penalties, one of which is selected."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.data.spec import DataFacts, DataKind
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.graphs.path import GraphPath
from dagathlon.learners.assumptions import COPULA, GAUSSIAN
from dagathlon.learners.base import Estimate, Learner, Statistic
from dagathlon.learners.continuous.weights import numbers
from dagathlon.learners.undirected import selection
from dagathlon.learners.undirected.inputs import (
    RANKS,
    Matrix,
    Moments,
    Relation,
    Vector,
    column_scales,
    gaussian_columns,
    latent_correlation,
    moments,
    standardised,
)
from dagathlon.learners.undirected.likelihoods import (
    gaussian_log_likelihoods,
    held_out_moments,
    pseudo_log_likelihoods,
)
from dagathlon.modules import Natural, NonNegative, Probability
from dagathlon.threads import side_by_side

if TYPE_CHECKING:
    from dagathlon.data import Dataset

Graphs: TypeAlias = npt.NDArray[np.bool_]
# Largest number of matrix entries along a path; solvers and selection need some bytes for each.
_MOST_CELLS = 1_000_000_000
_NOT_CONVERGED = (
    "The optimisation stopped before it had reached its tolerance at some penalties of the path."
)


@dataclass(frozen=True, eq=False)
class PathFit:
    """Estimates of a solver along decreasing penalties.

    Parameters
    ----------
    graphs
        Symmetric adjacency of each penalty's graph, penalties x columns x columns.
    precisions
        Estimated precision matrices of the standardised columns, for learners that have them.
    converged
        Whether every estimate converged to its tolerance.
    """

    graphs: Graphs
    precisions: Sequence[Matrix] | npt.NDArray[np.float64] | None = None
    converged: bool = True

    def edges(self) -> Vector:
        """Number of edges at each penalty."""
        return np.asarray(self.graphs.sum(axis=(1, 2)) / 2)


@dataclass(frozen=True, kw_only=True)
class PenalisedLearner(Learner):
    """Base class of learners of undirected graphs with a given or selected penalty.

    A subclass defines `largest`, `fit_path`, `held_out` and `log_likelihoods`; everything else
    is here. The whole path is part of the result.

    Parameters
    ----------
    penalty
        A fixed penalty; null selects one from a path of penalties.
    n_penalties
        Number of penalties on the path, evenly spaced on a logarithmic scale. The first is the
        smallest one with an empty graph.
    min_ratio
        Smallest penalty of the path, as a share of the largest; null ends the path at √(log p / n)
        / 2, below which most new edges are due to chance, but within a half and a hundredth of the
        largest penalty.
    select
        Criterion for the selection of the penalty: extended Bayesian information criterion (ebic),
        rotation information criterion (ric: the smallest penalty without an edge between columns
        that are rotated against each other), stability of the graph in subsamples (stars), or
        cross-validated log likelihood (cv).
    gamma
        Weight of the number of possible graphs in ebic, 0 for the ordinary criterion.
    stars_threshold
        Largest instability that stars allows: the mean over pairs of variables of twice the
        probability that two subsamples disagree.
    stars_samples
        Number of subsamples of stars, and of rotations of ric.
    folds
        Number of folds of cv.
    timeout
        Seconds after which the run is stopped; null for no limit.
    """

    gives = "undirected"
    uses_blas = True
    reentrant = True
    splits = True

    penalty: NonNegative | None = None
    n_penalties: Natural = 20
    min_ratio: Probability | None = None
    select: Literal["ebic", "ric", "stars", "cv"] = "ebic"
    gamma: NonNegative = 0.5
    stars_threshold: Probability = 0.1
    stars_samples: Natural = 20
    folds: Natural = 5
    timeout: NonNegative | None = None

    @abstractmethod
    def largest(self, data: Dataset) -> float:
        """Return the smallest penalty with an empty graph."""

    @abstractmethod
    def fit_path(self, data: Dataset, penalties: Vector) -> PathFit:
        """Return the estimates for penalties in decreasing order."""

    @abstractmethod
    def held_out(self, train: Dataset, test: Dataset, penalties: Vector) -> Vector:
        """Return the log likelihood of a row of `test` under the fits to `train`."""

    def ric_penalty(self, data: Dataset, rng: np.random.Generator) -> float:
        """Return the smallest penalty with an empty graph for columns rotated at random (RIC)."""
        return min(self.largest(selection.shuffled(data, rng)) for _ in range(self.stars_samples))

    @abstractmethod
    def log_likelihoods(self, data: Dataset, fit: PathFit) -> tuple[Vector, Vector]:
        """Return the log likelihoods and numbers of parameters along the path, for ebic.

        Likelihoods are up to a constant; parameters are counted in excess of the empty
        graph's.
        """

    def stable(self, unstable: Vector) -> int:
        """Return the index of the penalty that stars selects, from the instability at each."""
        return selection.stars(unstable, self.stars_threshold)

    def problem(self) -> str:
        """Return a message if the parameters of the path contradict each other; empty otherwise."""
        if self.penalty is not None:
            return ""
        if self.min_ratio is not None and not 0 < self.min_ratio < 1:
            return "min_ratio must be between 0 and 1, and neither of them"
        if self.n_penalties < 2:
            return "a path has at least 2 penalties; one alone is the parameter penalty"
        if self.select == "cv" and self.folds < 2:
            return "cv needs at least 2 folds"
        return ""

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return a message if the path's graphs would need too much memory; empty otherwise."""
        length, p = self.n_penalties if self.penalty is None else 1, data.n_columns or 0
        if length * p * p > _MOST_CELLS:
            return (
                f"{self.name}: {length} graphs of {p} variables do not fit into memory; give a "
                "single penalty, fewer of them (n_penalties), or choose variables"
            )
        return super().why_unsuitable(data)

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Fit the path, and select a penalty."""
        top = self.largest(data) if len(data.names) > 1 and self.penalty is None else 0.0
        if len(data.names) < 2 or (self.penalty is None and top <= 0):
            return Estimate(Graph(data.names))
        if self.penalty is not None:
            penalties, rotated = np.array([self.penalty]), None
        else:
            penalties = np.geomspace(top, top * self._ratio(top, data), self.n_penalties)
            rotated = self.ric_penalty(data, rng) if self.select == "ric" else None
        if rotated is not None:
            penalties = selection.with_value(penalties, rotated)
        fit = self.fit_path(data, penalties)
        chosen, stats = self._selected(data, penalties, fit, rotated, rng)
        return self._estimate(
            data, GraphPath(data.names, penalties, fit.graphs, chosen=chosen), fit, stats
        )

    def _ratio(self, top: float, data: Dataset) -> float:
        if self.min_ratio is not None:
            return self.min_ratio
        chance = np.sqrt(np.log(len(data.names)) / len(data))
        return float(np.clip(chance / 2 / top, 0.01, 0.5))

    def _selected(
        self,
        data: Dataset,
        penalties: Vector,
        fit: PathFit,
        rotated: float | None,
        rng: np.random.Generator,
    ) -> tuple[int, dict[str, Statistic]]:
        """Return the index of the selected penalty, and the value of the criterion there."""
        if len(penalties) == 1:
            return 0, {}
        if rotated is not None:
            return int(np.argmin(np.abs(penalties - rotated))), {}
        if self.select == "ebic":
            size = len(data), len(data.names)
            judged = self.log_likelihoods(data, fit)
            scores = selection.ebic(*judged, fit.edges(), size, self.gamma)
            return _best(-scores, lambda top: {"ebic": -top})
        if self.select == "stars":
            unstable = selection.instabilities(self._subsampled(data, penalties, rng))
            best = self.stable(unstable)
            return best, {"instability": float(unstable[best])}
        held_out = self._cross_validated(data, penalties, rng)
        return _best(held_out, lambda top: {"held_out": top})

    def _subsampled(
        self, data: Dataset, penalties: Vector, rng: np.random.Generator
    ) -> Iterator[Graphs]:
        rows = selection.subsample_size(len(data))
        drawn = (np.sort(rng.permutation(len(data))[:rows]) for _ in range(self.stars_samples))
        return side_by_side(
            lambda chosen: self.fit_path(data.take(chosen), penalties).graphs,
            drawn,
            self.stars_samples,
        )

    def _cross_validated(
        self, data: Dataset, penalties: Vector, rng: np.random.Generator
    ) -> Vector:
        """Return the cross-validated mean log likelihood of a row at each penalty."""
        if len(data) < 4:
            raise DataError(f"{self.name}: cv needs at least 4 rows, found {len(data)}")
        parts = np.array_split(rng.permutation(len(data)), min(self.folds, len(data) // 2))

        def judged(part: npt.NDArray[np.int64]) -> Vector:
            rest = np.setdiff1d(np.arange(len(data)), part)
            held_out = self.held_out(data.take(rest), data.take(np.sort(part)), penalties)
            return len(part) * held_out

        # By a loop: the digits of a sum depend on its order.
        total = np.zeros(len(penalties))
        for held_out in side_by_side(judged, parts, len(parts)):
            total += held_out
        return total / len(data)

    def _estimate(
        self, data: Dataset, path: GraphPath, fit: PathFit, stats: dict[str, Statistic]
    ) -> Estimate:
        chosen = path.chosen or 0
        precision = None if fit.precisions is None else fit.precisions[chosen]
        return Estimate(
            path.graph(chosen),
            {"penalty": float(path.penalties[chosen]), **stats},
            notes=() if fit.converged else (_NOT_CONVERGED,),
            precision=None if precision is None else self.in_units(data, precision),
            path=path,
        )

    def in_units(self, data: Dataset, precision: Matrix) -> Matrix:
        """Convert a precision matrix of the solver to the units of the data's columns."""
        return precision


def _best(
    scores: Vector, stats: Callable[[float], dict[str, Statistic]]
) -> tuple[int, dict[str, Statistic]]:
    """Return the index of the highest score; 0 (the empty graph) if no score is finite."""
    top = float(scores.max())
    return (int(np.argmax(scores)), stats(top)) if np.isfinite(top) else (0, {})


@dataclass(frozen=True, kw_only=True)
class GaussianPenalised(PenalisedLearner):
    """Base class of penalised learners that use the correlations of the data alone.

    A subclass defines `fit_moments`.

    Parameters
    ----------
    relation
        Kind of correlation: Pearson's; that of columns transformed to normality by their ranks
        (nonparanormal, or truncated, which winsorises the tails); or that of a Gaussian
        distribution with the same rank correlations (kendall, spearman).
    """

    assumes = (GAUSSIAN,)
    takes: ClassVar[frozenset[DataKind]] = frozenset({"continuous"})

    relation: Relation = "pearson"

    @abstractmethod
    def fit_moments(self, moments: Moments, penalties: Vector) -> PathFit:
        """Return the estimates for penalties in decreasing order, from correlations."""

    def largest_of(self, moments: Moments) -> float:
        """Return the smallest penalty with an empty graph: the largest absolute correlation."""
        return moments.largest()

    def assumptions(self, kind: DataKind) -> tuple[str, ...]:
        """Return the assumptions; with ranks, any monotone function of a column is allowed."""
        return self.assumes if self.relation == "pearson" else (COPULA,)

    def correlations(self, data: Dataset) -> Moments:
        """Return the correlations of the data, of the kind `relation`."""
        return moments(numbers(data, self.name), self.relation)

    def moments(self, data: Dataset) -> Moments:
        """Return the input of the solver: the correlations."""
        return self.correlations(data)

    def scales(self, data: Dataset) -> Vector:
        """Return the scales that columns were divided by before their moments were computed."""
        return column_scales(numbers(data, self.name))

    def largest(self, data: Dataset) -> float:
        """Return `largest_of` the moments of the data."""
        return self.largest_of(self.moments(data))

    def fit_path(self, data: Dataset, penalties: Vector) -> PathFit:
        """Return `fit_moments` on the moments of the data."""
        return self.fit_moments(self.moments(data), penalties)

    def ric_penalty(self, data: Dataset, rng: np.random.Generator) -> float:
        """Return the penalty by the rotation information criterion (RIC), as in `huge`."""
        columns = gaussian_columns(numbers(data, self.name), self.relation)
        shifts = selection.shifts(len(data), self.stars_samples, rng)
        largest = selection.rotation_penalty(standardised(columns), shifts)
        ranked = self.relation in RANKS
        return float(latent_correlation(np.array(largest))) if ranked else largest

    def log_likelihoods(self, data: Dataset, fit: PathFit) -> tuple[Vector, Vector]:
        """Return log likelihoods of least-squares regressions on the neighbours.

        The likelihood of the penalised estimate itself is so low by shrinkage that the
        empty graph would win with few rows.
        """
        given = self.correlations(data)
        likelihoods = given.n * pseudo_log_likelihoods(fit.graphs, given, given.correlation)
        return likelihoods, 2 * fit.edges()

    def held_out(self, train: Dataset, test: Dataset, penalties: Vector) -> Vector:
        """Return held-out log likelihoods of precision matrices, or of neighbour regressions."""
        given = self.moments(train)
        fit = self.fit_moments(given, penalties)
        seen = held_out_moments(numbers(train, self.name), numbers(test, self.name), self.relation)
        if fit.precisions is None:
            return pseudo_log_likelihoods(fit.graphs, given, seen)
        return gaussian_log_likelihoods(fit.precisions, seen)

    def in_units(self, data: Dataset, precision: Matrix) -> Matrix:
        """Divide a precision matrix in place by the standard deviations of both columns."""
        scales = self.scales(data)
        rows, columns = np.nonzero(precision)
        # In place: with many columns a second matrix would not fit into memory.
        precision[rows, columns] /= scales[rows] * scales[columns]
        return precision
