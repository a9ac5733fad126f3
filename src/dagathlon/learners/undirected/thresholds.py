"""Undirected baselines: the correlation matrix, or its inverse, cut at a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.data.spec import DataKind
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.graphs.path import GraphPath
from dagathlon.learners.assumptions import LINEAR
from dagathlon.learners.base import Estimate, Learner
from dagathlon.modules import NonNegative, Probability
from dagathlon.pulse import beat

if TYPE_CHECKING:
    from dagathlon.data import Dataset

Matrix: TypeAlias = npt.NDArray[np.float64]
Vector: TypeAlias = npt.NDArray[np.float64]
_CONTINUOUS: frozenset[DataKind] = frozenset({"continuous"})
# Chunk sizes in columns and in numbers, small enough for
# intermediate arrays to stay small.
_STRIP = 256
_AT_ONCE = 1 << 20


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
        correlations, rows = _pair_correlations(data)
        if self.method == "corr":
            return _undirected(data.names, np.abs(correlations, out=correlations), self.thresh)
        p_values = _p_values(correlations, rows)
        return _undirected(data.names, np.negative(p_values, out=p_values), -self.thresh)


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
        correlation = _correlation(data)
        if np.linalg.matrix_rank(correlation, hermitian=True) < len(correlation):
            raise DataError(
                f"the correlations of {len(correlation)} variables in {len(data)} rows have no "
                "inverse: a column is a combination of others, or there are too few rows"
            )
        strength = np.abs(np.linalg.inv(correlation))
        return _undirected(
            data.names, above_diagonal(np.maximum(strength, strength.T)), self.thresh
        )


def _pair_correlations(data: Dataset) -> tuple[Vector, Vector]:
    """Return the correlations of all pairs, and the number of rows of each, or one for all.

    Rows in which one of a pair is missing are left out. A column that is constant in the rows
    of a pair has correlation 0 there.
    """
    if len(data) < 2:
        raise DataError(f"correlations need at least 2 rows, found {len(data)}")
    present = ~np.isnan(data.values)
    if present.all():
        return _core.pair_correlations(data.values), np.array([float(len(data))])
    pairs = len(data.names) * (len(data.names) - 1) // 2
    correlations, rows = np.empty(pairs), np.empty(pairs)
    weight = present.astype(np.float64)
    centred = np.where(present, data.values - _column_means(data.values, present), 0.0)
    filled = 0
    for first in range(0, len(data.names), _STRIP):
        beat(first, len(data.names))
        found, behind = _strip(centred[:, first:], weight[:, first:])
        above = ~np.tri(*found.shape, dtype=np.bool_)
        part = slice(filled, filled + int(above.sum()))
        correlations[part], rows[part] = found[above], behind[above]
        filled = part.stop
    return correlations, rows


def _strip(centred: Matrix, weight: Matrix) -> tuple[Matrix, Matrix]:
    """Return the correlations of the first columns with all, and their numbers of rows.

    Both the deviations from the mean and the weights are 0 where values are missing.
    """
    own, own_weight = centred[:, :_STRIP].T, weight[:, :_STRIP].T
    rows = own_weight @ weight
    sums, other_sums = own @ weight, own_weight @ centred
    raw, other_raw = own**2 @ weight, own_weight @ centred**2
    with np.errstate(invalid="ignore", divide="ignore"):
        products = own @ centred - sums * other_sums / rows
        squares, other_squares = raw - sums**2 / rows, other_raw - other_sums**2 / rows
        correlation = products / np.sqrt(squares * other_squares)
    # Rounding leaves a tiny variance in a constant column.
    tiny = np.finfo(float).tiny
    constant = (squares <= 1e-12 * np.maximum(raw, tiny)) | (rows < 2)
    constant |= other_squares <= 1e-12 * np.maximum(other_raw, tiny)
    return np.clip(np.where(constant, 0.0, correlation), -1.0, 1.0), rows


def _correlation(data: Dataset) -> Matrix:
    """Return the correlation matrix of complete columns."""
    matrix = np.zeros((len(data.names), len(data.names)))
    matrix[~np.tri(len(matrix), dtype=np.bool_)], _ = _pair_correlations(data)
    matrix += matrix.T
    np.fill_diagonal(matrix, 1.0)
    return matrix


def _column_means(values: Matrix, present: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    counts = np.maximum(present.sum(axis=0), 1)
    means: npt.NDArray[np.float64] = np.where(present, values, 0.0).sum(axis=0) / counts
    return means


def _p_values(correlations: Vector, rows: Vector) -> Vector:
    """Return two-sided p-values of Pearson's test of zero correlation."""
    from scipy.special import stdtr  # noqa: PLC0415 - SciPy only when asked for

    for start in range(0, len(correlations), _AT_ONCE):
        beat(start, len(correlations))
        part = slice(start, start + _AT_ONCE)
        values = correlations[part]
        freedom = np.maximum((rows if len(rows) == 1 else rows[part]) - 2, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            statistic = np.abs(values) * np.sqrt(freedom / (1 - values**2))
            p_values = 2 * stdtr(freedom, -statistic)
        correlations[part] = np.where((freedom < 1) | np.isnan(p_values), 1.0, p_values)
    return correlations


def above_diagonal(matrix: Matrix) -> Vector:
    """Return the entries of a symmetric matrix above its diagonal, row by row."""
    pairs: Vector = matrix[~np.tri(len(matrix), dtype=np.bool_)]
    return pairs


def path_of(names: tuple[str, ...], strength: Vector, cut: float, most: int = 20) -> GraphPath:
    """Return the graphs of the pairs above each of a sequence of decreasing thresholds.

    Parameters
    ----------
    names
        The variables.
    strength
        Strength of each pair, in the order of `above_diagonal`.
    cut
        The selected threshold.
    most
        Largest number of other thresholds; ties reduce it. Their numbers of edges grow from none,
        by a constant factor after the first, to all but one.
    """
    last = len(strength) - 1
    steps = np.geomspace(1, max(last, 1), most - 1).round().astype(int)
    places = last - np.minimum(np.append(0, steps), last)
    ordered = np.partition(strength, np.unique(places))
    chosen = float(np.clip(cut, np.nextafter(ordered[0], -np.inf), ordered[last]))
    thresholds = np.unique(np.append(ordered[places], chosen))[::-1]
    del ordered  # thousands of variables have millions of pairs
    # Packed one by one: twenty graphs are gigabytes otherwise.
    bits = np.empty((len(thresholds), -(-len(strength) // 8)), dtype=np.uint8)
    for k, threshold in enumerate(thresholds):
        beat(k, len(thresholds))
        bits[k] = np.packbits(strength > threshold)
    place = int(np.argmin(np.abs(thresholds - chosen)))
    return GraphPath.from_bits(names, thresholds, bits, place)


def _undirected(names: tuple[str, ...], strength: Vector, cut: float) -> Estimate:
    """Return the graph of the pairs above the threshold, with the path of other thresholds."""
    if len(names) < 2:
        return Estimate(Graph(names))
    path = path_of(names, strength, cut)
    return Estimate(path.graph(path.chosen or 0), path=path)
