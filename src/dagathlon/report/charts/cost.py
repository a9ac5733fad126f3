"""Accuracy against cost: what a better graph takes."""

from __future__ import annotations

from dagathlon.frame import Rows
from dagathlon.report.charts.parts import (
    HEIGHT,
    SETTINGS,
    WIDTH,
    Chart,
    data,
    has_values,
    nothing,
    quantity,
    tooltip,
)
from dagathlon.report.figures.palette import Look
from dagathlon.report.words import title, words


def accuracy_against_cost(settings: Rows, metric: str, cost: str, look: Look) -> Chart:
    """A point for each setting, and the front: what no cheaper setting does as well.

    Medians over seeds, cost on a logarithmic axis. The front follows the filters of a page: it is
    computed where the chart is drawn.

    Parameters
    ----------
    settings
        One row per setting with the medians of both columns.
    metric
        What is gained.
    cost
        What it costs: time or memory.
    look
        Colours and symbols.
    """
    x, y = f"{cost}_median", f"{metric}_median"
    if not has_values(settings, x) or not has_values(settings, y):
        return nothing(f"no setting has numbers for both {words(metric).title} and {cost}")
    tips = tooltip(setting="algorithm", case="data", n_seeds="seeds")
    tips += [{"field": field, "format": ".3g"} for field in (x, y)]
    shown = {"type": "point", "filled": True, "size": 75, "opacity": 1, "fillOpacity": 0.9}
    styled = {"color": look.colour(), "shape": look.shape(), "tooltip": tips}
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "data": data(SETTINGS, settings, ("id", "setting", "case", "n_seeds", "place", x, y)),
        "transform": [{"filter": f"datum['{x}'] > 0 && isValid(datum['{y}'])"}],
        "encoding": {
            "x": {
                "field": x,
                "type": "quantitative",
                "title": title(cost),
                "scale": {"type": "log", "nice": False, "padding": 14},
                "axis": {"tickCount": 4, "grid": False, "format": "~g" if cost == "time" else "~s"},
            },
            "y": quantity(y, metric),
        },
        "layer": [_front(x, y, words(metric).better), {"mark": shown, "encoding": styled}],
    }


def _front(x: str, y: str, better: str) -> Chart:
    """A step line through the settings that are better than all cheaper ones, by data."""
    best = {"op": "max" if better == "more" else "min", "field": y, "as": "_best"}
    before = {"op": "lag", "field": "_best", "as": "_before"}
    order = [{"field": x}, {"field": y, "order": "descending" if better == "more" else "ascending"}]
    along = {"sort": order, "groupby": ["case"]}
    return {
        "transform": [
            {"window": [best], "frame": [None, 0], **along},
            {"window": [before], **along},
            {"filter": f"datum['{y}'] === datum._best && datum._best !== datum._before"},
        ],
        "mark": {
            "type": "line",
            "interpolate": "step-after",
            "strokeDash": [4, 3],
            "strokeWidth": 1.2,
            "opacity": 1,
            "strokeOpacity": 0.55,
            "color": "#8c8c8c",
        },
        "encoding": {"detail": {"field": "case"}, "order": {"field": x}},
    }
