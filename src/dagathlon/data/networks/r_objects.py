"""Reader of R's serialisation format (written by ``saveRDS``): XDR, versions 2 and 3."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from dagathlon.data.networks.limits import MAX_CELLS, MAX_DEPTH
from dagathlon.errors import DataError


@dataclass
class RVector:
    """An R vector: numbers as an array, strings and lists as a Python list, with attributes."""

    kind: str
    values: npt.NDArray[Any] | list[Any]
    attributes: dict[str, Any] = field(default_factory=dict)

    def names(self) -> list[str]:
        """The names attribute, or an empty list."""
        names = self.attributes.get("names")
        return (
            list(names.values) if isinstance(names, RVector) and names.kind == "character" else []
        )


@dataclass(frozen=True)
class RSymbol:
    """R symbol: a name in R code."""

    name: str


@dataclass(frozen=True)
class ROther:
    """R object whose content is ignored: a function, an environment, a pointer."""

    kind: str


@dataclass
class RPairs:
    """R pairlist or call: (tag, value) in order."""

    items: list[tuple[str, Any]]


NULL = ROther("NULL")

# Type codes in the format's flag word that mean one fixed object.
_CONSTANTS = {
    0: NULL,
    254: NULL,
    253: ROther("global environment"),
    252: ROther("unbound value"),
    251: ROther("missing argument"),
    250: ROther("base namespace"),
    242: ROther("empty environment"),
    241: ROther("base environment"),
}
_REFERENCE, _ALTREP, _SYMBOL, _CHARACTERS = 255, 238, 1, 9
_NUMBERS: dict[int, tuple[str, str]] = {
    10: ("logical", ">i4"),
    13: ("integer", ">i4"),
    14: ("double", ">f8"),
    15: ("complex", ">c16"),
    24: ("raw", ">u1"),
}
_PAIRS = {2: "pairlist", 3: "closure", 5: "promise", 6: "language", 17: "dots"}
_LISTS = {19: "list", 20: "expression"}
_STRINGS = 16
# In byte code: a call or list, with or without attributes, or a repeated one.
_CODE_CELLS = {2, 6, 239, 240, 244}
_CODE_ATTRIBUTES = {239, 240}
_CODE_DEFINITION, _CODE_REPEAT, _CODE = 244, 243, 21
_HAS_ATTRIBUTES, _HAS_TAG = 1 << 9, 1 << 10


def read_r_object(content: bytes) -> Any:
    """Return the object in a decompressed ``.rds`` file."""
    if content[:2] in (b"A\n", b"B\n"):
        raise DataError("R's text and native binary formats are not read: use saveRDS(x, file)")
    if content[:2] != b"X\n":
        raise DataError("not a file written by R's saveRDS (no XDR header)")
    return _Reader(content).read()


class _Reader:
    """Cursor over the bytes; every read is checked against the end of the file."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 2
        self._depth = 0
        self._references: list[Any] = []
        self._generated = 0
        self._readers: dict[int, Callable[[int], Any]] = {
            _SYMBOL: self._symbol,
            _CHARACTERS: self._characters,
            _REFERENCE: self._reference,
            _ALTREP: self._compact_form,
            4: self._environment,
            7: self._builtin,
            8: self._builtin,
            _CODE: self._byte_code,
            22: self._pointer,
            23: self._weak_reference,
            25: self._s4,
            247: self._named_reference,
            248: self._named_reference,
            249: self._named_reference,
            **dict.fromkeys(_PAIRS, self._pairs),
        }

    def read(self) -> Any:
        version = self._integer()
        self._bytes(8)
        if version == 3:
            self._bytes(self._count(1))
        elif version != 2:
            raise DataError(f"R serialisation version {version}, known are 2 and 3")
        return self._item()

    def _bytes(self, count: int) -> bytes:
        if count < 0 or count > len(self._content) - self._at:
            raise DataError(f"byte {self._at}: the file ends within an object")
        self._at += count
        return self._content[self._at - count : self._at]

    def _integer(self) -> int:
        return int(struct.unpack(">i", self._bytes(4))[0])

    def _count(self, size: int) -> int:
        """Read a length, checked against the rest of the file at `size` bytes per element."""
        count = self._integer()
        if count == -1:
            count = (self._integer() << 32) + self._integer()
        if count < 0 or count * size > len(self._content) - self._at:
            raise DataError(f"byte {self._at}: a vector of length {count} runs past the end")
        return count

    def _item(self) -> Any:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise DataError(f"byte {self._at}: objects nested more than {MAX_DEPTH} deep")
        flags = self._integer()
        value = self._flagged(flags)
        self._depth -= 1
        return value

    def _flagged(self, flags: int) -> Any:
        kind = flags & 0xFF
        if kind in _CONSTANTS:
            return _CONSTANTS[kind]
        return self._readers.get(kind, self._vector)(flags)

    def _vector(self, flags: int) -> RVector:
        kind = flags & 0xFF
        if kind in _NUMBERS:
            name, dtype = _NUMBERS[kind]
            size = np.dtype(dtype).itemsize
            raw = self._bytes(self._count(size) * size)
            vector = RVector(name, np.frombuffer(raw, dtype=dtype).astype(dtype[1:]))
        elif kind == _STRINGS:
            vector = RVector("character", [self._string() for _ in range(self._count(4))])
        elif kind in _LISTS:
            vector = RVector(_LISTS[kind], [self._item() for _ in range(self._count(4))])
        else:
            raise DataError(f"byte {self._at}: unknown R type {kind}")
        if flags & _HAS_ATTRIBUTES:
            vector.attributes = _as_dict(self._item())
        return vector

    def _string(self) -> str:
        value = self._item()
        if not isinstance(value, str):
            raise DataError(f"byte {self._at}: a vector of strings holds {type(value).__name__}")
        return value

    def _characters(self, flags: int) -> str:
        start = self._at
        if self._integer() == -1:
            return "NA"
        self._at = start
        raw = self._bytes(self._count(1))
        if flags & _HAS_ATTRIBUTES:
            self._item()
        # Bit 2 of the levels (flag word from bit 12 on) says Latin-1; the rest is UTF-8 or ASCII.
        if flags >> 12 & 4:
            return raw.decode("latin-1")
        return raw.decode("utf-8", errors="replace")

    def _symbol(self, _: int) -> Any:
        return self._remember(RSymbol(str(self._item())))

    def _remember(self, value: Any) -> Any:
        self._references.append(value)
        return value

    def _reference(self, flags: int) -> Any:
        index = flags >> 8 or self._integer()
        if not 1 <= index <= len(self._references):
            raise DataError(f"byte {self._at}: reference {index} of {len(self._references)}")
        return self._references[index - 1]

    def _pairs(self, flags: int) -> Any:
        """Read a pairlist iteratively, as a long list would exceed the recursion limit."""
        items: list[tuple[str, Any]] = []
        opened = flags & 0xFF
        while True:
            if flags & _HAS_ATTRIBUTES:
                self._item()
            tag = self._item() if flags & _HAS_TAG else None
            items.append((tag.name if isinstance(tag, RSymbol) else "", self._item()))
            flags = self._integer()
            if flags & 0xFF not in _PAIRS:
                break
        self._flagged(flags)
        return RPairs(items) if opened == 2 else ROther(_PAIRS[opened])

    def _environment(self, _: int) -> ROther:
        result: ROther = self._remember(ROther("environment"))
        self._integer()
        for _part in ("enclosure", "frame", "hash table", "attributes"):
            self._item()
        return result

    def _builtin(self, _: int) -> ROther:
        self._bytes(self._count(1))
        return ROther("builtin")

    def _pointer(self, flags: int) -> ROther:
        result: ROther = self._remember(ROther("pointer"))
        self._item()
        self._item()
        if flags & _HAS_ATTRIBUTES:
            self._item()
        return result

    def _weak_reference(self, flags: int) -> ROther:
        result: ROther = self._remember(ROther("weak reference"))
        if flags & _HAS_ATTRIBUTES:
            self._item()
        return result

    def _s4(self, flags: int) -> ROther:
        if flags & _HAS_ATTRIBUTES:
            self._item()
        return ROther("S4 object")

    def _named_reference(self, _: int) -> ROther:
        self._integer()
        for _name in range(self._count(4)):
            self._item()
        result: ROther = self._remember(ROther("namespace"))
        return result

    def _byte_code(self, flags: int) -> ROther:
        self._integer()
        self._code()
        if flags & _HAS_ATTRIBUTES:
            self._item()
        return ROther("byte code")

    def _code(self) -> None:
        self._item()
        for _constant in range(self._count(4)):
            self._code_constant(self._integer())

    def _code_constant(self, kind: int) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise DataError(f"byte {self._at}: byte code nested more than {MAX_DEPTH} deep")
        if kind == _CODE:
            self._code()
        elif kind == _CODE_REPEAT:
            self._integer()
        elif kind in _CODE_CELLS:
            self._code_cell(kind)
        else:
            self._item()
        self._depth -= 1

    def _code_cell(self, kind: int) -> None:
        if kind == _CODE_DEFINITION:
            self._integer()
            kind = self._integer()
        if kind in _CODE_ATTRIBUTES:
            self._item()
        self._item()
        self._code_constant(self._integer())
        self._code_constant(self._integer())

    def _compact_form(self, _: int) -> RVector:
        """Read a vector in compact (ALTREP) form, stored by rule instead of by value (R ≥ 3.5)."""
        info, state, attributes = self._item(), self._item(), self._item()
        first = info.items[0][1] if isinstance(info, RPairs) else None
        name = first.name if isinstance(first, RSymbol) else ""
        if name in ("compact_intseq", "compact_realseq"):
            vector = self._sequence(name, state)
        elif name == "deferred_string":
            vector = self._deferred(state)
        elif name.startswith("wrap_"):
            vector = self._wrapped(state)
        else:
            raise DataError(f"byte {self._at}: unknown compact vector {name!r}")
        return RVector(vector.kind, vector.values, _as_dict(attributes) or vector.attributes)

    def _sequence(self, name: str, state: Any) -> RVector:
        if not isinstance(state, RVector) or state.kind != "double" or len(state.values) != 3:
            raise DataError(f"byte {self._at}: a compact sequence without length, start and step")
        count, start, step = (float(v) for v in state.values)
        self._generated += int(count) if 0 <= count <= MAX_CELLS else MAX_CELLS + 1
        if self._generated > MAX_CELLS or not np.isfinite([start, step]).all():
            raise DataError(f"byte {self._at}: a compact sequence of length {count}")
        values = start + step * np.arange(int(count))
        if name == "compact_realseq":
            return RVector("double", values)
        if max(abs(start), abs(start + step * count)) >= 2**31:
            raise DataError(f"byte {self._at}: a compact sequence beyond R's integers")
        return RVector("integer", values.astype("i4"))

    def _deferred(self, state: Any) -> RVector:
        """Read a deferred string vector: numbers that R converts to strings on demand."""
        numbers = state.items[0][1] if isinstance(state, RPairs) else None
        if not isinstance(numbers, RVector) or numbers.kind not in ("integer", "double"):
            raise DataError(f"byte {self._at}: deferred strings without their numbers")
        return RVector("character", [f"{value:.15g}" for value in numbers.values])

    def _wrapped(self, state: Any) -> RVector:
        inner: Any = None
        if isinstance(state, RVector) and state.kind == "list" and len(state.values):
            inner = state.values[0]
        elif isinstance(state, RPairs):
            inner = state.items[0][1]
        if not isinstance(inner, RVector):
            raise DataError(f"byte {self._at}: a wrapped vector without its content")
        return inner


def _as_dict(attributes: Any) -> dict[str, Any]:
    return dict(attributes.items) if isinstance(attributes, RPairs) else {}
