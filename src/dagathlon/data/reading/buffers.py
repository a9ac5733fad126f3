"""Conversion between numeric pyarrow arrays and numpy arrays, without copying where possible.

pyarrow's own conversions import pandas where it is installed, which takes longer than reading a
small file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa


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
