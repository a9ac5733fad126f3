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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from dagathlon.data.dataset import Dataset
from dagathlon.data.regimes import Regimes
from dagathlon.data.variable import Variable
from dagathlon.errors import DagathlonError
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate

Arrays: TypeAlias = Mapping[str, npt.NDArray[Any]]
Bytes: TypeAlias = bytes | memoryview

MAGIC = b"DGTHLON\x01"
_ALIGNMENT = 64
_LEVEL = 6
_PREFIX = struct.Struct("<8sQ")


class CodecError(DagathlonError):
    """Bytes that are no result, or a result that cannot be written."""


class Parts(NamedTuple):
    """An object taken apart: a JSON value and named arrays."""

    meta: Any
    arrays: Arrays


@runtime_checkable
class Storable(Protocol):
    """Any object that takes itself apart, such as a model: it needs no entry in this file."""

    def to_parts(self) -> tuple[Any, Arrays]:
        """A JSON value and named arrays that say all."""

    @classmethod
    def from_parts(cls, meta: Any, arrays: Arrays) -> Self:
        """The object again; the arrays are read-only and may be mapped from a file."""


@dataclass(frozen=True)
class _Format:
    """How one of our own types is taken apart and put together."""

    type: type
    take_apart: Callable[[Any], Parts]
    put_together: Callable[[Parts], Any]
    raw: bool = False


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
    for name, known in _FORMATS.items():
        if type(value) is known.type:
            return name, known.take_apart(value), known.raw
    if isinstance(value, Storable):
        cls = type(value)
        return f"{cls.__module__}:{cls.__qualname__}", Parts(*value.to_parts()), False
    raise CodecError(f"a result of type {type(value).__name__} cannot be stored")


def _put_together(name: str, parts: Parts) -> Any:
    if name in _FORMATS:
        return _FORMATS[name].put_together(parts)
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


def _graph_parts(graph: Graph) -> Parts:
    return Parts(graph.names, {"marks": graph.marks})


def _graph(parts: Parts) -> Graph:
    return Graph(parts.meta, parts.arrays["marks"])


def _estimate_parts(estimate: Estimate) -> Parts:
    stats = {name: _plain(value) for name, value in estimate.stats.items()}
    return Parts([estimate.graph.names, stats], {"marks": estimate.graph.marks})


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _estimate(parts: Parts) -> Estimate:
    names, stats = parts.meta
    return Estimate(Graph(names, parts.arrays["marks"]), stats)


def _dataset_parts(data: Dataset) -> Parts:
    variables = [[variable.name, variable.levels] for variable in data.variables]
    arrays: dict[str, npt.NDArray[Any]] = {"codes": data.codes, "values": data.values}
    targets: Sequence[list[str]] | None = None
    if data.regimes is not None:
        targets = [sorted(target) for target in data.regimes.targets]
        arrays["regime"] = data.regimes.rows
    return Parts([variables, targets], arrays)


def _dataset(parts: Parts) -> Dataset:
    described, targets = parts.meta
    variables = tuple(
        Variable(name, None if levels is None else tuple(levels)) for name, levels in described
    )
    regimes = None
    if targets is not None:
        regimes = Regimes(tuple(map(frozenset, targets)), parts.arrays["regime"])
    # The bytes are known by their hash to be those of a data set that was checked when it was
    # made, and checking every value again would cost each worker a pass over the file.
    return Dataset._of(variables, parts.arrays["codes"], parts.arrays["values"], regimes)


def _json_parts(value: Any) -> Parts:
    return Parts(value, {})


def _json(parts: Parts) -> Any:
    return parts.meta


_FORMATS: Mapping[str, _Format] = {
    "graph": _Format(Graph, _graph_parts, _graph),
    "estimate": _Format(Estimate, _estimate_parts, _estimate),
    "dataset": _Format(Dataset, _dataset_parts, _dataset, raw=True),
    "row": _Format(dict, _json_parts, _json),
    "rows": _Format(list, _json_parts, _json),
}
