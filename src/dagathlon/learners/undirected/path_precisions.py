"""Sparse storage of the arrays estimated along a path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from dagathlon.learners.undirected.inputs import Matrix

Indices: TypeAlias = npt.NDArray[np.int64]


class PathPrecisions(Sequence[Matrix]):
    """Sequence of mostly zero arrays of one shape, stored sparsely.

    Twenty matrices of 2,000 columns would be 640 MB; an array is made dense when it is read.

    Parameters
    ----------
    shape
        Shape of each array.
    """

    def __init__(self, *shape: int) -> None:
        self._shape = shape
        self._kept: list[tuple[Indices, npt.NDArray[np.float64]]] = []

    @classmethod
    def of(cls, arrays: npt.NDArray[np.float64]) -> Self:
        """Store each of the arrays along the first axis."""
        result = cls(*arrays.shape[1:])
        for array in arrays:
            result.append(array)
        return result

    def append(self, array: npt.NDArray[np.float64]) -> None:
        """Append an array."""
        cells = array.ravel()
        places = np.flatnonzero(cells)
        self.append_entries(places, cells[places])

    def append_entries(self, places: Indices, values: npt.NDArray[np.float64]) -> None:
        """Append an array given by its non-zero entries; positions count row by row."""
        self._kept.append((places, values))

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
        result = np.zeros(self._shape)
        result.ravel()[places] = values
        return result
