"""The container of our own files: a header and one vector of numbers, compressed and checksummed.

Layout: 8 bytes of magic, 1 byte of version, 32 bytes of SHA-256 of the payload, then the payload
compressed as xz. The payload is the length of the header (4 bytes, little-endian), the header as
JSON in UTF-8, and the numbers as little-endian 64-bit floats.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import struct
from typing import Any

import numpy as np

from dagathlon.data.models.distributions import FloatArray
from dagathlon.data.networks.limits import decompressed
from dagathlon.errors import DataError

MAGIC = b"\x89DAGNET\n"
VERSION = 1
_DIGEST = 32
_START = len(MAGIC) + 1 + _DIGEST


def pack(header: dict[str, Any], numbers: FloatArray) -> bytes:
    """Return the file for a header and numbers; equal input gives equal bytes."""
    try:
        text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError as error:
        raise DataError(f"a name cannot be written as UTF-8: {error}") from None
    payload = struct.pack("<I", len(text)) + text + np.asarray(numbers, dtype="<f8").tobytes()
    digest = hashlib.sha256(payload).digest()
    packed = lzma.compress(payload, check=lzma.CHECK_NONE, preset=9 | lzma.PRESET_EXTREME)
    return MAGIC + bytes([VERSION]) + digest + packed


def unpack(content: bytes) -> tuple[dict[str, Any], FloatArray]:
    """Return header and numbers of a file; damage is reported as a `DataError`."""
    if not content.startswith(MAGIC):
        raise DataError("not a file of this format (wrong first bytes)")
    if len(content) < _START:
        raise DataError("the file ends too early")
    version = content[len(MAGIC)]
    if version != VERSION:
        raise DataError(f"version {version} of the format, known is {VERSION}")
    payload = decompressed(content[_START:])
    if hashlib.sha256(payload).digest() != content[len(MAGIC) + 1 : _START]:
        raise DataError("the content does not match its checksum: the file is damaged")
    return _split(payload)


def _split(payload: bytes) -> tuple[dict[str, Any], FloatArray]:
    size = struct.unpack("<I", payload[:4])[0] if len(payload) >= 4 else len(payload)
    numbers = payload[4 + size :]
    try:
        header = json.loads(payload[4 : 4 + size])
    except (ValueError, RecursionError) as error:
        raise DataError(f"the header is not JSON: {error}") from None
    if not isinstance(header, dict) or len(numbers) % 8:
        raise DataError("the header or the numbers are incomplete")
    return header, np.frombuffer(numbers, dtype="<f8").astype(np.float64)
