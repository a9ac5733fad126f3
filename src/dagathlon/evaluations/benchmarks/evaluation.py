"""``benchmarks``: the joint tables and the twelve folders of figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from dagathlon.evaluate.ranking.summary import roc_summary
from dagathlon.frame import Rows
from dagathlon.report.charts.boxes import boxes, graph_types
from dagathlon.report.charts.parts import Chart, headed
from dagathlon.report.charts.roc import RocOptions, roc
from dagathlon.report.evaluation import OfLearners, Table, TableSet
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.figures.palette import Look
from dagathlon.report.results import Results
from dagathlon.report.tables.runs import combination, combinations, curve_name, named
from dagathlon.study.records.runs import run_schema

_UNIT = (0.0, 1.0)
_OPTIONS = ("errorbar", "errorbarh", "scatter", "show_seed", "path", "text")
_BOXES = {
    "SHD_cpdag_joint": "SHD_cpdag",
    "f1_skel_joint": "F1_skel",
    "f1_pattern_joint": "F1_pattern",
    "ntests_joint": "ntests",
}


class _Part(NamedTuple):
    """Rows of one combination of graph, parameters and data, with the settings of its figures."""

    runs: Rows
    settings: Rows
    look: Look


@dataclass(frozen=True, kw_only=True)
class Benchmarks(OfLearners):
    """Compare estimates with the truth: tables of metrics, ROC-type curves, box plots.

    Parameters
    ----------
    ids
        Algorithms to compare.
    filename_prefix
        Put in front of the names of all files; a trailing slash makes a folder.
    show_seed
        Label single runs with their seed.
    errorbar, errorbarh
        Draw vertical and horizontal 5–95 % bars.
    scatter
        Draw single runs.
    path
        Join the settings of an algorithm by a line.
    text
        Label points with the value of the varied parameter.
    xlim, ylim
        Axis limits of the ROC-type figures.
    """

    name = "benchmarks"
    ids: tuple[str, ...]
    filename_prefix: str = ""
    show_seed: bool = False
    errorbar: bool = True
    errorbarh: bool = False
    scatter: bool = True
    path: bool = True
    text: bool = False
    xlim: tuple[float, ...] | None = None
    ylim: tuple[float, ...] | None = None

    def compared(self) -> tuple[str, ...]:
        """Return the ids of the compared algorithms."""
        return self.ids

    def needs_truth(self) -> bool:
        """Return True: estimates are compared with true graphs."""
        return bool(self.ids)

    def problem(self) -> str:
        """Return an error unless limits are pairs and the prefix stays in the results folder."""
        prefix = self.filename_prefix
        if ".." in prefix.split("/") or prefix.startswith("/") or not prefix.isprintable():
            return "filename_prefix is no path inside the folder of results"
        for axis, limits in (("xlim", self.xlim), ("ylim", self.ylim)):
            if limits is not None and (len(limits) != 2 or limits[0] >= limits[1]):
                return f"{axis} is a pair [low, high] or null"
        return ""

    def tables(self, results: Results) -> Mapping[str, Table]:
        """Return Benchpress's tables, and the data of the figures."""
        rows, prefix = results.rows(self.ids), self.filename_prefix
        summary = roc_summary(rows)
        result = {
            "joint": Table(
                rows,
                f"{prefix}joint_benchmarks.csv",
                parquet=True,
                schema=run_schema(),
                numbered=True,
            ),
            "summary": Table(summary, f"{prefix}ROC_data.csv", numbered=True),
            "runs": Table(named(rows, results.algorithms)),
            "settings": Table([row | {"setting": curve_name(row)} for row in summary]),
        }
        for module in dict.fromkeys(row["algorithm"] for row in rows):
            mine = [row for row in rows if row["algorithm"] == module]
            result[f"module {module}"] = Table(mine, f"{prefix}{module}.csv", numbered=True)
        return result

    def files(self, results: Results) -> Iterator[tuple[str, bytes]]:
        """Write a copy of the study file."""
        yield f"{self.filename_prefix}config/{results.study.name}", results.study.text

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """Draw twelve figures per combination of graph, parameters and data."""
        runs, settings = tables.rows("runs"), tables.rows("settings")
        for number, which in enumerate(combinations(tables.rows("joint")), 1):
            part = _Part(
                [row for row in runs if combination(row) == which],
                [row for row in settings if combination(row) == which],
                tables.look,
            )
            lines = which.lines(len({row["seed"] for row in part.runs}))
            for folder, chart in self._charts(part):
                name = f"{self.filename_prefix}{folder}/{number}.png"
                yield name, headed(chart, tables.title, lines)

    def _charts(self, part: _Part) -> Iterator[tuple[str, Chart]]:
        """Yield Benchpress's figures with their folders."""
        yield "FPR_TPR_pattern", self._roc(part, "FPRn_pattern", "TPR_pattern")
        yield "FPR_TPR_skel", self._roc(part, "FPR_skel", "TPR_skel", label="last")
        yield "FPRp_FNR_skel", self._roc(part, "FPR_skel", "FNR_skel", label="last")
        yield "FNR_FPR_skel", self._roc(part, "FNR_skel", "FPR_skel", label="last")
        unit = {"line": "mean", "xlim": _UNIT, "ylim": _UNIT}
        yield "roc_FPR_TPR", self._roc(part, "FPR_pattern", "TPR_pattern", **unit)
        seeds = self.show_seed
        for folder, metric in _BOXES.items():
            yield folder, boxes(part.runs, metric, part.look, show_seed=seeds)
        time: dict[str, Any] = {"show_seed": seeds, "limits": self.ylim}
        yield "elapsed_time_joint", boxes(part.runs, "time", part.look, **time)
        yield "elapsed_log_time_joint", boxes(part.runs, "time", part.look, log=True, **time)
        yield "graph_type", graph_types(part.runs)

    def _roc(self, part: _Part, x: str, y: str, **changes: Any) -> Chart:
        values: dict[str, Any] = {name: getattr(self, name) for name in _OPTIONS}
        values |= {"xlim": self.xlim, "ylim": self.ylim} | changes
        return roc(part.runs, part.settings, (x, y), part.look, RocOptions(**values))
