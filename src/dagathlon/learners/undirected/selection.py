"""Criteria for the selection of a penalty from a path."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.learners.undirected.inputs import Matrix, Vector
from dagathlon.pulse import beat

if TYPE_CHECKING:
    from dagathlon.data import Dataset

Graphs: TypeAlias = npt.NDArray[np.bool_]


def ebic(
    likelihoods: Vector, parameters: Vector, edges: Vector, size: tuple[int, int], gamma: float
) -> Vector:
    """Return the extended BIC of each estimate; the smallest is the best.

    Parameters
    ----------
    likelihoods
        Log-likelihoods of the data.
    parameters
        Numbers of free parameters.
    edges
        Numbers of edges.
    size
        Numbers of rows and of columns.
    gamma
        Weight of the number of graphs with so many edges; 0 is the ordinary criterion.
    """
    rows, columns = (float(np.log(one)) for one in size)
    return -2 * likelihoods + rows * parameters + 4 * gamma * columns * edges


def shifts(n: int, wanted: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Draw distinct row offsets for the rotation of columns, none of them the identity."""
    every = np.arange(1, n)
    return every if n - 1 <= wanted else rng.permutation(every)[:wanted]


def rotation_penalty(columns: Matrix, shifts: npt.ArrayLike) -> float:
    """Return the minimum over offsets of the largest mean product with a rotated column.

    Parameters
    ----------
    columns
        The data, a row per observation.
    shifts
        Circular offsets in rows by which one column of a pair is rotated against the other; each of
        the two in turn.
    """
    smallest = np.inf
    for shift in np.atleast_1d(np.asarray(shifts, dtype=np.int64)):
        beat()
        products = np.roll(columns, -int(shift), axis=0).T @ columns
        np.fill_diagonal(products, 0.0)
        smallest = min(smallest, float(np.abs(products).max(initial=0.0)))
    return smallest / len(columns)


def shuffled(data: Dataset, rng: np.random.Generator) -> Dataset:
    """Permute the rows of each column independently."""
    from dagathlon.data import Dataset  # noqa: PLC0415 - a cycle otherwise

    return Dataset(
        data.variables,
        codes=rng.permuted(data.codes, axis=0) if data.codes.shape[1] else None,
        values=rng.permuted(data.values, axis=0) if data.values.shape[1] else None,
    )


def with_value(penalties: Vector, value: float) -> Vector:
    """Insert a value into decreasing penalties."""
    return np.unique(np.append(penalties, value))[::-1].copy()


def subsample_size(n: int) -> int:
    """Return the subsample size of stars: ten times the root of n, four fifths of a small n."""
    return max(2, int(10 * np.sqrt(n)) if n > 144 else int(0.8 * n))


def instabilities(samples: Iterable[Graphs]) -> Vector:
    """Return, for each penalty, the mean over pairs of 4 f (1 - f), f the edge frequency.

    Parameters
    ----------
    samples
        The graphs along the path of each subsample.
    """
    number, total = 0, np.zeros((1, 1, 1))
    for graphs in samples:
        number, total = number + 1, total + graphs
    frequency = total / number
    p = frequency.shape[1]
    return np.asarray((4 * frequency * (1 - frequency)).sum(axis=(1, 2)) / (p * (p - 1)))


def stars(unstable: Vector, threshold: float) -> int:
    """Return the index of the last penalty before instability exceeds the threshold, or 0."""
    above = np.flatnonzero(unstable > threshold)
    return max(int(above[0]) - 1, 0) if len(above) else len(unstable) - 1
