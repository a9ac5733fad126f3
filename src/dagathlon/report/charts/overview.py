"""Charts of all runs at once: metrics of all settings, and failures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dagathlon.frame import Rows
from dagathlon.report.charts.boxes import setting_axis
from dagathlon.report.charts.parts import (
    RUNS,
    SETTINGS,
    STEP,
    WIDTH,
    Chart,
    data,
    has_values,
    nothing,
)
from dagathlon.report.words import words

_STEP, _CELL = 24, 58


def overview(
    settings: Rows, metric: str, kinds: Sequence[str], ids: Sequence[str] | None = None
) -> Chart:
    """Draw a cell per kind of data and algorithm with its mean, darkest for the best.

    Shades compare within a row alone, so that kinds of data of unlike size stand side by side.

    Parameters
    ----------
    settings
        One row per setting and kind of data with the mean of the metric and, where it is known, the
        number of runs that it is over.
    metric
        The column.
    kinds
        The kinds of data, in the order of the rows.
    ids
        The algorithms, in the order of the columns; as they come if None.
    """
    value = f"{metric}_mean"
    if not has_values(settings, value):
        return nothing(f"no run has a number for: {words(metric).title}")
    order = list(ids or dict.fromkeys(row["id"] for row in settings))
    tips = [
        {"field": "case", "title": "data"},
        {"field": "setting", "title": "algorithm"},
        {"field": value, "title": metric, "format": ".4g"},
        {"field": "n_seeds", "title": "seeds"},
    ]
    return {
        "width": {"step": _CELL},
        "height": {"step": _STEP},
        "data": data(
            SETTINGS, settings, ("id", "setting", "case", "n_seeds", "place", value, f"{metric}_n")
        ),
        "transform": _shades(value, f"{metric}_n", words(metric).better == "more"),
        "encoding": {
            "x": _axis("id", order) | {"axis": _quiet(orient="top", labelAngle=-40)},
            "y": _axis("case", kinds) | {"axis": _quiet()},
            "tooltip": tips,
        },
        "layer": [_tile(), _number()],
        # A page makes the cells as wide as it has room for.
        "usermeta": {"widest_cell": 2 * _CELL},
    }


def _shades(value: str, number: str, more: bool) -> list[Chart]:
    """Return the best setting of each algorithm, with its position between median and best.

    Between worst and best, one bad algorithm would make all others look alike. A mean over some of
    the runs is that of other data: it is marked, and does not compete.
    """
    best = "max" if more else "min"
    span, gain = "(datum._middle - datum._best)", f"(datum._middle - datum['{value}'])"
    whole = f"datum['{value}'] === datum._best ? 1 : 0"
    pair = ["case", "id"]
    extremes = [{"op": best, "field": f, "as": f"_own{f}"} for f in ("_fair", "_any")]
    return [
        {"filter": f"isValid(datum['{value}'])"},
        {
            "calculate": f"isValid(datum['{number}']) && datum['{number}'] < datum.n_seeds",
            "as": "_part",
        },
        {"calculate": f"datum._part ? null : datum['{value}']", "as": "_fair"},
        {"calculate": f"datum['{value}']", "as": "_any"},
        {"joinaggregate": extremes, "groupby": pair},
        {
            "filter": "datum._fair === datum._own_fair || (datum._part && "
            "!isFinite(datum._own_fair) && datum._any === datum._own_any)"
        },
        {"window": [{"op": "row_number", "as": "_first"}], "groupby": pair},
        {"filter": "datum._first === 1"},
        {
            "joinaggregate": [
                {"op": best, "field": "_fair", "as": "_best"},
                {"op": "median", "field": "_fair", "as": "_middle"},
            ],
            "groupby": ["case"],
        },
        {
            "calculate": f"datum._part ? 0 : {span} ? max(0, {gain} / {span}) : {whole}",
            "as": "shade",
        },
        {
            "calculate": f"format(datum['{value}'], '.3~g') + (datum._part ? '*' : '')",
            "as": "_text",
        },
    ]


def _axis(field: str, order: Sequence[str]) -> Chart:
    return {"field": field, "type": "nominal", "title": None, "sort": list(order)}


def _quiet(**changes: Any) -> Chart:
    return {"ticks": False, "domain": False, "grid": False, "labelLimit": 340, **changes}


def _tile() -> Chart:
    legend = {"orient": "bottom", "gradientLength": 200, "tickCount": 1}
    legend |= {"labelExpr": "datum.value > 0.5 ? 'best of the row' : 'median or worse'"}
    colour = {
        "field": "shade",
        "type": "quantitative",
        "title": None,
        "scale": {"range": ["#eef3f8", "#9fc3e0", "#0f5a94"], "domain": [0, 1]},
        "legend": legend,
    }
    return {"mark": {"type": "rect", "cornerRadius": 2}, "encoding": {"color": colour}}


def _number() -> Chart:
    ink = {"condition": {"test": "datum.shade > 0.82", "value": "white"}, "value": "#1b1f24"}
    text = {"field": "_text", "type": "nominal"}
    return {"mark": {"type": "text", "fontSize": 11}, "encoding": {"text": text, "color": ink}}


# From the closed set of statuses to words, and to colours that colour-blind eyes tell apart.
STATUSES = {
    "ok": ("finished", "#009e73"),
    "timeout": ("over the time limit", "#e69f00"),
    "error": ("ended in an error", "#d55e00"),
    "memory": ("over the memory limit", "#cc79a7"),
    "skipped": ("skipped", "#8c8c8c"),
}


def outcomes(runs: Rows, step: int = STEP) -> Chart:
    """Draw a bar per setting with its numbers of runs by outcome.

    Parameters
    ----------
    runs
        One row per run, with the columns `setting` and `status`.
    step
        Height of a row.
    """
    if not runs:
        return nothing("there are no runs")
    present = {row["status"] for row in runs}
    endings = [ending for status, ending in STATUSES.items() if status in present]
    words, colours = [text for text, _ in endings], [colour for _, colour in endings]
    lookup = "{" + ",".join(f"'{k}':'{text}'" for k, (text, _) in STATUSES.items()) + "}"
    colour = {
        "field": "outcome",
        "type": "nominal",
        "title": None,
        "scale": {"domain": words, "range": colours},
    }
    return {
        "width": WIDTH,
        "height": {"step": step},
        "data": data(RUNS, runs, ("setting", "id", "status", "case", "run")),
        "transform": [{"calculate": f"({lookup})[datum.status]", "as": "outcome"}],
        "mark": {"type": "bar", "height": round(0.65 * step)},
        "encoding": {
            "y": setting_axis(runs),
            "x": {
                "aggregate": "count",
                "type": "quantitative",
                "title": "runs",
                "axis": {"tickMinStep": 1},
            },
            "color": colour,
            "tooltip": [{"field": "setting"}, {"field": "outcome"}, {"aggregate": "count"}],
        },
    }
