"""Edge directions from independent changes: a cause and its mechanism change independently.

For each condition the distribution of the cause, and of the effect given the cause, is a point of a
reproducing kernel Hilbert space; the dependence between these two series of points is measured by
the normalised Hilbert-Schmidt independence criterion (Huang et al. 2020). In the wrong direction
both have to change together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from dagathlon.data import Dataset
from dagathlon.learners.constraint.conditions import Labels
from dagathlon.pulse import beat

Matrix = npt.NDArray[np.float64]

LEAST_CONDITIONS = 3
"""Smallest number of conditions: with two, the changes are always dependent."""
# Kernels hold rows by rows; the distributions given a cause are compared at some of them.
_MOST_ROWS = 1000
_MOST_CONDITIONS = 250
_COMMON_ROWS = 200
_RIDGE = 1e-2


@dataclass(frozen=True)
class Changes:
    """Kernel measure of how distributions change between conditions.

    Parameters
    ----------
    data
        The variables, without missing values.
    labels
        The condition of each row, from 0.
    """

    data: Dataset
    labels: Labels

    def dependence(self, cause: Sequence[str], effect: str, own: Sequence[str]) -> float:
        """Return the dependence between the changes of a cause and those of its effect given it.

        Parameters
        ----------
        cause
            The cause, and further parents of the effect.
        effect
            The effect.
        own
            Parents of the cause.
        """
        first = self._centred(cause[0], own)
        second = self._centred(effect, cause)
        size = float(np.trace(first) * np.trace(second))
        return float(np.sum(first * second)) / size if size > 0 else 1.0

    def _centred(self, variable: str, parents: Sequence[str]) -> Matrix:
        """Return the centred Gram matrix of the conditional distributions, one per condition."""
        outcome = self._kernel([variable])
        blocks = self._blocks
        sizes = [block.stop - block.start for block in blocks]
        weights = [np.full((1, size), 1 / size) for size in sizes]
        if parents:
            given = self._kernel(parents)
            common = slice(None, None, max(1, len(given) // _COMMON_ROWS))
            weights = [_regression(given[block, block], given[block, common]) for block in blocks]
        k = len(blocks)
        products = np.empty((k, k))
        for a in range(k):
            beat(a, k)
            for b in range(k):
                between = weights[a] @ outcome[blocks[a], blocks[b]]
                products[a, b] = np.mean(np.sum(between * weights[b], axis=1))
        centring = np.eye(k) - 1 / k
        return centring @ products @ centring

    @cached_property
    def _rows(self) -> list[npt.NDArray[np.intp]]:
        """Row numbers of each condition; evenly spaced subsets of many rows or conditions."""
        conditions = np.unique(self.labels)
        conditions = conditions[:: -(-len(conditions) // _MOST_CONDITIONS)]
        rows_of = [np.flatnonzero(self.labels == c) for c in conditions]
        most = _MOST_ROWS // len(rows_of)
        return [rows[:: -(-len(rows) // most)] for rows in rows_of]

    @cached_property
    def _blocks(self) -> list[slice]:
        """Slice of each condition's rows in a kernel matrix."""
        ends = np.cumsum([0, *(len(rows) for rows in self._rows)]).tolist()
        return [slice(start, stop) for start, stop in pairwise(ends)]

    def _kernel(self, names: Sequence[str]) -> Matrix:
        """Return the product kernel: Gaussian for continuous, equality for discrete columns."""
        rows = np.concatenate(self._rows)
        result = np.ones((len(rows), len(rows)))
        for name in names:
            column, discrete = self._column(name)
            distance = np.abs(column[rows][:, None] - column[rows][None, :])
            if discrete:
                result *= distance == 0
            else:
                width = float(np.median(distance)) or 1.0
                result *= np.exp(-0.5 * (distance / width) ** 2)
        return result

    def _column(self, name: str) -> tuple[Matrix, bool]:
        same = [v for v in self.data.variables if v.is_discrete == self._is_discrete(name)]
        place = [v.name for v in same].index(name)
        if self._is_discrete(name):
            return self.data.codes[:, place].astype(np.float64), True
        return self.data.values[:, place], False

    def _is_discrete(self, name: str) -> bool:
        return self.data.variables[self.data.index[name]].is_discrete


def _regression(own: Matrix, other: Matrix) -> Matrix:
    """Return the weights of the rows in the kernel regression at each of some other rows."""
    ridge = _RIDGE * len(own) * np.eye(len(own))
    return np.linalg.solve(own + ridge, other).T.astype(np.float64)
