"""Everything a study writes, from the store to the folder of a setup."""

from __future__ import annotations

from pathlib import Path

from dagathlon.report.context import Context
from dagathlon.report.files import write_bytes
from dagathlon.report.page import render
from dagathlon.report.render import painting
from dagathlon.report.writers import writers


def write_outputs(context: Context) -> Path:
    """Write tables and report of a setup; returns the report."""
    report = context.folder / "report.html"
    with painting():
        for kind, write in writers():
            evaluations = context.evaluations(kind)
            if evaluations:
                write(context, evaluations)
        write_bytes(report, render(context).encode("utf-8", errors="replace"))
    return report
