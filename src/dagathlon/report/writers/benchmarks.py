"""``benchmarks``: the joint tables and the twelve folders of figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from dagathlon.evaluate.summary import roc_summary
from dagathlon.report.charts.boxes import boxes, graph_types
from dagathlon.report.charts.parts import Chart, Rows, headed
from dagathlon.report.charts.roc import RocOptions, roc
from dagathlon.report.context import Context
from dagathlon.report.files import write_bytes, write_csv, write_parquet
from dagathlon.report.look import Look
from dagathlon.report.render import save
from dagathlon.report.tables import combination, combinations, curve_name, named
from dagathlon.study.grammar.evaluation import Benchmarks

EVALUATION = Benchmarks

_UNIT = (0.0, 1.0)


def write(context: Context, evaluations: Sequence[Benchmarks]) -> None:
    """Write tables and figures."""
    for evaluation in evaluations:
        rows = context.rows(evaluation.ids)
        prefix = f"{context.folder / 'benchmarks'}/{evaluation.filename_prefix}"
        summary = roc_summary(rows)
        _write_tables(context, prefix, rows, summary)
        _write_figures(context, prefix, rows, summary, evaluation)


def _write_tables(
    context: Context, prefix: str, rows: list[dict[str, Any]], summary: list[dict[str, Any]]
) -> None:
    write_csv(rows, Path(prefix + "joint_benchmarks.csv"))
    write_parquet(rows, Path(prefix + "joint_benchmarks.parquet"))
    for module in dict.fromkeys(row["algorithm"] for row in rows):
        of_module = [row for row in rows if row["algorithm"] == module]
        write_csv(of_module, Path(f"{prefix}{module}.csv"))
    write_csv(summary, Path(prefix + "ROC_data.csv"))
    write_bytes(Path(f"{prefix}config") / context.study.name, context.study.text)


class _Part(NamedTuple):
    """The rows of one combination of graph, parameters and data, and how to draw them."""

    runs: Rows
    settings: Rows
    look: Look
    options: Benchmarks


def _write_figures(
    context: Context,
    prefix: str,
    rows: list[dict[str, Any]],
    summary: list[dict[str, Any]],
    evaluation: Benchmarks,
) -> None:
    runs = named(rows, context.algorithms)
    settings = [row | {"setting": curve_name(row)} for row in summary]
    for number, which in enumerate(combinations(rows), 1):
        part = _Part(
            [row for row in runs if combination(row) == which],
            [row for row in settings if combination(row) == which],
            context.look,
            evaluation,
        )
        lines = which.lines(len({row["seed"] for row in part.runs}))
        for folder, chart in _charts(part):
            save(headed(chart, context.setup.title, lines), Path(f"{prefix}{folder}/{number}.png"))


def _charts(part: _Part) -> Iterator[tuple[str, Chart]]:
    """Benchpress's figures, by folder."""
    asked = part.options
    yield "FPR_TPR_pattern", _roc(part, "FPRn_pattern", "TPR_pattern")
    yield "FPR_TPR_skel", _roc(part, "FPR_skel", "TPR_skel", label="last")
    yield "FPRp_FNR_skel", _roc(part, "FPR_skel", "FNR_skel", label="last")
    yield "FNR_FPR_skel", _roc(part, "FNR_skel", "FPR_skel", label="last")
    unit = {"line": "mean", "xlim": _UNIT, "ylim": _UNIT}
    yield "roc_FPR_TPR", _roc(part, "FPR_pattern", "TPR_pattern", **unit)
    seeds = asked.show_seed
    for folder, metric in _BOXES.items():
        yield folder, boxes(part.runs, metric, part.look, show_seed=seeds)
    time: dict[str, Any] = {"show_seed": seeds, "limits": asked.ylim}
    yield "elapsed_time_joint", boxes(part.runs, "time", part.look, **time)
    yield "elapsed_log_time_joint", boxes(part.runs, "time", part.look, log=True, **time)
    yield "graph_type", graph_types(part.runs)


def _roc(part: _Part, x: str, y: str, **changes: Any) -> Chart:
    asked = part.options
    values: dict[str, Any] = {
        name: getattr(asked, name)
        for name in ("errorbar", "errorbarh", "scatter", "show_seed", "path", "text")
    }
    values |= {"xlim": asked.xlim, "ylim": asked.ylim} | changes
    return roc(part.runs, part.settings, (x, y), part.look, RocOptions(**values))


_BOXES = {
    "SHD_cpdag_joint": "SHD_cpdag",
    "f1_skel_joint": "F1_skel",
    "f1_pattern_joint": "F1_pattern",
    "ntests_joint": "ntests",
}
