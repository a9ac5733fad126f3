"""The precision matrices along a path, kept without their zeros."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, overload

import numpy as np
import numpy.typing as npt

from dagathlon.learners.undirected.inputs import Matrix

Indices: TypeAlias = npt.NDArray[np.int64]


class PathPrecisions(Sequence[Matrix]):
    """Matrices of one size, most of whose entries are zero.

    Twenty of 2,000 columns would be 640 MB; what is asked for is made on the way.

    Parameters
    ----------
    p
        Number of rows and of columns of each.
    """

    def __init__(self, p: int) -> None:
        self._p = p
        self._kept: list[tuple[Indices, npt.NDArray[np.float64]]] = []

    def append(self, matrix: Matrix) -> None:
        """Keep one more."""
        cells = matrix.ravel()
        places = np.flatnonzero(cells)
        self._kept.append((places, cells[places]))

    def __len__(self) -> int:
        return len(self._kept)

    @overload
    def __getitem__(self, index: int) -> Matrix: ...
    @overload
    def __getitem__(self, index: slice) -> list[Matrix]: ...
    def __getitem__(self, index: int | slice) -> Matrix | list[Matrix]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        places, values = self._kept[index]
        result = np.zeros(self._p * self._p)
        result[places] = values
        return result.reshape(self._p, self._p)
