"""Source of a graph file: its bytes and text, and errors that name the place in it."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any, TypeAlias

from dagathlon.errors import GraphError, no_such_file
from dagathlon.pipes import read_file

PathOrFile: TypeAlias = str | os.PathLike[str] | IO[str] | IO[bytes]

_LINE_END = re.compile(r"\r\n?|\n")
_LONGEST_SHOWN = 40


def shown(text: object) -> str:
    """Quote a value for an error message, truncated if long."""
    quoted = str(text)
    return repr(quoted if len(quoted) <= _LONGEST_SHOWN else quoted[: _LONGEST_SHOWN - 1] + "…")


def split_lines(text: str) -> list[str]:
    """Split a text into lines without their ends; only line feeds and carriage returns count."""
    return _LINE_END.split(text)


@dataclass(frozen=True)
class TextSource:
    """Content of a graph file and its label in messages."""

    name: str
    content: bytes = b""

    @classmethod
    def open(cls, path_or_file: PathOrFile) -> TextSource:
        """Read a path or an open file to its end."""
        if isinstance(path_or_file, str | os.PathLike):
            return cls(str(path_or_file), _file_content(Path(path_or_file)))
        read: Any = path_or_file.read()
        content = read.encode("utf-8", "surrogatepass") if isinstance(read, str) else bytes(read)
        return cls(str(getattr(path_or_file, "name", "the open file")), content)

    @property
    def suffix(self) -> str:
        """Extension in lower case; ``.marks.csv`` counts as one."""
        name = self.name.lower()
        return ".marks.csv" if name.endswith(".marks.csv") else Path(name).suffix

    @cached_property
    def text(self) -> str:
        """Content as text, without a byte-order mark."""
        if not self.content.strip():
            raise self.error("the file is empty")
        if self.content[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise self.error("the file is UTF-16 text; save it as UTF-8")
        if b"\0" in self.content:
            raise self.error("this is a binary file, not a text file with a graph")
        try:
            text = self.content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = self.content.count(b"\n", 0, error.start) + 1
            raise self.error("the text is not UTF-8", line) from None
        if not text.strip():
            raise self.error("the file is empty")
        return text

    @cached_property
    def _line_ends(self) -> list[int]:
        return [end.end() for end in _LINE_END.finditer(self.text)]

    def line_of(self, position: int) -> int:
        """Return the line number of a character position in the text."""
        return bisect_right(self._line_ends, position) + 1

    def error(
        self, message: str, line: int | None = None, column: int | str | None = None
    ) -> GraphError:
        """Return an error that names the file, the line and the column."""
        place = self.name
        if line is not None:
            place += f", line {line}"
        if column is not None:
            place += f", column {column}"
        return GraphError(f"{place}: {message}")


def _file_content(path: Path) -> bytes:
    try:
        return read_file(path)
    except FileNotFoundError:
        raise GraphError(no_such_file(path)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise GraphError(f"{path}: cannot be read ({reason})") from None
