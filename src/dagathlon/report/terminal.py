"""The scoreboard of a finished study as lines of text, for the end of a run."""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Sequence

from dagathlon.report.board import scoreboard
from dagathlon.report.context import Results

_ROWS = 10
_WIDTH = 88
_NAME = 36


def board_lines(results: Results) -> list[str]:
    """The leading sentences and the best settings, in aligned columns."""
    board = scoreboard(results)
    lead = html.unescape(re.sub(r"<[^>]+>", "", board["lead"]))
    lines = textwrap.wrap(" ".join(lead.split()), _WIDTH)
    rows = [[_short(row[0]), *row[1:]] for row in board["rows"][:_ROWS]]
    if rows:
        lines += ["", *_aligned([board["header"], *rows])]
    more = len(board["rows"]) + board["more"] - len(rows)
    if more > 0:
        lines.append(f"… and {more:,} more in the report")
    return lines


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows in columns, names to the left and numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _short(name: str) -> str:
    return name if len(name) <= _NAME else name[: _NAME - 1] + "…"
