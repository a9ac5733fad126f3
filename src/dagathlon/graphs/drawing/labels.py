"""Node labels: their width and line breaks."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import NamedTuple

FONT_SIZE = 12.0
LINE_HEIGHT = 15.0
_PADDING_X, _PADDING_Y = 9.0, 6.0
_MIN_WIDTH = 30.0
_MAX_LINE = 110.0
_MAX_LINES = 3
# A word without a place to break may be this much longer than a line.
_SLACK = 1.3

# Widths in em of a common sans-serif, a little generous since the reader's font is unknown.
_NARROW, _MEDIUM, _WIDE = set("iIjl|.,:;'!()[]{}/\\ftr1-` "), set("mwMW@%—"), 1.0
# Where a long name may be broken: after a sign, or before a capital that follows a small letter.
_BREAK = re.compile(r"(?<=[_\-.\s/:,;|])|(?<=[a-z0-9])(?=[A-Z])")


class Label(NamedTuple):
    """Lines of a node's label and the size of its box."""

    lines: tuple[str, ...]
    width: float
    height: float


def label(name: str) -> Label:
    """Break a name into at most three lines of moderate width; truncate longer ones."""
    text = "".join(character if character.isprintable() else "␣" for character in name)
    lines = _broken(text)
    width = max(map(text_width, lines)) + 2 * _PADDING_X
    return Label(lines, max(width, _MIN_WIDTH), len(lines) * LINE_HEIGHT + 2 * _PADDING_Y)


def text_width(text: str) -> float:
    """Return the approximate width of a line of text."""
    return FONT_SIZE * sum(map(_character_width, text))


def _character_width(character: str) -> float:
    if character in _NARROW:
        return 0.36
    if character in _MEDIUM:
        return 0.92
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return _WIDE
    return 0.7 if character.isupper() else 0.6


def _broken(text: str) -> tuple[str, ...]:
    if text_width(text) <= _MAX_LINE:
        return (text,)
    lines = [""]
    for part in _BREAK.split(text):
        for piece in _pieces(part):
            if lines[-1] and text_width(lines[-1] + piece) > _MAX_LINE:
                lines.append("")
            lines[-1] += piece
    if len(lines) > _MAX_LINES:
        lines = [*lines[: _MAX_LINES - 1], lines[_MAX_LINES - 1][:-1] + "…"]
    return tuple(lines)


def _pieces(part: str) -> list[str]:
    """Split a part into equal pieces if it is too long for a line."""
    count = math.ceil(text_width(part) / (_MAX_LINE * _SLACK))
    size = math.ceil(len(part) / count) if count > 1 else len(part)
    return [part[start : start + size] for start in range(0, len(part), size)]
