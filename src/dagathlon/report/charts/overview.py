"""All kinds of data at a glance: each algorithm at its best setting on each of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dagathlon.report.charts.parts import SETTINGS, Chart, Rows, data, has_values, nothing
from dagathlon.report.words import words

_STEP, _CELL = 24, 58


def overview(
    settings: Rows, metric: str, kinds: Sequence[str], ids: Sequence[str] | None = None
) -> Chart:
    """A cell for each kind of data and algorithm: the mean, darkest where it is the best.

    Shades compare within a row alone, so that kinds of data of unlike size stand side by side.

    Parameters
    ----------
    settings
        One row per setting and kind of data with the mean of the metric.
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
        "data": data(SETTINGS, settings, ("id", "setting", "case", "n_seeds", "place", value)),
        "transform": _shades(value, words(metric).better == "more"),
        "encoding": {
            "x": _axis("id", order) | {"axis": _quiet(orient="top", labelAngle=-40)},
            "y": _axis("case", kinds) | {"axis": _quiet()},
            "tooltip": tips,
        },
        "layer": [_tile(), _number(value)],
        # A page makes the cells as wide as it has room for.
        "usermeta": {"widest_cell": 2 * _CELL},
    }


def _shades(value: str, more: bool) -> list[Chart]:
    """The best setting of each algorithm, and where it stands between median and best of a row.

    Between worst and best, one bad algorithm would make all others look alike.
    """
    best = "max" if more else "min"
    span, gain = "(datum._middle - datum._best)", f"(datum._middle - datum['{value}'])"
    whole = f"datum['{value}'] === datum._best ? 1 : 0"
    pair = ["case", "id"]
    return [
        {"filter": f"isValid(datum['{value}'])"},
        {"joinaggregate": [{"op": best, "field": value, "as": "_own"}], "groupby": pair},
        {"filter": f"datum['{value}'] === datum._own"},
        {"window": [{"op": "row_number", "as": "_first"}], "groupby": pair},
        {"filter": "datum._first === 1"},
        {
            "joinaggregate": [
                {"op": best, "field": value, "as": "_best"},
                {"op": "median", "field": value, "as": "_middle"},
            ],
            "groupby": ["case"],
        },
        {"calculate": f"{span} ? max(0, {gain} / {span}) : {whole}", "as": "shade"},
    ]


def _axis(field: str, order: Sequence[str]) -> dict[str, Any]:
    return {"field": field, "type": "nominal", "title": None, "sort": list(order)}


def _quiet(**changes: Any) -> dict[str, Any]:
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


def _number(value: str) -> Chart:
    """The mean, in bold where it is the best."""
    ink = {"condition": {"test": "datum.shade > 0.82", "value": "white"}, "value": "#1b1f24"}
    text = {"field": value, "type": "quantitative", "format": ".3~g"}
    return {"mark": {"type": "text", "fontSize": 11}, "encoding": {"text": text, "color": ink}}
