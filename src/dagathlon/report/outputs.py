"""Everything a study writes, from the store to the folder of each setup."""

from __future__ import annotations

import json
import platform
from importlib.metadata import version
from pathlib import Path

from dagathlon.evaluate.summary import roc_summary
from dagathlon.report.context import Context
from dagathlon.report.page import render
from dagathlon.report.writers import writers
from dagathlon.study.config import Config
from dagathlon.study.plan import Plan
from dagathlon.study.store import Store

def write_outputs(
    config: Config, plan: Plan, store: Store, out: Path, partial: bool = False
) -> list[Path]:
    """Write tables and report of every setup; returns the reports."""
    reports = []
    for number, setup in enumerate(config.setups):
        context = Context(config, plan, store, number, setup, out / setup.title, partial)
        context.folder.mkdir(parents=True, exist_ok=True)
        for kind, write in writers():
            evaluations = context.evaluations(kind)
            if evaluations:
                write(context, evaluations)
        reports.append(_write_report(context))
    return reports


def _write_report(context: Context) -> Path:
    rows = context.rows(context.setup.algorithm_ids())
    path = context.folder / "report.html"
    page = render(context.setup.title, rows, roc_summary(rows), _facts(context))
    partial = path.with_name(path.name + ".part")
    partial.write_text(page, encoding="utf-8")
    partial.replace(path)
    return path


def _facts(context: Context) -> dict[str, str]:
    entries = context.setup.data
    seeds = ", ".join(f"{e.seeds.start}–{e.seeds.stop - 1}" for e in entries if e.seeds)
    return {
        "dagathlon": version("dagathlon"),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "study": context.config.path.name,
        "seeds": seeds,
        "again": f"dagathlon run {context.config.path.name}",
        "content": json.dumps(json.loads(context.config.path.read_text("utf-8-sig")), indent=1),
    }
