"""Which metrics order methods alike: correlations as tiles, a panel for each graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dagathlon.frame import Rows
from dagathlon.report.charts.facets import by_kind
from dagathlon.report.charts.parts import WIDTH, Chart, nothing
from dagathlon.report.words import words

_STEP = 25
# Blue where two metrics prefer the same methods, red where they prefer opposite ones.
_COLOURS = {"scheme": "redblue", "domain": [-1, 1]}


def correlation_tiles(rows: Rows, metrics: Sequence[str]) -> Chart:
    """Rank correlations of all pairs of metrics.

    Parameters
    ----------
    rows
        `graph`, `left`, `right`, `mean`, `low`, `high`, `data_sets`; one for each ordered pair.
    metrics
        The metrics, in the order of lines and columns.
    """
    if not rows:
        return nothing("there are not enough methods to rank")
    there = {row["left"] for row in rows}
    order = [_label(metric) for metric in metrics if metric in there]
    axis: Chart = {"ticks": False, "domain": False, "grid": False, "title": None}
    ink = {"condition": {"test": "abs(datum.mean) > 0.6", "value": "white"}, "value": "#1b1f24"}
    colour = {
        "field": "mean",
        "type": "quantitative",
        "scale": _COLOURS,
        "title": "rank correlation",
        "legend": {"orient": "bottom", "gradientLength": 220},
    }
    names = {"type": "nominal", "title": None, "sort": order, "scale": {"domain": order}}
    told = ["left", "right", "mean", "low", "high", "data_sets"]
    chart: Chart = {
        "width": WIDTH,
        "height": _STEP * len(order),
        "data": {"values": [_tile(row) for row in rows]},
        "encoding": {
            "x": names | {"field": "right", "axis": axis | {"orient": "top", "labelAngle": -60}},
            "y": names | {"field": "left", "axis": axis},
            "tooltip": [{"field": name, "title": name.replace("_", " ")} for name in told],
        },
        "layer": [
            {"mark": "rect", "encoding": {"color": colour}},
            {
                "mark": {"type": "text", "fontSize": 10},
                "encoding": {"text": {"field": "shown"}, "color": ink},
            },
        ],
    }
    return by_kind(chart, list(dict.fromkeys(str(row["graph"]) for row in rows)))


def _label(metric: str) -> str:
    return words(metric).label


def _tile(row: Any) -> Chart:
    numbers = {name: round(float(row[name]), 3) for name in ("mean", "low", "high")}
    return numbers | {
        "case": row["graph"],
        "left": _label(row["left"]),
        "right": _label(row["right"]),
        "data_sets": row["data_sets"],
        "shown": short(numbers["mean"]),
    }


def short(value: float) -> str:
    """Two digits without a zero before the point: .47, −.12, 1."""
    text = f"{abs(value):.2f}".lstrip("0")
    text = "1" if text == "1.00" else "0" if text == ".00" else text
    return f"\u2212{text}" if value < 0 and text != "0" else text
