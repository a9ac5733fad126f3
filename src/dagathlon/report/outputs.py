"""Everything a study writes, from the store to the folder of each setup."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from dagathlon.evaluate.summary import roc_summary
from dagathlon.report.files import write_csv, write_parquet
from dagathlon.report.page import render
from dagathlon.study.config import Config, Setup
from dagathlon.study.evaluation import Benchmarks, Evaluation
from dagathlon.study.plan import Plan
from dagathlon.study.results import joint_rows
from dagathlon.study.store import Store

PARTIAL = "partial"


@dataclass(frozen=True)
class Context:
    """What a writer of outputs is given.

    Parameters
    ----------
    config, plan, store
        The study, its tasks, their results.
    number, setup
        The setup to write.
    folder
        Where to write.
    partial
        Whether the study was run only in part; every table says so.
    """

    config: Config
    plan: Plan
    store: Store
    number: int
    setup: Setup
    folder: Path
    partial: bool


def write_outputs(
    config: Config, plan: Plan, store: Store, out: Path, partial: bool = False
) -> list[Path]:
    """Write tables and report of every setup; returns the reports."""
    reports = []
    for number, setup in enumerate(config.setups):
        context = Context(config, plan, store, number, setup, out / setup.title, partial)
        context.folder.mkdir(parents=True, exist_ok=True)
        for evaluation in setup.evaluations:
            writer = _WRITERS.get(type(evaluation))
            if writer is not None:
                writer(context, evaluation)
        reports.append(_write_report(context))
    return reports


def _rows(context: Context, ids: tuple[str, ...]) -> list[dict[str, Any]]:
    rows = joint_rows(context.config, context.plan, context.store, context.number, ids)
    return [row | {PARTIAL: True} for row in rows] if context.partial else rows


def _write_benchmarks(context: Context, evaluation: Evaluation) -> None:
    assert isinstance(evaluation, Benchmarks)
    prefix = f"{context.folder / 'benchmarks'}/{evaluation.filename_prefix}"
    rows = _rows(context, evaluation.ids)
    write_csv(rows, Path(prefix + "joint_benchmarks.csv"))
    write_parquet(rows, Path(prefix + "joint_benchmarks.parquet"))
    for module in dict.fromkeys(row["algorithm"] for row in rows):
        of_module = [row for row in rows if row["algorithm"] == module]
        write_csv(of_module, Path(f"{prefix}{module}.csv"))
    write_csv(roc_summary(rows), Path(prefix + "ROC_data.csv"))
    config = Path(f"{prefix}config") / context.config.path.name
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_bytes(context.config.path.read_bytes())


_WRITERS: Mapping[type[Evaluation], Callable[[Context, Evaluation], None]] = {
    Benchmarks: _write_benchmarks,
}


def _write_report(context: Context) -> Path:
    rows = _rows(context, tuple(context.setup.algorithm_ids()))
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
