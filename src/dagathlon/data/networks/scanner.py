"""Tokeniser of the text formats: words, quoted strings and punctuation, with line numbers."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from dagathlon.errors import DataError

_ESCAPED = re.compile(r'\\(["\\])')


class Scanner:
    """Cursor over the tokens of a text.

    Parameters
    ----------
    text
        The text of the file.
    marks
        Single-character tokens, which also end a word.
    comment
        Regular expression of a comment; comments count as white space, but not inside quotes.
    """

    def __init__(self, text: str, marks: str, comment: str) -> None:
        # An unclosed quote takes the rest, so that no text makes this search slow; the token
        # pattern reports it with its line.
        hidden = re.compile(rf'("(?:[^"\\]|\\.)*+(?:"|\Z))|{comment}', re.DOTALL)
        self._text = hidden.sub(_blank, text)
        single_marks = re.escape(marks)
        self._token = re.compile(
            rf'\s*(?:"((?:[^"\\]|\\.)*)"|([{single_marks}])|([^\s"{single_marks}]+))', re.DOTALL
        )
        self._marks = marks
        self._at = 0
        self.quoted = False

    @cached_property
    def _starts(self) -> list[int]:
        return [match.start() for match in re.finditer("\n", self._text)]

    @property
    def line(self) -> int:
        """Line of the next token, counted from 1."""
        spaces = re.compile(r"\s*").match(self._text, self._at)
        assert spaces is not None
        return bisect_right(self._starts, spaces.end() - 1) + 1

    def error(self, message: str) -> DataError:
        """Return an error with the current line."""
        return DataError(f"line {self.line}: {message}")

    def next(self) -> str:
        """Return the next token, empty at the end; `quoted` then says whether it was quoted."""
        match = self._token.match(self._text, self._at)
        self.quoted = False
        if match is None:
            if self._text[self._at :].strip():
                raise self.error("a quoted text that does not end")
            return ""
        self._at = match.end()
        if match[1] is not None:
            self.quoted = True
            return _ESCAPED.sub(r"\1", match[1])
        return match[2] or match[3]

    def peek(self) -> str:
        """Return the next token without consuming it."""
        before = self._at
        token = self.next()
        self._at = before
        return token

    def at_mark(self, mark: str) -> bool:
        """Whether the next token is this punctuation mark or unquoted word."""
        return self.peek() == mark and not self.quoted

    def accept(self, mark: str) -> bool:
        """Consume this mark or unquoted word if it comes next; return whether it did."""
        if not self.at_mark(mark):
            return False
        self.next()
        return True

    def expect(self, mark: str) -> None:
        """Consume this mark or word, which must come next."""
        if not self.accept(mark):
            raise self.error(f"expected {mark!r}, found {self.peek() or 'the end of the file'!r}")

    def name(self, what: str) -> str:
        """Return the next token as a name: a word or a quoted string, but no punctuation."""
        word = self.peek()
        is_mark = len(word) == 1 and word in self._marks and not self.quoted
        if self.at_end() or is_mark:
            raise self.error(f"expected {what}, found {word or 'the end of the file'!r}")
        return self.next()

    def names(self, end: str) -> list[str]:
        """Return names separated by commas or blanks, consuming the closing mark."""
        names = []
        while not self.accept(end):
            names.append(self.name(f"a name or {end!r}"))
            self.accept(",")
        return names

    def at_end(self) -> bool:
        """Whether only white space remains."""
        return self.peek() == "" and not self.quoted

    def raw_until(self, mark: str) -> str:
        """Return the text up to the mark and consume both; for long rows of numbers."""
        end = self._text.find(mark, self._at)
        if end < 0:
            raise self.error(f"expected {mark!r} before the end of the file")
        raw = self._text[self._at : end]
        self._at = end + len(mark)
        return raw

    def skip_statement(self) -> None:
        """Skip past the next semicolon outside quotes."""
        while not self.accept(";"):
            if self.at_end():
                raise self.error("expected ';' before the end of the file")
            self.next()

    def skip_block(self) -> None:
        """Skip past a block in braces, with the text before it and nested blocks."""
        while not self.at_mark("{"):
            if self.at_end() or self.at_mark(";") or self.at_mark("}"):
                self.expect("{")
            self.next()
        self.next()
        depth = 1
        while depth:
            if self.at_end():
                raise self.error("expected '}' before the end of the file")
            token = self.next()
            if not self.quoted:
                depth += (token == "{") - (token == "}")


def _blank(match: re.Match[str]) -> str:
    """Return a quoted string unchanged and a comment as its line breaks."""
    return match[1] if match[1] is not None else " " + "\n" * match[0].count("\n")


def numbers(raw: str, line: int) -> list[float]:
    """Parse numbers separated by commas or white space."""
    words = raw.replace(",", " ").split()
    try:
        if "_" in raw:
            raise ValueError
        return [float(word) for word in words]
    except ValueError:
        wrong = next(word for word in words if not _is_number(word))
        raise DataError(f"line {line}: expected a number, found {wrong[:40]!r}") from None


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return "_" not in word
