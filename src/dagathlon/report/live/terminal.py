"""The scoreboard of a finished study as lines of text, for the end of a run."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from dagathlon.report.live.board import scoreboard
from dagathlon.report.results import Results

_ROWS = 10
_WIDTH = 88
_NAME = 36


def board_lines(results: Results) -> list[str]:
    """The leading sentences and the best settings, in aligned columns."""
    board = scoreboard(results)
    paragraphs = board["lead_text"].splitlines()
    lines = [line for text in paragraphs for line in textwrap.wrap(text, _WIDTH)]
    name = board["header"].index("setting")
    rows = [_short(row, name) for row in board["rows"][:_ROWS]]
    if rows:
        lines += ["", *_aligned([board["header"], *rows], name)]
        lines += textwrap.wrap(board["note"], _WIDTH)
    more = len(board["rows"]) + board["more"] - len(rows)
    if more > 0:
        lines.append(f"… and {more:,} more in the report")
    return lines


def _aligned(rows: Sequence[Sequence[str]], name: int) -> list[str]:
    """Rows in columns, names to the left and numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if place == name else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _short(row: Sequence[str], name: int) -> list[str]:
    """A row whose name is not too long for a terminal."""
    long = len(row[name]) > _NAME
    return [cell[: _NAME - 1] + "…" if i == name and long else cell for i, cell in enumerate(row)]
