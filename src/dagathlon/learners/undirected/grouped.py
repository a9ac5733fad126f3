"""Design matrices for regressions on variables of any kind, and held-out likelihoods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.learners.undirected.inputs import Matrix, Vector, standardised_as
from dagathlon.pulse import beat

if TYPE_CHECKING:
    from dagathlon.data import Dataset


@dataclass(frozen=True, eq=False)
class Coding:
    """Coding of a variable as numeric columns, learned from some rows and applied to any.

    Parameters
    ----------
    levels
        Codes that occur, for a discrete variable; empty for a continuous one.
    means
        Frequencies of these levels.
    scale
        Root of the sum of the variances of their indicators; 1 for a continuous variable.
    seen
        The rows from which it was learned.
    """

    levels: npt.NDArray[np.integer]
    means: Vector
    scale: float
    seen: npt.NDArray[np.generic]

    @classmethod
    def of(cls, column: npt.NDArray[np.generic], *, discrete: bool) -> Coding:
        """Learn the coding of a column."""
        if not discrete:
            return cls(np.empty(0, dtype=np.int64), np.empty(0), 1.0, column)
        levels, counts = np.unique(column, return_counts=True)
        means = counts / len(column)
        return cls(levels, means, float(np.sqrt(np.sum(means * (1 - means)))), column)

    def columns(self, rows: npt.NDArray[np.generic]) -> Matrix:
        """Return the centred and scaled columns of a variable; no column if it was constant."""
        if self.levels.size:
            indicators = (rows[:, None] == self.levels[None, :]) - self.means
            return np.asarray(indicators @ contrasts(len(self.levels))) / self.scale
        values = standardised_as(self.seen[:, None], rows[:, None])  # type: ignore[arg-type]
        return values if np.ptp(values) else values[:, :0]

    def places(self, rows: npt.NDArray[np.generic]) -> npt.NDArray[np.uint32]:
        """Return the index of each row's level among those seen; unseen levels get their number."""
        if not self.levels.size:
            return np.zeros(len(rows), dtype=np.uint32)
        position = np.searchsorted(self.levels, rows)
        place = np.minimum(position, len(self.levels) - 1)
        known = self.levels[place] == rows
        return np.where(known, place, len(self.levels)).astype(np.uint32)


def contrasts(levels: int) -> Matrix:
    """Return orthonormal contrasts: columns that sum to zero, one fewer than levels."""
    rows = [[_core.contrast(level, c) for c in range(levels - 1)] for level in range(levels)]
    return np.array(rows, dtype=np.float64).reshape(levels, max(levels - 1, 0))


@dataclass(frozen=True, eq=False)
class Design:
    """Design matrix: all variables of some rows as columns.

    Parameters
    ----------
    codings
        How each variable became columns.
    columns
        The columns of all variables.
    starts
        First column of each variable, and the total number of columns.
    places
        Levels of the discrete variables.
    """

    codings: tuple[Coding, ...]
    columns: Matrix
    starts: npt.NDArray[np.int64]
    places: npt.NDArray[np.uint32]

    def largest(self) -> float:
        """Return the largest norm of the mean products of two variables' columns."""
        squares = (self.columns.T @ self.columns / len(self.columns)) ** 2
        filled = np.flatnonzero(np.diff(self.starts))
        if len(filled) < 2:
            return 0.0
        begins = self.starts[filled]
        sums = np.add.reduceat(np.add.reduceat(squares, begins, axis=0), begins, axis=1)
        np.fill_diagonal(sums, 0.0)
        return float(np.sqrt(sums.max()))

    def native(self) -> _core.GroupedData:
        """Return the native form for the solver."""
        return _core.GroupedData(
            columns=self.columns,
            starts=self.starts.tolist(),
            codes=self.places,
            levels=[len(coding.levels) for coding in self.codings],
            scales=[coding.scale for coding in self.codings],
        )


def design_of(data: Dataset, like: Design | None = None) -> Design:
    """Return the design matrix of a data set, coded by its own rows or like another design."""
    pairs = [(data.column(one.name), one.is_discrete) for one in data.variables]
    codings = (
        tuple(Coding.of(column, discrete=discrete) for column, discrete in pairs)
        if like is None
        else like.codings
    )
    rows = [column for column, _ in pairs]
    blocks = [coding.columns(one) for coding, one in zip(codings, rows, strict=True)]
    if like is not None:  # a variable without columns in the other design has none here
        widths = np.diff(like.starts)
        blocks = [block[:, :width] for block, width in zip(blocks, widths, strict=True)]
    places = [coding.places(one) for coding, one in zip(codings, rows, strict=True)]
    return Design(
        codings,
        np.asfortranarray(np.hstack(blocks)),
        np.cumsum([0, *(block.shape[1] for block in blocks)]),
        np.asfortranarray(np.column_stack(places)),
    )


def held_out_likelihood(path: _core.GroupPath, k: int, train: Design, test: Design) -> float:
    """Mean log likelihood of a row of `test`, summed over targets, at the k-th penalty.

    A level that does not occur in the rows of the fit is no evidence about a penalty and
    contributes 0.
    """
    if not np.isfinite(path.log_likelihood(k)):
        return -np.inf
    total = 0.0
    for j, coding in enumerate(train.codings):
        beat()
        if train.starts[j] == train.starts[j + 1]:
            continue
        weights = _weights(path, k, j, train)
        seen = test.columns @ weights + path.intercept(k, j)
        if coding.levels.size:
            total += _discrete_likelihood(seen, test.places[:, j], len(coding.levels))
            continue
        fitted = train.columns @ weights + path.intercept(k, j)
        column = slice(train.starts[j], train.starts[j + 1])
        variance = max(float(np.mean((train.columns[:, column] - fitted) ** 2)), 1e-10)
        square = float(np.mean((test.columns[:, column] - seen) ** 2))
        total -= (np.log(2 * np.pi * variance) + square / variance) / 2
    return total


def _weights(path: _core.GroupPath, k: int, target: int, design: Design) -> Matrix:
    weights = np.zeros((design.columns.shape[1], len(path.intercept(k, target))))
    for g in np.flatnonzero(path.predictors(k)[target]):
        weights[design.starts[g] : design.starts[g + 1]] = path.weights(k, target, int(g))
    return weights


def _discrete_likelihood(seen: Matrix, places: npt.NDArray[np.uint32], levels: int) -> float:
    scores = seen @ contrasts(levels).T
    scores -= scores.max(axis=1, keepdims=True)
    logarithms = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    known = places < levels
    return float(logarithms[known, places[known]].sum() / len(places))
