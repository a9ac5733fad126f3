"""pyarrow arrays: conversion from and to numpy, narrow types, matrices in place.

pyarrow's own conversions import pandas where it is installed, which takes longer than reading a
small file.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

_BYTE = 255


def chunk_numbers(chunk: Any, gap: float) -> npt.NDArray[Any]:
    """Return a chunk of integers or doubles as a numpy array, `gap` where values are missing.

    Without missing values nothing is copied.
    """
    numbers = _numbers(chunk)
    if not chunk.null_count:
        return numbers
    if numbers.dtype.kind in "iu" and gap > np.iinfo(numbers.dtype).max:
        numbers = numbers.astype(np.int64)
    return np.where(_present(chunk), numbers, numbers.dtype.type(gap))


def column_numbers(column: Any) -> npt.NDArray[np.float64]:
    """Return a numeric column as a float array, NaN where values are missing."""
    parts = [
        np.where(_present(chunk), _numbers(chunk), np.nan) if chunk.null_count else _numbers(chunk)
        for chunk in column.chunks
    ]
    return np.concatenate([np.empty(0), *parts])


def number_array(numbers: npt.NDArray[Any], missing: npt.NDArray[np.bool_] | None = None) -> Any:
    """Return numbers as a pyarrow array, null where `missing` is set.

    Contiguous numbers are not copied.
    """
    values = np.ascontiguousarray(numbers)
    buffers = [_bitmap(missing), pa.py_buffer(values)]
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), buffers)


def text_array(texts: Sequence[str | None]) -> Any:
    """Return texts as a pyarrow array, null for None."""
    encoded = [(text or "").encode() for text in texts]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    missing = np.array([text is None for text in texts], dtype=bool)
    buffers = [pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(texts), [_bitmap(missing), *buffers])


def _bitmap(missing: npt.NDArray[np.bool_] | None) -> Any:
    if missing is None or not missing.any():
        return None
    return pa.py_buffer(np.packbits(~missing, bitorder="little"))


def _numbers(chunk: Any) -> npt.NDArray[Any]:
    dtype = np.dtype("f8" if str(chunk.type) == "double" else str(chunk.type))
    buffer = chunk.buffers()[1]
    if buffer is None or not len(chunk):
        return np.zeros(len(chunk), dtype)
    return np.frombuffer(buffer, dtype, count=len(chunk), offset=chunk.offset * dtype.itemsize)


def _present(chunk: Any) -> npt.NDArray[np.bool_]:
    bits = np.frombuffer(chunk.buffers()[0], np.uint8)
    first, last = chunk.offset, chunk.offset + len(chunk)
    return np.unpackbits(bits[first // 8 : last // 8 + 1], bitorder="little")[
        first % 8 : first % 8 + len(chunk)
    ].view(bool)


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


def narrowed(column: Any) -> Any:
    """Return a chunk with label indices, and small integers, as bytes.

    Parquet's label indices arrive in four bytes and integers mostly in eight.
    """
    kind = column.type
    if pt.is_string(kind) or pt.is_large_string(kind):
        column = column.cast(pa.string()).dictionary_encode()
    if pt.is_dictionary(column.type):
        return _narrow_labels(column)
    if pt.is_integer(kind) and not pt.is_uint8(kind) and _are_bytes(column):
        return column.cast(pa.uint8())
    return column


def with_narrow_labels(table: pa.Table) -> pa.Table:
    """Return the table with label indices as bytes, where there are few enough labels."""
    for j, (field, column) in enumerate(zip(table.schema, table.columns, strict=True)):
        if pt.is_dictionary(field.type):
            narrow = joined(list(map(_narrow_labels, column.chunks)))
            table = table.set_column(j, field.with_type(narrow.type), narrow)
    return table


def joined(parts: Sequence[Any]) -> Any:
    """Concatenate chunks of a column in the widest of their types."""
    kinds = {part.type for part in parts}
    if len(kinds) == 1:
        return pa.chunked_array(parts)
    if not pt.is_dictionary(parts[0].type):
        (wide,) = kinds - {pa.uint8()}  # what the column had before some parts were bytes
        return pa.chunked_array([part.cast(wide) for part in parts])
    return pa.chunked_array([with_indices(part, pa.int32()) for part in parts])


def _narrow_labels(column: Any) -> Any:
    return with_indices(column, pa.uint8()) if len(column.dictionary) <= _BYTE else column


def with_indices(column: Any, kind: Any) -> Any:
    """Return a chunk of labels with its indices cast to another type."""
    return pa.DictionaryArray.from_arrays(
        column.indices.cast(kind), column.dictionary, ordered=column.type.ordered
    )


def _are_bytes(column: Any) -> bool:
    import pyarrow.compute as pc  # noqa: PLC0415 - takes a while, and few need it

    bounds = pc.min_max(column).as_py()
    return bounds["min"] is None or (bounds["min"] >= 0 and bounds["max"] <= _BYTE)
