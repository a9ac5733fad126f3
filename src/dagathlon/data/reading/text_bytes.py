"""Bytes of text files: pipes, packed files, and text in other encodings than UTF-8."""

from __future__ import annotations

import codecs
import os
import re
import select
import stat
from pathlib import Path
from typing import BinaryIO

from dagathlon.data.reading.unpacking import read_bounded, read_gzip
from dagathlon.errors import DataError

PATIENCE = 60.0
"""Seconds to wait for the next bytes of a pipe."""
_WINDOWS = "cp1252"  # most files that are not UTF-8
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f]")
_SEPARATORS = (b"\n", b",", b";", b"\t", b" ", b"|", b":", b"\r")
_DELIMITERS = (b",", b";", b"\t", b"|", b" ")
_LONGEST_FIELD = 1 << 20
_MOST_FIELDS = 5_000_000
_LOOKED_AT, _MOSTLY = 4096, 0.5


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
        return read_gzip(file, str(file), TableCheck())
    with file.open("rb"):
        return None


class TableCheck:
    """Refuses text that is no table, piece by piece: a field or a line without end.

    It may be a bomb, and a line is split into its fields as a whole.
    """

    def __init__(self) -> None:
        self._fields = 0

    def __call__(self, piece: bytes, label: str) -> None:
        """Look at the next piece of a text."""
        if len(piece) >= _LONGEST_FIELD and not any(sign in piece for sign in _SEPARATORS):
            raise DataError(
                f"{label}: not a table (found a field of more than {_LONGEST_FIELD:,} bytes)"
            )
        if b"\n" in piece or b"\r" in piece:
            self._fields = 0
            return
        self._fields += max(map(piece.count, _DELIMITERS))
        if self._fields > _MOST_FIELDS:
            raise DataError(
                f"{label}: not a table (found a line of more than {_MOST_FIELDS:,} fields)"
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


def guessed_text(content: bytes) -> tuple[bytes, str] | None:
    """Transcode text that is not UTF-8 from its likeliest encoding; None where it is no text.

    A text with more characters of UTF-8 than wrong bytes is UTF-8 with damage, and not guessed.

    Returns
    -------
    bytes, str
        The text in UTF-8, and the name of the encoding.
    """
    wide = _wide_encoding(content[:_LOOKED_AT])
    if not wide:
        damaged = content.decode("utf-8", "replace")
        wrong = damaged.count("\ufffd")
        if len(damaged) - len(damaged.encode("ascii", "ignore")) > 2 * wrong:
            return None
    try:
        text = content.decode(wide or _WINDOWS)
    except UnicodeDecodeError:
        return None
    if _CONTROL.search(text):
        return None
    return text.encode(), wide or f"{_WINDOWS} (Windows, Western Europe)"


def _wide_encoding(start: bytes) -> str:
    """Encoding of two bytes per character, one of which is mostly zero; empty for none."""
    zeros = [start[place::2].count(0) for place in (0, 1)]
    most = _MOSTLY * len(start) / 2
    if min(zeros) or max(zeros) < most:
        return ""
    return "utf-16-le" if zeros[1] else "utf-16-be"


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
