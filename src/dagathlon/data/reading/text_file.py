"""Text files: opening, encodings, delimiters, and line numbers of rows."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import os
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO, NamedTuple

import pyarrow as pa

from dagathlon.data.reading.request import TextLayout
from dagathlon.data.reading.text_bytes import (
    TableCheck,
    content_to_hold,
    guessed_text,
    marked_encoding,
    recoded,
)
from dagathlon.data.reading.unpacking import read_bounded
from dagathlon.data.reading.workbook import WORKBOOKS, is_workbook, workbook_text
from dagathlon.errors import DataError, listing, no_such_file

DELIMITERS = (",", ";", "\t")

_CHUNK = 1 << 20
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
# Zip, Microsoft's compound files, gzip, xz, bzip2, zstandard.
_PACKED = (
    *(b"PK\3\4", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"\x1f\x8b", b"\xfd7zXZ\0", b"BZh"),
    b"\x28\xb5\x2f\xfd",
)
_PLAIN = TextLayout()
_SEPARATOR_LINE = re.compile(rb'(?:\xef\xbb\xbf)?"?sep=([,;\t|])"?\r?[\n\r]', re.IGNORECASE)
_LONGEST_SEPARATOR_LINE = 16


@dataclass(frozen=True)
class TextFile:
    """A UTF-8 text file, on disk or, if it was unpacked or transcoded, in memory.

    Parameters
    ----------
    label, path
        Its name in errors, and its place.
    content
        Its bytes, unless they are read from the disk.
    start, skipped
        Bytes and lines above the header that are passed over.
    notes
        Notes on what was guessed.
    """

    label: str
    path: Path
    content: bytes | None = field(default=None, repr=False)
    start: int = 0
    skipped: int = 0
    notes: tuple[str, ...] = ()

    def open(self) -> BinaryIO:
        """Open the bytes from the first line of the table."""
        stream = self.path.open("rb") if self.content is None else io.BytesIO(self.content)
        stream.seek(self.start)
        return stream

    def open_arrow(self) -> pa.NativeFile:
        """Open the bytes from the first line of the table, for pyarrow's reader."""
        if self.content is None:
            stream = pa.OSFile(str(self.path))
        else:
            stream = pa.BufferReader(self.content)
        stream.seek(self.start)
        return stream

    @property
    def size(self) -> int:
        """Number of bytes from the first line of the table."""
        whole = self.path.stat().st_size if self.content is None else len(self.content)
        return whole - self.start

    def records(self, delimiter: str, strict: bool = False) -> Iterator[tuple[int, list[str]]]:
        """Yield rows with the number of the line on which each begins; empty lines are skipped.

        If `strict`, unbalanced quotation marks raise `DataError`.
        """
        with io.TextIOWrapper(self.open(), encoding="utf-8-sig", newline="") as lines:
            rows = csv.reader(lines, delimiter=delimiter, strict=strict)
            line = self.skipped + 1
            try:
                for row in rows:
                    if row:
                        yield line, row
                    line = self.skipped + rows.line_num + 1
            except csv.Error as error:
                raise DataError(
                    f"{self.label}, line {line}: {error}; is a quote left open?"
                ) from None


def open_text(path: str | os.PathLike[str], layout: TextLayout = _PLAIN) -> TextFile:
    """Open a text file or a workbook as UTF-8 text; anything else is a `DataError`.

    Compressed files are unpacked, other encodings transcoded. Title lines are kept.
    """
    file = Path(path)
    label = str(file)
    try:
        if is_workbook(file):
            return TextFile(label, file, *workbook_text(file, layout.sheet))
        content = content_to_hold(file)
        if content is None and (not layout.encoding or _is_utf8(layout.encoding)):
            with file.open("rb") as stream:
                encoding = marked_encoding(stream.read(4))
        else:
            encoding = layout.encoding or marked_encoding((content or b"")[:4])
        if encoding and not _is_utf8(encoding):
            content = _whole(file, content)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"{label}: not a readable gzip file ({error})") from None
    except (OSError, ValueError) as error:
        raise DataError(cannot_open(label, error)) from None
    if layout.sheet is not None:
        raise DataError(f"{label}: a text file has no sheets; found sheet {layout.sheet!r}")
    if not encoding or _is_utf8(encoding) or content is None:
        return TextFile(label, file, content)
    return TextFile(label, file, recoded(content, encoding, label))


def _is_utf8(encoding: str) -> bool:
    return codecs.lookup(encoding).name in ("utf-8", "utf-8-sig", "ascii")


def _whole(file: Path, content: bytes | None) -> bytes:
    if content is not None:
        return content
    with file.open("rb") as stream:
        return read_bounded(stream, str(file))


def without_separator_line(text: TextFile) -> tuple[TextFile, str | None]:
    """Skip the line ``sep=;`` that programs write for Excel; return the delimiter that it names."""
    with text.open() as stream:
        match = _SEPARATOR_LINE.match(stream.read(_LONGEST_SEPARATOR_LINE))
    if match is None or text.start:
        return text, None
    return replace(text, start=match.end(), skipped=1), match[1].decode()


def without_titles(text: TextFile, lines: int) -> TextFile:
    """Return the file with its first `lines` lines skipped."""
    if not lines:
        return text
    with text.open() as stream:
        passed = 0
        while passed < lines and stream.readline():
            passed += 1
        start = stream.tell()
    if passed < lines or start >= text.start + text.size:
        raise DataError(f"{text.label}: nothing follows the {lines} lines to skip")
    return replace(text, start=start, skipped=lines)


class TitleLinesError(DataError):
    """A text file with lines above the header, such as titles.

    Parameters
    ----------
    problem
        The error in the unmodified file.
    skip
        How many lines are above the header.
    """

    def __init__(self, problem: str, skip: int) -> None:
        self.skip = skip
        super().__init__(
            f"{problem}; line {skip + 1} looks like the header: --skip {skip} (skip={skip} in "
            "Python)"
        )


def cannot_open(label: str, error: Exception) -> str:
    """Return the message for a file that cannot be opened."""
    if isinstance(error, FileNotFoundError):
        return no_such_file(Path(label))
    if isinstance(error, IsADirectoryError):
        return f"{label} is a folder; give one data file"
    if isinstance(error, PermissionError):
        return f"{label}: no permission to open this file"
    return f"{label}: cannot open this file ({error})"


class Signs(NamedTuple):
    """Occurrences of special characters in a text.

    Parameters
    ----------
    quotes
        Number of quotation marks.
    may_have_hexadecimals
        Whether there may be a number such as ``0x1F``.
    """

    quotes: int
    may_have_hexadecimals: bool


def checked(text: TextFile, layout: TextLayout) -> tuple[TextFile, Signs]:
    """Return the text, transcoded if it is not UTF-8 and no encoding was given, and its `Signs`."""
    try:
        signs = check_text(text)
    except _NotUtf8Error as error:
        guess = None if layout.encoding else guessed_text(_whole(text.path, text.content))
        if guess is None:
            raise
        content, encoding = guess
        note = (
            f"not UTF-8 text ({error.found}); read as {encoding}. If letters look wrong, say which "
            "it is: --encoding NAME, or encoding= in Python"
        )
        text = replace(text, content=content, notes=(*text.notes, note))
        signs = check_text(text)
    return text, signs


def check_text(text: TextFile) -> Signs:
    """Check that the file is nonempty UTF-8 text; return its `Signs`."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    offset = pending = 0
    quotes, hexadecimals = 0, False
    check = TableCheck()
    with text.open() as stream:
        while chunk := stream.read(_CHUNK):
            if not offset and chunk.startswith(_PACKED):
                raise DataError(_packed(text))
            if (nul := chunk.find(b"\0")) >= 0:
                raise _NotUtf8Error(text, offset + nul, 0)
            try:
                if pending or not chunk.isascii():
                    decoder.decode(chunk)
                    pending = len(decoder.getstate()[0])
            except UnicodeDecodeError as error:
                at = offset + error.start - pending
                raise _NotUtf8Error(text, at, error.object[error.start]) from None
            check(chunk, text.label)
            quotes += chunk.count(b'"') if b'"' in chunk else 0
            hexadecimals = hexadecimals or _may_have_hexadecimals(chunk)
            offset += len(chunk)
    if pending:
        raise DataError(f"{text.label}: not UTF-8 text (the last character is cut off)")
    if not offset:
        raise DataError(f"{text.label}: the file is empty")
    return Signs(quotes, hexadecimals)


class _NotUtf8Error(DataError):
    """Error for text that is not UTF-8, with the first byte that shows it.

    Parameters
    ----------
    text
        The text.
    offset, byte
        Position and value of the byte.
    """

    def __init__(self, text: TextFile, offset: int, byte: int) -> None:
        with text.open() as stream:
            line = stream.read(offset).count(b"\n") + 1
        self.found = f"byte 0x{byte:02X} at offset {offset}, line {line}"
        reason = (
            f"{text.label}, line {line}: not UTF-8 text (byte 0x{byte:02X} at offset {offset}); "
            "name the encoding (--encoding NAME), or save the file as UTF-8"
        )
        if not byte:
            reason = (
                f"{text.label}: not a text file (found a zero byte at offset {offset}); if it is "
                "text in another encoding, name it: --encoding NAME"
            )
        super().__init__(reason)


def _packed(text: TextFile) -> str:
    """Return the error message for a compressed file, most likely a workbook."""
    endings = listing(WORKBOOKS)
    return (
        f"{text.label}: not a text file but a packed one; if it is a workbook, give it its ending "
        f"({endings}), and .gz if it was packed by gzip; others are to be unpacked first"
    )


def _may_have_hexadecimals(chunk: bytes) -> bool:
    """Whether a chunk may contain a hexadecimal number, perhaps begun in the previous chunk."""
    return any(x in chunk and (chunk.startswith(x) or b"0" + x in chunk) for x in (b"x", b"X"))


def sniffed_delimiter(text: TextFile) -> str:
    """Return a tab for ``.tsv``; else the most frequent unquoted delimiter of the header."""
    if is_workbook(text.path):
        return ","
    if ".tsv" in text.path.suffixes[-2:]:
        return "\t"
    with io.TextIOWrapper(text.open(), encoding="utf-8-sig", errors="replace") as stream:
        head = _QUOTED.sub("", stream.read(_CHUNK))
    header = next((line for line in head.splitlines() if line.strip()), "")
    return max(DELIMITERS, key=header.count)
