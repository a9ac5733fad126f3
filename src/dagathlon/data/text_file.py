"""Text files as tables: opening, encodings, delimiters, and which line a row stands on."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import os
import re
import stat
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

import pyarrow as pa

from dagathlon.data.unpacking import read_bounded
from dagathlon.errors import DataError, no_such_file

DELIMITERS = (",", ";", "\t")

_CHUNK = 1 << 20
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True)
class TextFile:
    """A text file in UTF-8, on disk or, where it had to be unpacked or recoded, in memory."""

    label: str
    path: Path
    content: bytes | None = field(default=None, repr=False)

    def open(self) -> BinaryIO:
        """The bytes from the start."""
        return self.path.open("rb") if self.content is None else io.BytesIO(self.content)

    def open_arrow(self) -> pa.NativeFile:
        """The bytes from the start, for pyarrow's reader."""
        if self.content is None:
            return pa.OSFile(str(self.path))
        return pa.BufferReader(self.content)

    @property
    def size(self) -> int:
        """Number of bytes."""
        return self.path.stat().st_size if self.content is None else len(self.content)

    def records(self, delimiter: str, strict: bool = False) -> Iterator[tuple[int, list[str]]]:
        """Rows with the number of the line on which each begins; empty lines are passed over.

        If `strict`, quotation marks that do not pair up are a `DataError`.
        """
        with io.TextIOWrapper(self.open(), encoding="utf-8-sig", newline="") as lines:
            rows = csv.reader(lines, delimiter=delimiter, strict=strict)
            line = 1
            try:
                for row in rows:
                    if row:
                        yield line, row
                    line = rows.line_num + 1
            except csv.Error as error:
                raise DataError(
                    f"{self.label}, line {line}: {error}; is a quote left open?"
                ) from None


def open_text(path: str | os.PathLike[str]) -> TextFile:
    """Open a text file, also one packed by gzip; anything that is not text is a `DataError`."""
    file = Path(path)
    label = str(file)
    try:
        content = _content_to_hold(file)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"{label}: not a readable gzip file ({error})") from None
    except (OSError, ValueError) as error:
        raise DataError(cannot_open(label, error)) from None
    text = TextFile(label, file, content)
    return _recoded(text) if _starts_with(text, _UTF16_MARKS) else text


def cannot_open(label: str, error: Exception) -> str:
    """Why a file cannot be opened, in words."""
    if isinstance(error, FileNotFoundError):
        return no_such_file(Path(label))
    if isinstance(error, IsADirectoryError):
        return f"{label} is a folder; give one data file"
    if isinstance(error, PermissionError):
        return f"{label}: no permission to open this file"
    return f"{label}: cannot open this file ({error})"


class Signs(NamedTuple):
    """What stands somewhere in a text.

    Parameters
    ----------
    quotes
        How many quotation marks.
    may_have_hexadecimals
        Whether perhaps a number such as ``0x1F``.
    """

    quotes: int
    may_have_hexadecimals: bool


def check_text(text: TextFile) -> Signs:
    """Check that the file is UTF-8 text that is not empty; say what stands in it."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    offset = pending = 0
    quotes, hexadecimals = 0, False
    with text.open() as stream:
        while chunk := stream.read(_CHUNK):
            try:
                if pending or not chunk.isascii():
                    decoder.decode(chunk)
                    pending = len(decoder.getstate()[0])
            except UnicodeDecodeError as error:
                at = offset + error.start - pending
                raise DataError(_wrong_encoding(text, at, error.object[error.start])) from None
            if (nul := chunk.find(b"\0")) >= 0:
                raise DataError(
                    f"{text.label}: not a text file (found a zero byte at offset {offset + nul})"
                )
            quotes += chunk.count(b'"') if b'"' in chunk else 0
            hexadecimals = hexadecimals or _may_have_hexadecimals(chunk)
            offset += len(chunk)
    if pending:
        raise DataError(f"{text.label}: not UTF-8 text (the last character is cut off)")
    if not offset:
        raise DataError(f"{text.label}: the file is empty")
    return Signs(quotes, hexadecimals)


def _may_have_hexadecimals(chunk: bytes) -> bool:
    """Also where a chunk begins with what may stand behind the 0 at the end of the last one."""
    return any(x in chunk and (chunk.startswith(x) or b"0" + x in chunk) for x in (b"x", b"X"))


def sniffed_delimiter(text: TextFile) -> str:
    """A tab for ``.tsv``; else the delimiter that stands most often in the header, unquoted."""
    if ".tsv" in text.path.suffixes[-2:]:
        return "\t"
    with io.TextIOWrapper(text.open(), encoding="utf-8-sig", errors="replace") as stream:
        head = _QUOTED.sub("", stream.read(_CHUNK))
    header = next((line for line in head.splitlines() if line.strip()), "")
    return max(DELIMITERS, key=header.count)


def _content_to_hold(file: Path) -> bytes | None:
    """The content where it cannot be read from the file twice as it is."""
    mode = file.stat().st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError
    if file.suffix == ".gz":
        with gzip.open(file) as packed:
            return read_bounded(packed, str(file))
    if stat.S_ISFIFO(mode):
        with file.open("rb") as pipe:
            return read_bounded(pipe, str(file))
    if not stat.S_ISREG(mode):
        raise ValueError("it is not a regular file")
    with file.open("rb"):
        return None


def _starts_with(text: TextFile, marks: tuple[bytes, ...]) -> bool:
    with text.open() as stream:
        return stream.read(2).startswith(marks)


def _recoded(text: TextFile) -> TextFile:
    with text.open() as stream:
        content = stream.read()
    try:
        return TextFile(text.label, text.path, content.decode("utf-16").encode())
    except UnicodeError as error:
        raise DataError(f"{text.label}: not valid UTF-16 text ({error})") from None


def _wrong_encoding(text: TextFile, offset: int, byte: int) -> str:
    with text.open() as stream:
        line = stream.read(offset).count(b"\n") + 1
    return (
        f"{text.label}, line {line}: not UTF-8 text (byte 0x{byte:02X} at offset {offset}); "
        "save the file as UTF-8"
    )
