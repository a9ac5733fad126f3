"""Results as bytes: a header in JSON and raw arrays, readable without copying them.

A container is the magic, the length of the header, the header, and the arrays, each starting at a
multiple of 64 bytes. The header names the type, which says how to rebuild the object; nothing is
ever unpickled, so results outlive the versions that wrote them. Everything but data sets is
compressed; data sets stay raw so that workers map them into memory.
"""

from __future__ import annotations

import importlib
import json
import struct
import zlib
from typing import Any, Protocol, Self, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from dagathlon.errors import DagathlonError
from dagathlon.study.store.formats import FORMATS, Arrays, Parts

Bytes: TypeAlias = bytes | memoryview

MAGIC = b"DGTHLON\x01"
_ALIGNMENT = 64
_LEVEL = 6
_PREFIX = struct.Struct("<8sQ")


class CodecError(DagathlonError):
    """Bytes that are no result, or a result that cannot be written."""


@runtime_checkable
class Storable(Protocol):
    """Any object that takes itself apart, such as a model: it needs no entry in this file."""

    def to_parts(self) -> tuple[Any, Arrays]:
        """A JSON value and named arrays that say all."""

    @classmethod
    def from_parts(cls, meta: Any, arrays: Arrays) -> Self:
        """The object again; the arrays are read-only and may be mapped from a file."""


def can_store(value: object) -> bool:
    """Whether there is a stored form for the value."""
    return isinstance(value, (Storable, *(known.type for known in FORMATS.values())))


def encode(value: object) -> list[Bytes]:
    """The stored form of a result, as pieces to be written one after another."""
    name, parts, raw = _taken_apart(value)
    pieces = _container(name, parts)
    if raw:
        return pieces
    plain = b"".join(pieces)
    packed = zlib.compress(plain, _LEVEL)
    return [packed if len(packed) < len(plain) else plain]


def decode(stored: Bytes) -> Any:
    """The result again. Arrays of an uncompressed container are views of `stored`."""
    view = memoryview(stored)
    try:
        if bytes(view[: len(MAGIC)]) != MAGIC:
            view = memoryview(zlib.decompress(view))
        name, parts = _opened(view)
        return _put_together(name, parts)
    except (zlib.error, struct.error, ValueError, KeyError, TypeError, IndexError) as error:
        raise CodecError(f"not a stored result ({error})") from error


def _container(name: str, parts: Parts) -> list[Bytes]:
    arrays = {key: _contiguous(array) for key, array in parts.arrays.items()}
    fields: list[list[Any]] = []
    offset = 0
    for key, array in arrays.items():
        order = "C" if array.flags.c_contiguous else "F"
        fields.append([key, array.dtype.str, list(array.shape), order, offset])
        offset += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
    header = json.dumps([name, parts.meta, fields], sort_keys=True, separators=(",", ":")).encode()
    header += b" " * (-(_PREFIX.size + len(header)) % _ALIGNMENT)
    pieces: list[Bytes] = [_PREFIX.pack(MAGIC, len(header)) + header]
    for array in arrays.values():
        pieces.append(array.reshape(-1, order="A").view(np.uint8).data)
        pieces.append(bytes(-array.nbytes % _ALIGNMENT))
    return pieces


def _contiguous(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if array.dtype.kind not in "biufSU":
        raise CodecError(f"an array of type {array.dtype} cannot be stored")
    flags = array.flags
    return array if flags.c_contiguous or flags.f_contiguous else np.asfortranarray(array)


def _opened(view: memoryview) -> tuple[str, Parts]:
    magic, length = _PREFIX.unpack_from(view)
    if magic != MAGIC:
        raise ValueError("it does not begin with the magic number")
    start = _PREFIX.size + length
    name, meta, fields = json.loads(bytes(view[_PREFIX.size : start]))
    arrays = {}
    for key, dtype, shape, order, offset in fields:
        flat = np.frombuffer(view, dtype, int(np.prod(shape)), start + offset)
        array = flat.reshape(shape, order=order)
        array.flags.writeable = False
        arrays[key] = array
    return name, Parts(meta, arrays)


def _taken_apart(value: object) -> tuple[str, Parts, bool]:
    for name, known in FORMATS.items():
        if type(value) is known.type:
            return name, known.take_apart(value), known.raw
    if isinstance(value, Storable):
        cls = type(value)
        return f"{cls.__module__}:{cls.__qualname__}", Parts(*value.to_parts()), False
    raise CodecError(f"a result of type {type(value).__name__} cannot be stored")


def _put_together(name: str, parts: Parts) -> Any:
    if name in FORMATS:
        return FORMATS[name].put_together(parts)
    module, _, path = name.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise CodecError(f"the type {name} of a stored result is gone ({error})") from error
    if not (isinstance(found, type) and issubclass(found, Storable)):
        raise CodecError(f"{name} is not a type that can be stored")
    return found.from_parts(parts.meta, parts.arrays)
