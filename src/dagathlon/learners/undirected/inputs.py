"""Correlation matrices for learners of Gaussian graphical models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.errors import DataError
from dagathlon.pulse import aside, beat

Matrix: TypeAlias = npt.NDArray[np.float64]
Vector: TypeAlias = npt.NDArray[np.float64]
Relation: TypeAlias = Literal["pearson", "nonparanormal", "truncated", "kendall", "spearman"]
RANKS = ("kendall", "spearman")
"""Names of the rank correlations."""
_CHUNK = 1 << 22


@dataclass(frozen=True, eq=False)
class Moments:
    """Sufficient statistics of standardised columns.

    Parameters
    ----------
    correlation
        Correlations, positive semidefinite, with ones on the diagonal.
    scales
        Standard deviations of the unscaled columns, with the number of rows as divisor; 1 for a
        constant column, whose correlations are 0.
    n
        Number of rows.
    """

    correlation: Matrix
    scales: Vector
    n: int

    @property
    def p(self) -> int:
        """Number of columns."""
        return len(self.scales)

    def largest(self) -> float:
        """Largest absolute correlation of two columns; 0 for fewer than two."""
        return largest_off_diagonal(self.correlation)


def largest_off_diagonal(matrix: Matrix) -> float:
    """Return the largest absolute off-diagonal entry of a symmetric matrix; 0 without any."""
    largest = 0.0
    # In chunks of rows: with many columns a second matrix would not fit into memory.
    step = max(1, _CHUNK // max(len(matrix), 1))
    for first in range(0, len(matrix), step):
        rows = np.abs(matrix[first : first + step])
        np.fill_diagonal(rows[:, first:], 0.0)
        largest = max(largest, float(rows.max()))
    return largest


def moments(values: Matrix, relation: Relation = "pearson") -> Moments:
    """Return the moments of complete columns.

    Parameters
    ----------
    values
        The data, a row per observation, without missing values.
    relation
        Kind of correlation: Pearson's; that of columns transformed to normality by their ranks
        (``nonparanormal``: the distribution function shrunk by n / (n + 1), ``truncated``:
        winsorised at both ends); or ``kendall`` and ``spearman``: the Pearson correlation of
        Gaussian columns with these rank correlations, projected to the positive semidefinite
        matrices.
    """
    if len(values) < 2:
        raise DataError(f"correlations need at least 2 rows, found {len(values)}")
    scales = column_scales(values)
    if relation == "kendall":
        latent = np.sin(np.pi / 2 * kendall(values))
    elif relation == "spearman":
        latent = latent_correlation(_pearson(ranks(values)))
    else:
        return Moments(_pearson(gaussian_columns(values, relation)), scales, len(values))
    np.fill_diagonal(latent, 1.0)
    return Moments(positive_semidefinite(latent), scales, len(values))


def gaussian_columns(values: Matrix, relation: Relation) -> Matrix:
    """Return columns whose Pearson correlations are the correlations of a relation.

    For ``kendall`` and ``spearman`` these are the ranks, whose correlations agree up to a
    transformation.
    """
    if relation == "pearson":
        return values
    if relation in RANKS:
        return ranks(values)
    from scipy.special import ndtri  # noqa: PLC0415 - SciPy only when asked for

    n = len(values)
    if relation == "nonparanormal":
        normal: Matrix = ndtri(ranks(values) / (n + 1))
        return normal
    # Winsorisation of Liu, Lafferty and Wasserman 2009, which bounds the estimate's variance.
    end = 1 / (4 * n**0.25 * np.sqrt(np.pi * np.log(n)))
    cut: Matrix = ndtri(np.clip(ranks(values) / n, end, 1 - end))
    return cut


def latent_correlation(spearman: Matrix) -> Matrix:
    """Return the Pearson correlations of Gaussian columns from their rank correlations."""
    return np.asarray(2 * np.sin(np.pi / 6 * spearman))


def standardised(values: Matrix) -> Matrix:
    """Standardise columns to mean 0 and mean square 1; constant columns become 0."""
    return standardised_as(values, values)


def standardised_as(values: Matrix, others: Matrix) -> Matrix:
    """Standardise other rows of the same columns by the means and deviations of `values`."""
    constant = _constant(values)
    divisors = np.where(constant, 1.0, values.std(axis=0))
    return np.where(constant, 0.0, (others - values.mean(axis=0)) / divisors)


def ranks(values: Matrix) -> Matrix:
    """Return ranks from 1 in each column; ties share their mean rank."""
    result = np.empty(values.shape)
    for j, column in enumerate(values.T):
        _, place, counts = np.unique(column, return_inverse=True, return_counts=True)
        last = np.cumsum(counts)
        result[:, j] = (last - (counts - 1) / 2)[place.ravel()]
    return result


def kendall(values: Matrix) -> Matrix:
    """Return Kendall's tau-b of all pairs of columns; 0 with a constant column."""
    n, p = values.shape
    concordance = np.zeros((p, p))
    step = max(1, _CHUNK // max(n * p, 1))
    for first in range(0, n - 1, step):
        beat(first, n)
        rows = range(first, min(first + step, n - 1))
        signs = np.concatenate([np.sign(values[i + 1 :] - values[i]) for i in rows])
        narrow = signs.astype(np.float32)  # counts below 2**24 are exact
        concordance += narrow.T @ narrow
    untied = np.sqrt(np.diag(concordance))
    with np.errstate(invalid="ignore", divide="ignore"):
        tau = concordance / np.outer(untied, untied)
    return np.where(np.isfinite(tau), np.clip(tau, -1.0, 1.0), 0.0)


def positive_semidefinite(correlation: Matrix) -> Matrix:
    """Clip negative eigenvalues of a correlation matrix to zero and rescale its diagonal to one."""
    roots, vectors = aside(np.linalg.eigh, correlation)
    if roots.min(initial=0.0) >= 0:
        return correlation
    raised = (vectors * np.maximum(roots, 0.0)) @ vectors.T
    scale = np.sqrt(np.diag(raised))
    result: Matrix = raised / np.outer(scale, scale)
    np.fill_diagonal(result, 1.0)
    return (result + result.T) / 2


def _pearson(values: Matrix) -> Matrix:
    columns = standardised(values)
    correlation: Matrix = columns.T @ columns
    correlation /= len(columns)
    np.clip(correlation, -1.0, 1.0, out=correlation)
    np.fill_diagonal(correlation, 1.0)
    return correlation


def _constant(values: Matrix) -> npt.NDArray[np.bool_]:
    # Rounding leaves a tiny variance in a constant column.
    size = np.abs(values).max(axis=0, initial=0.0)
    return np.asarray(np.ptp(values, axis=0) <= 1e-12 * size)


def column_scales(values: Matrix) -> Vector:
    """Return standard deviations as in `Moments`."""
    return np.where(_constant(values), 1.0, values.std(axis=0))
