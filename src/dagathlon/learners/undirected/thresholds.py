"""Undirected baselines: cut the correlation matrix, or its inverse, at a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.data.facts import DataKind
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.graphs.path import GraphPath
from dagathlon.learners.assumptions import LINEAR
from dagathlon.learners.base import Estimate, Learner
from dagathlon.modules import NonNegative, Probability

if TYPE_CHECKING:
    from dagathlon.data import Dataset

Matrix: TypeAlias = npt.NDArray[np.float64]
_CONTINUOUS: frozenset[DataKind] = frozenset({"continuous"})


@dataclass(frozen=True, kw_only=True)
class CorrelationThreshold(Learner):
    """Join two variables when they are correlated.

    Parameters
    ----------
    method
        ``corr``: the absolute correlation exceeds `thresh`. ``pval``: the p-value of the test of
        zero correlation is below `thresh`.
    thresh
        The threshold.
    timeout
        Seconds after which the run is stopped; null for no limit.
    """

    assumes = (LINEAR,)
    name = "corr_thresh"
    version = 2
    takes: ClassVar[frozenset[DataKind]] = _CONTINUOUS
    gives = "undirected"
    order_independent = True
    handles_missing = True
    method: Literal["corr", "pval"] = "corr"
    thresh: Probability = 0.3
    timeout: NonNegative | None = None

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Threshold the correlations of the data."""
        correlation, rows = _correlation(data)
        if self.method == "corr":
            return _undirected(data.names, np.abs(correlation), self.thresh)
        return _undirected(data.names, -_p_values(correlation, rows), -self.thresh)


@dataclass(frozen=True, kw_only=True)
class PrecisionThreshold(Learner):
    """Join two variables when the inverse correlation matrix has a large entry between them.

    Parameters
    ----------
    thresh
        Absolute values above it make an edge.
    timeout
        Seconds after which the run is stopped; null for no limit.
    """

    assumes = (LINEAR,)
    name = "prec_thresh"
    version = 2
    takes: ClassVar[frozenset[DataKind]] = _CONTINUOUS
    gives = "undirected"
    order_independent = True
    thresh: NonNegative = 0.3
    timeout: NonNegative | None = None

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Threshold the inverse of the correlation matrix."""
        correlation, _ = _correlation(data)
        if np.linalg.matrix_rank(correlation, hermitian=True) < len(correlation):
            raise DataError(
                f"the correlations of {len(correlation)} variables in {len(data)} rows have no "
                "inverse: a column is a combination of others, or there are too few rows"
            )
        return _undirected(data.names, np.abs(np.linalg.inv(correlation)), self.thresh)


def _correlation(data: Dataset) -> tuple[Matrix, Matrix]:
    """Correlations and the number of rows behind each, missing values deleted pair by pair.

    A column that is constant in the rows of a pair correlates with nothing there.
    """
    if len(data) < 2:
        raise DataError(f"correlations need at least 2 rows, found {len(data)}")
    present = ~np.isnan(data.values)
    weight = present.astype(np.float64)
    rows = weight.T @ weight
    centred = np.where(present, data.values - _column_means(data.values, present), 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        sums = centred.T @ weight
        products = centred.T @ centred - sums * sums.T / rows
        squares = (centred**2).T @ weight - sums**2 / rows
        correlation = products / np.sqrt(squares * squares.T)
    # Rounding leaves a tiny rest of variance in a constant column.
    noise = 1e-12 * np.maximum((centred**2).T @ weight, np.finfo(float).tiny)
    constant = (squares <= noise) | (squares.T <= noise.T) | (rows < 2)
    correlation = np.clip(np.where(constant, 0.0, correlation), -1.0, 1.0)
    np.fill_diagonal(correlation, 1.0)
    return correlation, rows


def _column_means(values: Matrix, present: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    counts = np.maximum(present.sum(axis=0), 1)
    means: npt.NDArray[np.float64] = np.where(present, values, 0.0).sum(axis=0) / counts
    return means


def _p_values(correlation: Matrix, rows: Matrix) -> Matrix:
    """Two-sided p-values of Pearson's test of zero correlation."""
    from scipy.special import stdtr  # noqa: PLC0415 - SciPy only when asked for

    freedom = np.maximum(rows - 2, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.abs(correlation) * np.sqrt(freedom / (1 - correlation**2))
        p_values = 2 * stdtr(freedom, -statistic)
    untestable = (freedom < 1) | np.isnan(p_values)
    result: Matrix = np.where(untestable, 1.0, p_values)
    return result


def path_of(names: tuple[str, ...], strength: Matrix, cut: float, most: int = 20) -> GraphPath:
    """The graphs of pairs that are stronger than decreasing thresholds.

    Parameters
    ----------
    names
        The variables.
    strength
        How strongly each pair of them is joined; symmetric.
    cut
        The threshold that was chosen.
    most
        How many others there are: as many as there are tied strengths fewer. Their numbers of edges
        grow from none, by a constant factor after the first, to all but one.
    """
    pairs = strength[np.triu(np.ones(strength.shape, dtype=np.bool_), 1)]
    ordered = np.sort(pairs)[::-1]
    steps = np.geomspace(1, max(len(ordered) - 1, 1), most - 1).round().astype(int)
    places = np.minimum(np.append(0, steps), len(ordered) - 1)
    chosen = float(np.clip(cut, np.nextafter(ordered[-1], -np.inf), ordered[0]))
    thresholds = np.unique(np.append(ordered[places], chosen))[::-1]
    # Packed one by one: with thousands of variables twenty graphs are gigabytes otherwise.
    bits = np.array([np.packbits(pairs > threshold) for threshold in thresholds])
    place = int(np.argmin(np.abs(thresholds - chosen)))
    return GraphPath.from_bits(names, thresholds, bits, place)


def _undirected(names: tuple[str, ...], strength: Matrix, cut: float) -> Estimate:
    """The pairs above the threshold, and above others."""
    if len(names) < 2:
        return Estimate(Graph(names))
    path = path_of(names, np.maximum(strength, strength.T), cut)
    return Estimate(path.graph(path.chosen or 0), path=path)
