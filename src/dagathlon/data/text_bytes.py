"""Bytes of text files: pipes, packed files, and text in other encodings than UTF-8."""

from __future__ import annotations

import codecs
import os
import re
import select
import stat
from pathlib import Path
from typing import BinaryIO

from dagathlon.data.unpacking import read_bounded, read_gzip
from dagathlon.errors import DataError

PATIENCE = 60.0
"""Seconds to wait for the next bytes of a pipe."""
GUESSED = "cp1252"
"""Encoding of most files that are not UTF-8: that of Windows in Western Europe and America."""
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f]")
_SEPARATORS = (b"\n", b",", b";", b"\t", b" ", b"|", b":", b"\r")
_LONGEST_FIELD = 1 << 20


def content_to_hold(file: Path) -> bytes | None:
    """Content of a file that cannot be read twice from the disk as it is; else None."""
    mode = file.stat().st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError
    if stat.S_ISFIFO(mode):
        return _from_pipe(file)
    if not stat.S_ISREG(mode):
        raise ValueError("it is not a regular file")
    if file.suffix == ".gz":
        return read_gzip(file, str(file), check_fields)
    with file.open("rb"):
        return None


def check_fields(piece: bytes, label: str) -> None:
    """Refuse a long piece of text in which no field ends: it is no table, and may be a bomb."""
    if len(piece) >= _LONGEST_FIELD and not any(sign in piece for sign in _SEPARATORS):
        raise DataError(
            f"{label}: not a table (found a field of more than {_LONGEST_FIELD:,} bytes)"
        )


def marked_encoding(start: bytes) -> str | None:
    """The encoding that a byte order mark names; None without one and for UTF-8."""
    return next((name for mark, name in _MARKS.items() if start.startswith(mark)), None)


def recoded(content: bytes, encoding: str, label: str) -> bytes:
    """Transcode bytes from `encoding` to UTF-8."""
    try:
        return content.decode(encoding).encode()
    except UnicodeDecodeError as error:
        if encoding.startswith("utf-16") and len(content) % 2:
            raise DataError(f"{label}: not valid UTF-16 text ({error.reason})") from None
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{label}, line {line}: not {encoding} text (byte 0x{content[error.start]:02X} at "
            f"offset {error.start})"
        ) from None
    except UnicodeError as error:
        raise DataError(f"{label}: not valid {encoding} text ({error})") from None


def guessed_text(content: bytes) -> bytes | None:
    """Text that is not UTF-8, read in the encoding that is likeliest; None where it is no text.

    A text with more characters of UTF-8 than wrong bytes is UTF-8 with damage, and not guessed.
    """
    damaged = content.decode("utf-8", "replace")
    wrong = damaged.count("\ufffd")
    if len(damaged) - len(damaged.encode("ascii", "ignore")) > 2 * wrong:
        return None
    try:
        text = content.decode(GUESSED)
    except UnicodeDecodeError:
        return None
    return None if _CONTROL.search(text) else text.encode()


def _from_pipe(file: Path) -> bytes:
    """All that is written to a pipe, unless its writer is silent for too long."""
    # A pipe without a writer would else be waited for in opening it.
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK)
    with open(descriptor, "rb", buffering=0) as pipe:
        return read_bounded(_Patient(pipe, str(file)), str(file))


class _Patient:
    """A pipe that is waited for, but not for ever."""

    def __init__(self, pipe: BinaryIO, label: str) -> None:
        self._pipe, self._label = pipe, label

    def read(self, size: int, /) -> bytes:
        """The next bytes; none once all writers have closed it."""
        ready, _, _ = select.select([self._pipe], [], [], PATIENCE)
        if not ready:
            raise DataError(
                f"{self._label}: a pipe to which nothing was written for {PATIENCE:g} seconds"
            )
        return self._pipe.read(size) or b""
