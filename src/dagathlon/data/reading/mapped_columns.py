"""Columns of an Arrow file as one matrix in place, if they are laid out as one.

An Arrow file of one batch has its columns one after the other. Where they have the right type and
no missing values, a data set can use them in place: nothing is copied, and a file larger than the
memory is paged in as needed.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow.types as pt


def as_matrix(columns: Sequence[Any], dtype: npt.DTypeLike) -> npt.NDArray[Any] | None:
    """Return the columns as a read-only matrix of their own memory; None if the layout differs."""
    kind = np.dtype(dtype)
    chunks = [_entries(column, kind) for column in columns]
    if not chunks or any(chunk is None for chunk in chunks):
        return None
    starts = [chunk.buffers()[1].address + chunk.offset * kind.itemsize for chunk in chunks]
    steps = {later - sooner for sooner, later in itertools.pairwise(starts)} or {0}
    n_rows = len(chunks[0])
    step = steps.pop()
    if steps or (len(chunks) > 1 and step < n_rows * kind.itemsize) or starts[0] % kind.itemsize:
        return None
    return np.asarray(
        _Memory(chunks, (n_rows, len(chunks)), (kind.itemsize, step), starts[0], kind)
    )


def usable_in_place(column: Any) -> bool:
    """Whether a column can be used in place: bytes or doubles without missing values."""
    return any(_entries(column, np.dtype(kind)) is not None for kind in (np.uint8, np.float64))


class _Memory:
    """Owner of memory that numpy accesses through the array interface."""

    def __init__(
        self,
        owners: Sequence[Any],
        shape: tuple[int, int],
        strides: tuple[int, int],
        start: int,
        dtype: np.dtype[Any],
    ) -> None:
        self.owners = owners
        self.__array_interface__ = {
            "shape": shape,
            "strides": strides,
            "typestr": dtype.str,
            "data": (start, True),
            "version": 3,
        }


def _entries(column: Any, kind: np.dtype[Any]) -> Any:
    """Return the only chunk of a column if it has this type and no missing values; else None."""
    if column.num_chunks != 1 or column.null_count:
        return None
    chunk = column.chunk(0)
    entries = chunk.indices if pt.is_dictionary(chunk.type) else chunk
    wanted = "double" if kind.kind == "f" else str(kind)
    fits = str(entries.type) == wanted and not entries.null_count
    return entries if fits and entries.buffers()[1] is not None else None
