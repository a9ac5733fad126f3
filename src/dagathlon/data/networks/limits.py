"""Limits on the size of network files, so that no file can exhaust the memory."""

from __future__ import annotations

import bz2
import lzma
import zlib
from pathlib import Path

from dagathlon.errors import DataError, no_such_file
from dagathlon.pipes import read_file

MAX_BYTES = 1 << 29
MAX_NODES = 10_000
MAX_CELLS = 20_000_000
MAX_DEPTH = 100


def read_bytes(path: Path) -> bytes:
    """Read a file, decompressing gzip, bzip2 or xz, up to the size limit."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise DataError(f"the file has {path.stat().st_size} bytes, allowed are {MAX_BYTES}")
        content = read_file(path)
    except FileNotFoundError:
        raise DataError(no_such_file(path).removeprefix(f"{path}: ")) from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}") from None
    return decompressed(content)


def decompressed(content: bytes) -> bytes:
    """Decompress gzip, bzip2 or xz, detected by the first bytes; return other content unchanged."""
    try:
        if content.startswith(b"\x1f\x8b"):
            return _expand_gzip(content)
        if content.startswith(b"BZh"):
            return _expand(bz2.BZ2Decompressor(), content, "bzip2")
        if content.startswith(b"\xfd7zXZ\x00"):
            return _expand(lzma.LZMADecompressor(memlimit=MAX_BYTES), content, "xz")
    except (OSError, EOFError, lzma.LZMAError, zlib.error, ValueError, MemoryError) as error:
        raise DataError(f"damaged compressed file: {error}") from None
    return content


def _expand(
    machine: bz2.BZ2Decompressor | lzma.LZMADecompressor, content: bytes, kind: str
) -> bytes:
    expanded = machine.decompress(content, MAX_BYTES + 1)
    if len(expanded) > MAX_BYTES:
        raise DataError(f"the {kind} file expands to more than the allowed {MAX_BYTES} bytes")
    if not machine.eof:
        raise DataError(f"the {kind} file ends too early")
    return expanded


def _expand_gzip(content: bytes) -> bytes:
    machine = zlib.decompressobj(wbits=31)
    expanded = machine.decompress(content, MAX_BYTES + 1)
    if len(expanded) > MAX_BYTES:
        raise DataError(f"the gzip file expands to more than the allowed {MAX_BYTES} bytes")
    if not machine.eof:
        raise DataError("the gzip file ends too early")
    return expanded


def text_of(content: bytes) -> str:
    """Decode bytes as UTF-8, or as Latin-1, which old tools wrote."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")
