"""How much a compressed file may unpack to: a small one can hold more than any machine has."""

from __future__ import annotations

import functools
import io
import os
import zlib
from typing import Protocol

from dagathlon.errors import DataError

MOST_UNPACKED = "DAGATHLON_MAX_UNPACKED"
"""Environment variable: how many bytes a compressed file may unpack to."""
_DEFAULT = 4 * 2**30
_CHUNK = 1 << 20


class Readable(Protocol):
    """What bytes can be read from, piece by piece."""

    def read(self, size: int, /) -> bytes:
        """The next bytes; none at the end."""


class TooLargeError(DataError):
    """A compressed file that unpacks to more than is allowed."""

    def __init__(self, most: int, label: str = "", advice: str = "") -> None:
        place = f"{label}: " if label else ""
        super().__init__(
            f"{place}unpacks to more than {most:,} bytes; if that is right, allow more by the "
            f"environment variable {MOST_UNPACKED}{advice}"
        )


def most_unpacked() -> int:
    """The limit in bytes: what the environment says, else 4 GiB or half of the memory."""
    text = os.environ.get(MOST_UNPACKED, "")
    if not text:
        return min(_DEFAULT, _memory() // 2)
    if not text.isdecimal():
        raise DataError(f"{MOST_UNPACKED}: found {text!r}, expected a number of bytes")
    return int(text)


@functools.cache
def _memory() -> int:
    """Memory of this machine, in bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def read_bounded(stream: Readable, label: str) -> bytes:
    """All that a stream has to give, in pieces, so that too much is refused before it is held."""
    most = most_unpacked()
    held = io.BytesIO()
    while piece := stream.read(_CHUNK):
        if held.tell() + len(piece) > most:
            raise TooLargeError(most, label)
        held.write(piece)
    return held.getvalue()


def unpacked(packed: bytes | memoryview) -> bytes:
    """The content of bytes that `zlib` has packed, of all of them, and not more than allowed.

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
