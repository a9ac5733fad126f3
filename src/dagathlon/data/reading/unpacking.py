"""Memory limit for unpacking compressed files, against decompression bombs."""

from __future__ import annotations

import functools
import gzip
import io
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from dagathlon.errors import DataError

MOST_UNPACKED = "DAGATHLON_MAX_UNPACKED"
"""Environment variable with the most bytes that a compressed file may unpack to."""
_DEFAULT = 4 * 2**30
_CHUNK = 1 << 20
# Files that unpack to more bytes than this, at this ratio, are measured before being read.
_TRUSTED = 1 << 27
USUAL_RATIO = 100
"""Most bytes per packed byte that are unpacked without suspicion."""


class Readable(Protocol):
    """Protocol of a readable byte stream."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes; empty at the end."""


class TooLargeError(DataError):
    """Error for a compressed file that unpacks to more than is allowed."""

    def __init__(self, most: int, label: str = "", advice: str = "") -> None:
        place = f"{label}: " if label else ""
        super().__init__(
            f"{place}unpacks to more than {most:,} bytes; if that is right, allow more by the "
            f"environment variable {MOST_UNPACKED}{advice}"
        )


def most_unpacked() -> int:
    """Return the limit in bytes: from the environment, else 4 GiB or half of the memory."""
    text = os.environ.get(MOST_UNPACKED, "")
    if not text:
        return min(_DEFAULT, _memory() // 2)
    if not text.isdecimal():
        raise DataError(f"{MOST_UNPACKED}: found {text!r}, expected a number of bytes")
    return int(text)


@functools.cache
def _memory() -> int:
    """Return the machine's memory in bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def read_bounded(stream: Readable, label: str) -> bytes:
    """Read a stream to its end; stop with an error at the limit."""
    most = most_unpacked()
    held = io.BytesIO()
    while piece := stream.read(_CHUNK):
        if held.tell() + len(piece) > most:
            raise TooLargeError(most, label)
        held.write(piece)
    return held.getvalue()


def read_gzip(path: Path, label: str, check: Callable[[bytes, str], None]) -> bytes:
    """Return the content of a gzip file; stop with an error at the limit.

    Parameters
    ----------
    path, label
        The file, and its name in errors.
    check
        Called with each piece and the label; raises where it cannot be part of the content.
    """
    most, counted = most_unpacked(), False
    held = io.BytesIO()
    with path.open("rb") as raw, gzip.open(raw) as packed:
        while piece := packed.read(_CHUNK):
            if held.tell() + len(piece) > most:
                raise TooLargeError(most, label)
            check(piece, label)
            held.write(piece)
            size = held.tell()
            if not counted and size >= _TRUSTED and size > USUAL_RATIO * raw.tell():
                counted = True
                _count(packed, size, most, label)
                packed.seek(size)
    return held.getvalue()


def _count(packed: Readable, size: int, most: int, label: str) -> None:
    """Raise if the rest of a file exceeds the limit, without holding it in memory."""
    while piece := packed.read(_CHUNK):
        size += len(piece)
        if size > most:
            raise TooLargeError(most, label)


def unpacked(packed: bytes | memoryview) -> bytes:
    """Decompress a complete zlib stream, up to the limit.

    Raises
    ------
    zlib.error
        When they are damaged, incomplete or followed by others.
    TooLargeError
        When they hold too much.
    """
    most = most_unpacked()
    machine = zlib.decompressobj()
    content = machine.decompress(packed, most + 1)
    if len(content) > most:
        raise TooLargeError(most)
    if not machine.eof:
        raise zlib.error("it ends too early")
    if machine.unused_data:
        raise zlib.error(f"{len(machine.unused_data)} bytes follow its end")
    return content
