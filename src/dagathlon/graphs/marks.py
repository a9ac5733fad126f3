"""Endpoint marks and the text notation of edges."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

from dagathlon.errors import GraphError, unknown


class Mark(IntEnum):
    """Mark at one end of an edge."""

    NONE = 0
    CIRCLE = 1
    ARROW = 2
    TAIL = 3


# Written edge -> (mark at the left node, mark at the right node). The first spelling of a pair is
# the one we write; the others are read.
CONNECTORS: Mapping[str, tuple[Mark, Mark]] = {
    "->": (Mark.TAIL, Mark.ARROW),
    "<-": (Mark.ARROW, Mark.TAIL),
    "<->": (Mark.ARROW, Mark.ARROW),
    "-": (Mark.TAIL, Mark.TAIL),
    "o->": (Mark.CIRCLE, Mark.ARROW),
    "<-o": (Mark.ARROW, Mark.CIRCLE),
    "o-o": (Mark.CIRCLE, Mark.CIRCLE),
    "o-": (Mark.CIRCLE, Mark.TAIL),
    "-o": (Mark.TAIL, Mark.CIRCLE),
    "--": (Mark.TAIL, Mark.TAIL),
    "---": (Mark.TAIL, Mark.TAIL),
    "-->": (Mark.TAIL, Mark.ARROW),
    "<--": (Mark.ARROW, Mark.TAIL),
    "o--": (Mark.CIRCLE, Mark.TAIL),
    "--o": (Mark.TAIL, Mark.CIRCLE),
}

_WRITTEN: dict[tuple[Mark, Mark], str] = {}
for _text, _pair in CONNECTORS.items():
    _WRITTEN.setdefault(_pair, _text)


def connector(at_left: int, at_right: int) -> str:
    """Return the notation of an edge with these marks, such as ``->`` for a tail and an arrow."""
    return _WRITTEN[Mark(at_left), Mark(at_right)]


def marks_of(text: str) -> tuple[Mark, Mark]:
    """Parse the notation of an edge: return the marks at its left and at its right node."""
    try:
        return CONNECTORS[text.strip()]
    except KeyError:
        raise GraphError(unknown("edge", text, CONNECTORS)) from None
