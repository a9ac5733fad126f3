"""What a forecast of intersection-validation is worth: accuracy against the agreement graph."""

from __future__ import annotations

from dagathlon.frame import Rows
from dagathlon.report.charts.facets import by_kind
from dagathlon.report.charts.parts import HEIGHT, WIDTH, Chart, nothing, tooltip

CLASSES = ((5, "fewer than 5"), (10, "5 to 9"), (20, "10 to 19"), (None, "20 or more"))
"""Numbers of connected pairs: the bound below which a class ends, and its words."""
_COLOURS = ("#d55e00", "#e69f00", "#56b4e9", "#0072b2")
_SHAPES = ("triangle-down", "square", "diamond", "circle")
_Y: Chart = {
    "field": "pearson",
    "type": "quantitative",
    "title": "correlation of PHD with SHD",
    "scale": {"domain": [-1, 1]},
}


def class_of(connected: float) -> str:
    """In words, how many pairs of an agreement graph are connected."""
    return next(words for end, words in CLASSES if end is None or connected < end)


def accuracy_against_size(rows: Rows) -> Chart:
    """Correlation of PHD and SHD against the relative size of the agreement graph.

    Parameters
    ----------
    rows
        `network`, `point`, `rows`, `relative_size`, `connected`, `pearson`.
    """
    known = [row for row in rows if row["pearson"] is not None]
    if not known:
        return nothing("no correlation is defined")
    values = [
        {name: row[name] for name in ("point", "rows", "relative_size", "connected", "pearson")}
        | {"case": row["network"], "class": class_of(row["connected"])}
        for row in known
    ]
    order = [words for _, words in CLASSES if words in {value["class"] for value in values}]
    places = [[words for _, words in CLASSES].index(words) for words in order]
    legend: Chart = {"title": "connected pairs"}
    field: Chart = {"field": "class", "type": "nominal", "legend": legend}
    told = tooltip(case="network", point="intersection point", rows="rows of subsamples")
    told += [
        {"field": name, "title": name.replace("_", " "), "format": ".3g"}
        for name in ("relative_size", "connected", "pearson")
    ]
    chart: Chart = {
        "width": WIDTH,
        "height": HEIGHT - 80,
        "data": {"values": values},
        "mark": {"type": "point", "filled": True, "size": 55, "opacity": 0.85},
        "encoding": {
            "x": {
                "field": "relative_size",
                "type": "quantitative",
                "title": "relative size of the agreement graph",
                "scale": {"zero": False, "padding": 10},
            },
            "y": _Y,
            "color": field | {"scale": {"domain": order, "range": [_COLOURS[i] for i in places]}},
            "shape": field | {"scale": {"domain": order, "range": [_SHAPES[i] for i in places]}},
            "tooltip": told,
        },
    }
    return by_kind(chart, list(dict.fromkeys(value["case"] for value in values)))


def accuracy_by_verdict(rows: Rows, verdicts: tuple[str, ...]) -> Chart:
    """The correlations that went with each verdict, with their quartiles.

    Parameters
    ----------
    rows
        `network`, `verdict`, `pearson`, one for each data set and number of rows.
    verdicts
        The verdicts, in order.
    """
    known = [row for row in rows if row["pearson"] is not None]
    if not known:
        return nothing("no correlation is defined")
    values = [
        {"verdict": row["verdict"], "pearson": round(float(row["pearson"]), 4)} for row in known
    ]
    there = {value["verdict"] for value in values}
    order = [verdict for verdict in verdicts if verdict in there]
    return {
        "width": WIDTH,
        "height": 46 * len(order),
        "data": {"values": values},
        "mark": {"type": "boxplot", "extent": "min-max", "size": 22},
        "encoding": {
            "x": _Y,
            "y": {
                "field": "verdict",
                "type": "nominal",
                "title": None,
                "sort": order,
                "scale": {"domain": order},
            },
        },
    }
