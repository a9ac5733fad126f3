"""What the learners say of their results, for those who read only the numbers."""

from __future__ import annotations

from typing import NamedTuple

from dagathlon.frame import Row, Rows, grouped
from dagathlon.report.page.sections import text
from dagathlon.study.records.runs import NOTES, TIME_NOTE
from dagathlon.wording import counted

_OF_RESULTS = (
    "What a learner says of its own results, by the first run that has a note; those of all runs "
    "are in the column <code>notes</code> of the tables."
)
_OF_TIMES = (
    "Runs that did a part of their work together, so that their times say less about a learner "
    "than the sum of them; each says in the column <code>time_note</code> of the tables what its "
    "time is."
)


class _Remark(NamedTuple):
    setting: str
    example: str
    runs: int
    of: int


def remarks(rows: Rows) -> str:
    """A section with one line for each setting whose results come with notes; empty without."""
    parts = _list(rows, NOTES, _OF_RESULTS) + _list(rows, TIME_NOTE, _OF_TIMES)
    if not parts:
        return ""
    return (
        '<section id="notes" data-nav="Notes" aria-labelledby="notes-heading">'
        f'<h2 id="notes-heading">Notes of the learners</h2>{parts}</section>'
    )


def _list(rows: Rows, column: str, about: str) -> str:
    found = [_remark(setting, runs, column) for setting, runs in _by_setting(rows).items()]
    lines = "".join(_line(one) for one in found if one.runs)
    return f'<p class="muted">{about}</p><ul class="notes">{lines}</ul>' if lines else ""


def _by_setting(rows: Rows) -> dict[str, list[Row]]:
    return grouped((row["setting"], row) for row in rows)


def _remark(setting: str, rows: Rows, column: str) -> _Remark:
    notes = [row[column] for row in rows if row.get(column)]
    return _Remark(setting, notes[0] if notes else "", len(notes), len(rows))


def _line(one: _Remark) -> str:
    how_often = f"{one.runs:,} of {counted(one.of, 'run')}"
    return f"<li><strong>{text(one.setting)}</strong> ({how_often}): {text(one.example)}</li>"
