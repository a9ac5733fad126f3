"""Text files of labels and codes: read by the native core where no field needs more than a look.

A column with few different fields is a number for each row and a list of the fields, whatever they
mean; what they mean is asked of the list. Files with quotation marks, measurements or rows that do
not fit are left to pyarrow's reader, which gives the same columns.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from dagathlon import _core
from dagathlon.data.text_file import TextFile

_BOM = b"\xef\xbb\xbf"
_CODES = 256


def plain_columns(
    text: TextFile,
    delimiter: str,
    skipped: int,
    types: Sequence[Any],
    missing: Collection[str],
) -> dict[int, Any] | None:
    """Columns by number in the types that they were given, ``None`` for one that is not wanted.

    Nothing is given back where a type is none of bytes and labels, or where the file is not plain
    or does not keep to the types. The first lines are `skipped`.
    """
    wanted = [j for j, kind in enumerate(types) if kind is not None]
    if len(types) < 2 or not all(
        pt.is_uint8(types[j]) or pt.is_dictionary(types[j]) for j in wanted
    ):
        return None
    body = _below(text, skipped)
    found = _core.plain_fields(body, delimiter, np.array([kind is not None for kind in types]))
    if found is None or not found[0].shape[1]:
        return None
    columns: dict[int, Any] = {}
    for j, codes, fields in zip(wanted, *found, strict=True):
        make = _bytes if pt.is_uint8(types[j]) else _labels
        column = make(codes, fields, missing)
        if column is None:
            return None
        columns[j] = pa.chunked_array([column])
    return columns


def _below(text: TextFile, lines: int) -> npt.NDArray[np.uint8]:
    """The bytes behind so many lines."""
    content: npt.NDArray[np.uint8] = (
        np.memmap(text.path, np.uint8, mode="r")
        if text.content is None
        else np.frombuffer(text.content, np.uint8)
    )
    start = len(_BOM) if bytes(content[: len(_BOM)]) == _BOM else 0
    raw = content.data
    for _ in range(lines):
        start = _line_end(raw, start)
    return content[start:]


def _line_end(raw: memoryview, start: int) -> int:
    """The place behind the line that begins at `start`."""
    step = 1 << 16
    while start < len(raw):
        at = bytes(raw[start : start + step]).find(b"\n")
        if at >= 0:
            return start + at + 1
        start += step
    return len(raw)


def _bytes(
    codes: npt.NDArray[np.uint8], fields: Sequence[str], missing: Collection[str]
) -> pa.Array | None:
    """Small whole numbers; nothing where a field is none."""
    found = _numbers_of(tuple(fields), frozenset(missing))
    if found is None:
        return None
    table, gaps = found
    numbers = np.empty_like(codes)
    _core.recode(codes, table, numbers)
    return pa.array(numbers, mask=None if gaps is None else gaps[codes])


@functools.lru_cache(maxsize=1024)
def _numbers_of(
    fields: tuple[str, ...], missing: frozenset[str]
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.bool_] | None] | None:
    """The number of each field, and which are missing, if any; wide files have the same in many."""
    table = np.zeros(_CODES, np.uint8)
    gaps = np.zeros(_CODES, bool)
    for place, field in enumerate(fields):
        if field in missing:
            gaps[place] = True
        elif not _is_byte(field):
            return None
        else:
            table[place] = int(field)
    return table, gaps if gaps.any() else None


def _is_byte(field: str) -> bool:
    plain = field.isascii() and field.isdecimal() and len(field) < 4
    return plain and int(field) < _CODES and str(int(field)) == field


def _labels(
    codes: npt.NDArray[np.uint8], fields: Sequence[str], missing: Collection[str]
) -> pa.Array:
    """Labels as they are written, with nulls for those that are missing."""
    words = pa.array([None if field in missing else field for field in fields], pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(codes), words)
