"""Tokeniser of Graphviz files."""

from __future__ import annotations

import re
from typing import NamedTuple

from dagathlon.graphs.formats.source import TextSource, shown

# Repeated by a loop: Python before 3.11.5 errs in possessive repeats of groups with choices.
_SKIPPED = re.compile(r"\s+|//[^\n]*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/|(?:(?<=\n)|\A)#[^\n]*")
_WORD = re.compile(
    r'(?P<quoted>"(?:[^"\\]|\\.)*+")'
    r"|(?P<op>->|--)"
    r"|(?P<id>[A-Za-z_\x80-\U0010ffff][A-Za-z0-9_\x80-\U0010ffff]*+|-?(?:\.\d++|\d++(?:\.\d*+)?))"
    r"|(?P<mark>[{}\[\]=;,:+])"
    r"|(?P<html><)",
    re.DOTALL,
)
# Graphviz knows three pairs with a backslash: a quote, a continued line, and two backslashes,
# which stay two.
_ESCAPE = re.compile(r'\\(\\|"|\r\n?|\n)')


class Token(NamedTuple):
    """Token: its kind ("id", "op", "html", a punctuation mark or "end"), text and position."""

    kind: str
    text: str
    position: int
    keyword: str = ""


def tokens(source: TextSource) -> list[Token]:
    """Return all tokens of the file, closed by one of kind "end"."""
    text, position = source.text, 0
    words: list[Token] = []
    while True:
        position = after_comments(text, position)
        if position >= len(text):
            return [*words, Token("end", "the end of the file", position)]
        token, position = _token(source, position)
        words.append(token)


def after_comments(text: str, position: int = 0) -> int:
    """Return the position of the first token after blanks and comments."""
    while skipped := _SKIPPED.match(text, position):
        position = skipped.end()
    return position


def unescaped(inside: str) -> str:
    """Return the content of a quoted identifier with its escapes resolved."""
    return _ESCAPE.sub(_meaning, inside)


def _meaning(escape: re.Match[str]) -> str:
    return {'"': '"', "\\": "\\\\"}.get(escape[1], "")


def _token(source: TextSource, position: int) -> tuple[Token, int]:
    text = source.text
    word = _WORD.match(text, position)
    if word is None:
        line = source.line_of(position)
        raise source.error(f"cannot read {shown(text[position : position + 20])}", line)
    if word["quoted"]:
        return Token("id", unescaped(word[0][1:-1]), position), word.end()
    if word["html"]:
        end = _html_end(source, position)
        return Token("html", text[position:end], position), end
    if word["id"]:
        return Token("id", word[0], position, word[0].lower()), word.end()
    return Token("op" if word["op"] else word[0], word[0], position), word.end()


def _html_end(source: TextSource, position: int) -> int:
    depth = 0
    for bracket in re.compile("[<>]").finditer(source.text, position):
        depth += 1 if bracket[0] == "<" else -1
        if not depth:
            return bracket.end()
    raise source.error("'<' is never closed", source.line_of(position))
