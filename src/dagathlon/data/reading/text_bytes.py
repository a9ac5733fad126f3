"""Raw content of text files: pipes, compressed files, and encodings other than UTF-8."""

from __future__ import annotations

import codecs
import re
import stat
from pathlib import Path

from dagathlon.data.reading.unpacking import read_bounded, read_gzip
from dagathlon.errors import DataError
from dagathlon.pipes import Pipe

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
    """Return the content of a file that must be held in memory (pipe, compressed); else None."""
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
    """Incremental check that text is a table: refuses fields or lines of excessive length.

    Such text may be a decompression bomb, and a line is split into fields as a whole.
    """

    def __init__(self) -> None:
        self._fields = 0

    def __call__(self, piece: bytes, label: str) -> None:
        """Check the next piece of a text."""
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
    """Return the encoding named by a byte order mark; None without one and for UTF-8."""
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
    """Transcode text that is not UTF-8 from its likeliest encoding; None if it is no text.

    Text with more UTF-8 sequences than invalid bytes is damaged UTF-8 and not guessed.

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
    """Return the two-byte encoding if every other byte is mostly zero; else empty."""
    zeros = [start[place::2].count(0) for place in (0, 1)]
    most = _MOSTLY * len(start) / 2
    if min(zeros) or max(zeros) < most:
        return ""
    return "utf-16-le" if zeros[1] else "utf-16-be"


def _from_pipe(file: Path) -> bytes:
    """Read a pipe to its end; time out if its writer stays silent too long."""
    try:
        with Pipe(file) as pipe:
            return read_bounded(pipe, str(file))
    except TimeoutError as error:
        raise DataError(f"{file}: {error}") from None
