"""``held_out``: how well graphs predict rows that were not learned from, with its chart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dagathlon.evaluations.no_truth.scores import HeldOutRows, paired_difference
from dagathlon.frame import Cells, Row, Rows, grouped
from dagathlon.modules import Natural
from dagathlon.report.charts.parts import STEP, WIDTH, Chart, is_nothing, nothing, tooltip
from dagathlon.report.evaluation import OfLearners, Table, TableSet
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.results import Results
from dagathlon.report.section import Figure, Grid, Part, Section, Words
from dagathlon.report.tables.places import (
    by_data,
    data_columns,
    named_places,
    not_defined,
    place_of,
)
from dagathlon.report.tables.runs import combination
from dagathlon.study.config.plan_requests import Cases, DataScore, RunScore, Wanted

_ERRORS = 2


def held_out_plot(rows: Rows) -> Chart:
    """Plot how far each setting is behind the best one.

    Parameters
    ----------
    rows
        `setting`, `log-likelihood`, `to the best` and `± to the best`, the best first.
    """
    shown = [_bar(row) for row in rows if row["log-likelihood"] is not None]
    if len(shown) < 2:
        return nothing("there is nothing to compare")
    order = [row["setting"] for row in shown]
    y = {"field": "setting", "type": "nominal", "sort": order, "title": None}
    title = "log-likelihood per row, difference to the best (nats)"
    scale = {"zero": True, "nice": True}
    x = {"field": "difference", "type": "quantitative", "title": title, "scale": scale}
    ends = {"x": {**x, "field": "low"}, "x2": {"field": "high"}}
    return {
        "width": WIDTH,
        "height": {"step": STEP + 5},
        "data": {"values": shown},
        "encoding": {"y": y, "tooltip": tooltip(setting="setting", words="difference")},
        "layer": [
            {"mark": {"type": "rule", "strokeWidth": 2, "color": "#2b7fc9"}, "encoding": ends},
            {
                "mark": {
                    "type": "point",
                    "filled": True,
                    "size": 70,
                    "opacity": 1,
                    "color": "#2b7fc9",
                },
                "encoding": {"x": x},
            },
        ],
    }


def _bar(row: Any) -> Chart:
    value, error = row["to the best"] or 0.0, row["± to the best"] or 0.0
    return {
        "setting": row["setting"],
        "difference": value,
        "low": value - _ERRORS * error,
        "high": value + _ERRORS * error,
        "words": "the best" if row["to the best"] is None else f"{value:.4f} ± {error:.4f}",
    }


_SCORE, _EMPTY = "held_out_rows", "held_out_empty"
_EMPTY_NAME = "(no edges)"
_HOW = (
    "Mean log-likelihood of a row under parameters fitted to the other folds: more is better, and "
    "differences of the same rows come with their standard error. A CPDAG stands for a DAG of its "
    "class. The graph itself was learned from all rows, so that what is tried here is how much its "
    "edges are worth once their parameters are paid for, and not whether other data would give it."
)
_FIGURE = (
    "Difference to the best setting, row by row; bars reach two standard errors to both sides. "
    "The table says besides what all edges together are worth, against a graph without any."
)


@dataclass(frozen=True, kw_only=True)
class HeldOutLikelihood(OfLearners):
    """Compare learned graphs by the likelihood of rows held out from fitting their parameters.

    Parameters
    ----------
    ids
        Algorithms to include; none means all that the other evaluations name.
    folds
        Number of parts of the data; each is scored with parameters fitted to the others.
    """

    name = "held_out"
    on_page = True
    ids: tuple[str, ...] = ()
    folds: Natural = 10

    def tasks(self, cases: Cases) -> Iterator[Wanted]:
        """Request held-out log-likelihoods for each graph, and for the empty one."""
        module = HeldOutRows(folds=self.folds)
        yield RunScore(_SCORE, module, ("data", "estimate"))
        yield DataScore(_EMPTY, module, ("data",))

    def tables(self, results: Results) -> Mapping[str, Table]:
        """Return one row per setting and data set, the best first."""
        runs = results.runs_of(self.included(results))
        places = [place_of(results, run) for run in runs]
        about = named_places(results, places)
        result = grouped(
            ((place.data, place.seed), about[place] | score[_SCORE])
            for place, score in zip(places, results.scores(_SCORE, runs), strict=True)
            if score is not None
        )
        for row in results.data_rows(_EMPTY):
            members = result.get((combination(row), int(row["seed"])))
            if members:
                data = {name: members[0][name] for name in data_columns(members)}
                members.append(data | {"setting": _EMPTY_NAME} | row[_SCORE])
        rows = [row for members in result.values() for row in _compared(members)]
        return {"held out": Table(rows, "held_out.csv")}

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """Draw one figure per data set."""
        for number, (_, rows) in enumerate(by_data(tables.rows("held out")).items(), 1):
            chart = held_out_plot(_learned(rows))
            if not is_nothing(chart):
                yield f"held_out_{number}", chart

    def section(self, tables: TableSet) -> Section | None:
        """Show the differences, and the numbers."""
        rows = tables.rows("held out")
        if not rows:
            return None
        variants = [
            (name or "the data", held_out_plot(_learned(members)))
            for name, members in by_data(rows).items()
        ]
        parts: list[Part] = [Words(_HOW)]
        parts.append(Figure("held-out", "Which graph predicts best?", _FIGURE, variants))
        parts += [_grid([row for row in rows if not row["note"]]), *not_defined(rows)]
        return Section("held-out", "Held-out likelihood", parts, leading=True)


def _compared(rows: Rows) -> Iterator[Cells]:
    """Add to the rows their differences to the best one and to the empty graph."""
    scored = [row for row in rows if "blocks" in row]
    best = max(scored, key=lambda row: row["mean"], default=None)
    empty = next((row for row in scored if row["setting"] == _EMPTY_NAME), None)
    for row in sorted(rows, key=lambda row: -row.get("mean", float("-inf"))):
        names = (*data_columns(rows), "setting", "rows")
        line: Cells = {name: row.get(name) for name in names}
        line["log-likelihood"] = row.get("mean")
        for name, other in (("to the best", best), ("to no edges", empty)):
            known = "blocks" in row and other is not None and other is not row
            apart = paired_difference(row["blocks"], other["blocks"]) if known and other else None
            line[name] = None if apart is None else apart.mean
            line[f"± {name}"] = None if apart is None else apart.error
        yield line | {"note": row.get("note"), "remark": row.get("remark")}


def _learned(rows: Rows) -> list[Row]:
    """Return the rows without the empty graph, whose distance would compress the chart."""
    return [row for row in rows if row["setting"] != _EMPTY_NAME]


def _grid(rows: Rows) -> Grid:
    data = data_columns(rows)
    head = [*data, "setting", "rows", "log-likelihood per row", "difference to the best"]
    head.append("difference to no edges")
    shown = []
    for row in rows:
        cells: list[Any] = [row[name] for name in (*data, "setting", "rows", "log-likelihood")]
        shown.append([*cells, *(_difference(row, n) for n in ("to the best", "to no edges"))])
    return Grid(head, shown, 1 + len(data))


def _difference(row: Row, name: str) -> str | None:
    value, error = row[name], row[f"± {name}"]
    if value is None:
        return None
    return f"{value:+.4f}" if error is None else f"{value:+.4f} ± {error:.4f}"
