"""Penalised cubic regression splines: one basis for each variable, and their products.

A basis is rotated and scaled so that its columns are orthonormal over the rows and its penalty is
diagonal (Demmler and Reinsch). The products of all bases are computed once: the cost of an additive
model of any variable on any others is then independent of the number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.pulse import beat

Matrix: TypeAlias = npt.NDArray[np.float64]
Vector: TypeAlias = npt.NDArray[np.float64]

# With fewer functions than a cubic polynomial has, the basis is a straight line.
FEWEST_SPLINES = 5
# Rows required per coefficient.
_ROWS_PER_COEFFICIENT = 3
# The knots reach beyond the data by this share of their range, as in mgcv.
_MARGIN = 0.001
# Directions with less information than this are set to 0 by the penalty.
_UNSEEN = 1e-9


def fitting_splines(wanted: int, rows: int, parents: int) -> int:
    """Return the size of a basis, reduced for many parents and few rows; 2 is a line."""
    possible = rows // (_ROWS_PER_COEFFICIENT * max(1, parents))
    functions = min(wanted, possible)
    return functions if functions >= FEWEST_SPLINES else 2


def spline_basis(values: Vector, functions: int) -> Matrix:
    """Cubic B-splines with equally spaced knots, a column for each.

    Parameters
    ----------
    values
        Where to evaluate them; the knots span their range.
    functions
        Number of columns, at least 4.
    """
    low, high = float(values.min()), float(values.max())
    margin = _MARGIN * (high - low)
    step = (high - low + 2 * margin) / (functions - 3)
    place = (values - low + margin) / step
    cell = np.clip(place.astype(np.int64), 0, functions - 4)
    t = place - cell
    pieces = (
        (1 - t) ** 3,
        3 * t**3 - 6 * t**2 + 4,
        -3 * t**3 + 3 * t**2 + 3 * t + 1,
        t**3,
    )
    basis = np.zeros((len(values), functions))
    rows = np.arange(len(values))
    for shift, piece in enumerate(pieces):
        basis[rows, cell + shift] = piece / 6
    return basis


@dataclass(frozen=True)
class Smooth:
    """Basis of the smooth functions of one variable, without the constant.

    Parameters
    ----------
    columns
        Orthonormal over the rows, each of mean 0.
    penalty
        The penalty of each column: its share of the integrated squared second difference; 0 for
        the straight line.
    """

    columns: Matrix
    penalty: Vector

    @classmethod
    def of(cls, values: Vector, functions: int) -> Smooth:
        """Make the basis for varying values; a straight line for 2 functions."""
        if functions < FEWEST_SPLINES:
            line = values - values.mean()
            return cls((line / np.linalg.norm(line))[:, None], np.zeros(1))
        # Remove the constant: one column fewer spans the same remaining functions.
        basis = spline_basis(values, functions)[:, :-1]
        basis -= basis.mean(axis=0)
        differences = np.diff(np.eye(functions), 2, axis=0)[:, :-1]
        return cls._rotated(basis, differences.T @ differences)

    @classmethod
    def _rotated(cls, basis: Matrix, penalty: Matrix) -> Smooth:
        products = basis.T @ basis
        # Empty intervals between knots make `products` singular; with the penalty it is regular.
        weight = np.trace(products) / np.trace(penalty)
        factor = np.linalg.cholesky(products + weight * penalty)
        inner = np.linalg.solve(factor, np.linalg.solve(factor, weight * penalty).T)
        shares, turn = np.linalg.eigh((inner + inner.T) / 2)
        seen = shares < 1 - _UNSEEN
        shares, turn = np.clip(shares[seen], 0.0, None), turn[:, seen]
        shares[shares < _UNSEEN] = 0.0
        rotated = basis @ np.linalg.solve(factor.T, turn) / np.sqrt(1 - shares)
        return cls(rotated, shares / (1 - shares))


class SplineProducts:
    """Bases of all variables and their products, which suffice for additive models.

    Parameters
    ----------
    values
        A column for each variable; none is constant.
    functions
        Functions of each basis, from `fitting_splines`.
    """

    def __init__(self, values: Matrix, functions: int) -> None:
        self.rows, self.size = values.shape
        self.targets = values - values.mean(axis=0)
        smooths = []
        for j in range(self.size):
            beat(j, self.size)
            smooths.append(Smooth.of(values[:, j], functions))
        ends = np.cumsum([0, *(len(one.penalty) for one in smooths)])
        self.blocks = [slice(int(a), int(b)) for a, b in pairwise(ends)]
        self.penalty = np.concatenate([one.penalty for one in smooths])
        self.columns = np.concatenate([one.columns for one in smooths], axis=1)

    @cached_property
    def products(self) -> Matrix:
        """Products of all columns of all bases."""
        result: Matrix = self.columns.T @ self.columns
        return result

    @cached_property
    def with_targets(self) -> Matrix:
        """Products of the columns of all bases, one per row, with all variables."""
        result: Matrix = self.columns.T @ self.targets
        return result

    @cached_property
    def squares(self) -> Vector:
        """Sums of squares of the variables."""
        result: Vector = (self.targets**2).sum(axis=0)
        return result

    def positions(self, parents: list[int]) -> npt.NDArray[np.int64]:
        """Return the column numbers of the bases of some variables."""
        ranges = [np.arange(self.blocks[j].start, self.blocks[j].stop) for j in parents]
        return np.concatenate(ranges)


def positive_inverse(matrix: Matrix) -> Matrix:
    """Return the inverse of a positive definite matrix; the pseudo-inverse of a singular one."""
    from scipy.linalg.lapack import dpotrf, dpotri  # noqa: PLC0415 - SciPy only when asked for

    factor, failed = dpotrf(matrix, lower=1)
    if failed:
        return np.asarray(np.linalg.pinv(matrix, hermitian=True), dtype=np.float64)
    half, _ = dpotri(factor, lower=1)
    result: Matrix = np.tril(half) + np.tril(half, -1).T
    return result
