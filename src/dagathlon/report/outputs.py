"""Everything a study writes, from the store to the folder of each setup."""

from __future__ import annotations

from pathlib import Path

from dagathlon.report.context import Context
from dagathlon.report.files import write_bytes
from dagathlon.report.page import render
from dagathlon.report.render import painting
from dagathlon.report.writers import writers
from dagathlon.study.grammar.config import Config
from dagathlon.study.plan.plan import Plan
from dagathlon.study.store.store import Store


def write_outputs(
    config: Config, plan: Plan, store: Store, out: Path, partial: bool = False
) -> list[Path]:
    """Write tables and report of every setup; returns the reports."""
    reports = []
    for number, setup in enumerate(config.setups):
        context = Context(config, plan, store, number, setup, out / setup.title, partial)
        context.folder.mkdir(parents=True, exist_ok=True)
        with painting():
            for kind, write in writers():
                evaluations = context.evaluations(kind)
                if evaluations:
                    write(context, evaluations)
            reports.append(_write_report(context))
    return reports


def _write_report(context: Context) -> Path:
    path = context.folder / "report.html"
    write_bytes(path, render(context).encode("utf-8", errors="replace"))
    return path
