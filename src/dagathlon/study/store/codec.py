"""Encoding of results: a JSON header and raw arrays, which are read without copying.

A container is the magic, the length of the header, the header, and the arrays, each starting at a
multiple of 64 bytes. The header names the type, which says how to rebuild the object: one of our
own, or one that loaded code has declared. Nothing is ever unpickled or imported because a file
says so, and a header that promises other bytes than follow it is refused, so that results of
strangers can be read, and results outlive the versions that wrote them. Everything but data sets
is compressed; data sets stay raw so that workers map them into memory.
"""

from __future__ import annotations

import json
import math
import struct
import zlib
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.data.reading.unpacking import most_unpacked, unpacked
from dagathlon.data.storable import name_of, stored_class
from dagathlon.errors import DagathlonError, storable_text
from dagathlon.study.store.formats import FORMATS, Parts

Bytes: TypeAlias = bytes | memoryview

MAGIC = b"DGTHLON\x01"
_ALIGNMENT = 64
_LEVEL = 6
_PREFIX = struct.Struct("<8sQ")
_STORED_KINDS = "biufSU"
# Whatever a header says, rebuilding fails in one of these ways.
_REFUSALS = (
    ArithmeticError,
    AttributeError,
    DagathlonError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)


class CodecError(DagathlonError):
    """Bytes that do not encode a result, or a result that cannot be encoded."""


class UndeclaredTypeError(CodecError):
    """A stored result of a type that no loaded module has declared as storable."""


def can_store(value: object) -> bool:
    """Whether a value's type has an encoding."""
    ours = isinstance(value, tuple(known.type for known in FORMATS.values()))
    return ours or stored_class(name_of(type(value))) is type(value)


def encode(value: object) -> list[Bytes]:
    """Encode a result, as pieces to be written in order."""
    name, parts, raw = _taken_apart(value)
    pieces = _container(name, parts)
    if raw:
        return pieces
    plain = b"".join(pieces)
    if len(plain) > most_unpacked():
        raise CodecError(f"a result of {len(plain):,} bytes is too large to be read again")
    packed = zlib.compress(plain, _LEVEL)
    return [packed if len(packed) < len(plain) else plain]


def decode(stored: Bytes) -> Any:
    """Decode a result; arrays of an uncompressed container are views of `stored`."""
    view = memoryview(stored)
    try:
        if bytes(view[: len(MAGIC)]) != MAGIC:
            view = memoryview(unpacked(view))
        name, parts = _opened(view)
        return _put_together(name, parts)
    except CodecError:
        raise
    except _REFUSALS as error:
        raise CodecError(f"not a stored result ({error})") from error


def _written(content: Any) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()


def _storable(content: Any) -> Any:
    """Return the content with all texts passed through `storable_text`."""
    if isinstance(content, str):
        return storable_text(content)
    if isinstance(content, Mapping):
        return {_storable(key): _storable(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_storable(each) for each in content]
    return content


def _container(name: str, parts: Parts) -> list[Bytes]:
    arrays = {key: _contiguous(array) for key, array in parts.arrays.items()}
    fields: list[list[Any]] = []
    offset = 0
    for key, array in arrays.items():
        order = "C" if array.flags.c_contiguous else "F"
        fields.append([key, array.dtype.str, list(array.shape), order, offset])
        offset += _padded(array.nbytes)
    header = _written([name, parts.meta, fields])
    if b"\\ud" in header:  # half of a pair, perhaps, which UTF-8 does not have
        header = _written([name, _storable(parts.meta), fields])
    header += b" " * (-(_PREFIX.size + len(header)) % _ALIGNMENT)
    pieces: list[Bytes] = [_PREFIX.pack(MAGIC, len(header)) + header]
    for array in arrays.values():
        pieces.append(array.reshape(-1, order="A").view(np.uint8).data)
        pieces.append(bytes(-array.nbytes % _ALIGNMENT))
    return pieces


def _padded(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _contiguous(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if array.dtype.kind not in _STORED_KINDS:
        raise CodecError(f"an array of type {array.dtype} cannot be stored")
    flags = array.flags
    return array if flags.c_contiguous or flags.f_contiguous else np.asfortranarray(array)


def _opened(view: memoryview) -> tuple[str, Parts]:
    magic, length = _PREFIX.unpack_from(view)
    if magic != MAGIC:
        raise ValueError("it does not begin with the magic number")
    start = _PREFIX.size + length
    if start > len(view):
        raise ValueError("its header is not all there")
    name, meta, fields = json.loads(bytes(view[_PREFIX.size : start]))
    arrays: dict[str, npt.NDArray[Any]] = {}
    end = start
    for key, *field in fields:
        if not isinstance(key, str) or key in arrays:
            raise ValueError(f"an array has the name {key!r}")
        arrays[key] = _array(view, field, start, end)
        end += _padded(arrays[key].nbytes)
    if end != len(view):
        raise ValueError(f"it has {len(view):,} bytes, and its header describes {end:,}")
    return name, Parts(meta, arrays)


def _array(view: memoryview, field: list[Any], start: int, place: int) -> npt.NDArray[Any]:
    """Return the array of a header field, whose bytes must begin at `place`."""
    text, shape, order, offset = field
    if not isinstance(text, str) or np.dtype(text).kind not in _STORED_KINDS:
        raise ValueError(f"an array is of type {text!r}")
    if not all(type(extent) is int and extent >= 0 for extent in shape) or order not in ("C", "F"):
        raise ValueError(f"an array has the shape {shape!r} in the order {order!r}")
    if type(offset) is not int or start + offset != place:
        raise ValueError(f"an array begins at {offset!r}")
    count = math.prod(shape)
    if count * np.dtype(text).itemsize > len(view) - place:
        raise ValueError(f"an array of {count:,} numbers is not all there")
    array = np.frombuffer(view, text, count, place).reshape(shape, order=order)
    array.flags.writeable = False
    return array


def _taken_apart(value: object) -> tuple[str, Parts, bool]:
    for name, known in FORMATS.items():
        if type(value) is known.type:
            return name, known.take_apart(value), known.raw
    name = name_of(type(value))
    cls = stored_class(name)
    if cls is type(value):
        return name, Parts(*cls.to_parts(value)), False
    raise CodecError(f"a result of type {type(value).__name__} cannot be stored")


def _put_together(name: Any, parts: Parts) -> Any:
    if not isinstance(name, str):
        raise ValueError(f"its type is {name!r}")
    if name in FORMATS:
        return FORMATS[name].put_together(parts)
    cls = stored_class(name)
    if cls is None:
        raise UndeclaredTypeError(
            f"the type {name} of a stored result is neither one of ours nor declared as storable "
            "by a module that is loaded"
        )
    return cls.from_parts(parts.meta, parts.arrays)
