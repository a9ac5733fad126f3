"""Charts of a metric against cost, against a varied parameter and against the data."""

from __future__ import annotations

from typing import NamedTuple

from dagathlon.frame import Rows, grouped
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
    """Draw a point per setting, and the Pareto front of metric and cost.

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
    """Return the Pareto front as a step line, by data."""
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


DATA = "by_data"
_CURVE = ("factor", "group")


def against_parameter(settings: Rows, metric: str, parameter: str, look: Look) -> Chart:
    """Draw a metric against a parameter of the algorithms, median and 5–95 % bars over seeds.

    Parameters
    ----------
    settings
        One row per setting with statistics of the metric; rows whose `curve_param` is another
        parameter, and algorithms that have one value of it only, are left out.
    metric
        The column.
    parameter
        The varied parameter.
    look
        Colours and symbols.
    """
    ids = varied_parameters(settings).get(parameter, [])
    rows = [r for r in settings if r.get("curve_param") == parameter and r["id"] in ids]
    chart = _curves(_Table(SETTINGS, rows, "curve_value"), metric, parameter, look)
    same = [{"field": "curve_param", "equal": parameter}, {"field": "id", "oneOf": ids}]
    return chart | {"transform": [{"filter": {"and": same}}]} if "layer" in chart else chart


def varied_parameters(settings: Rows) -> dict[str, list[str]]:
    """Return the parameters that a study varies within an algorithm, with these algorithms."""
    values: dict[tuple[str, str], set[str]] = {}
    for row in settings:
        key = (str(row["curve_param"]), str(row["id"]))
        values.setdefault(key, set()).add(str(row["curve_value"]))
    return grouped(
        (parameter, identifier) for (parameter, identifier), seen in values.items() if len(seen) > 1
    )


def against_data(rows: Rows, metric: str, curve: tuple[str, str], look: Look) -> Chart:
    """Draw a metric against a quantity of the data, each algorithm at its best setting there.

    Parameters
    ----------
    rows
        One row per algorithm and value: `factor`, `group`, `value`, `id`, `setting` and statistics.
    metric
        The column.
    curve
        The varied quantity, and the group of data sets in which only it varies.
    look
        Colours and symbols.
    """
    chosen = [row for row in rows if (row["factor"], row["group"]) == curve]
    chart = _curves(_Table(DATA, chosen, "value"), metric, curve[0], look)
    same = [{"field": name, "equal": v} for name, v in zip(_CURVE, curve, strict=True)]
    return chart | {"transform": [{"filter": {"and": same}}]} if "layer" in chart else chart


class _Table(NamedTuple):
    """Points of curves: their table, and its column along the axis."""

    name: str
    rows: Rows
    column: str


def _curves(table: _Table, metric: str, what: str, look: Look) -> Chart:
    name, rows, column = table
    fields = [f"{metric}_{name}" for name in ("median", "q1", "q3")]
    if not has_values(rows, fields[0]):
        return nothing("no run has a number to show")
    wanted = ["id", "setting", "case", "place", "n_seeds", "curve_param", *_CURVE]
    x = _axis(rows, column, what)
    bars: Chart = {
        "mark": {"type": "rule", "opacity": 1, "strokeOpacity": 0.45},
        "encoding": {"y": {"field": fields[1], "type": "quantitative"}, "y2": {"field": fields[2]}},
    }
    line: Chart = {
        "mark": {"type": "line", "opacity": 1, "strokeOpacity": 0.6, "strokeWidth": 1.5},
        "encoding": {"detail": {"field": "group" if name == DATA else "case"}},
    }
    point: Chart = {
        "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
        "encoding": {
            "shape": look.shape(),
            "tooltip": [
                *tooltip(setting="algorithm", case="data", n_seeds="seeds"),
                {"field": fields[0], "format": ".3g", "title": metric},
            ],
        },
    }
    colour = look.colour()
    ids = sorted({str(row["id"]) for row in rows})
    for part in (colour, point["encoding"]["shape"]):
        part["legend"]["values"] = ids
    encoding = {"x": x, "y": quantity(fields[0], metric), "color": colour}
    layers = [bars, line, point]
    if x["type"] == "nominal":
        # Nothing lies between the values: no lines, and the algorithms side by side.
        encoding["xOffset"] = {"field": "id", "type": "nominal"}
        layers.remove(line)
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "data": data(name, rows, [*wanted, column, *fields]),
        "encoding": encoding,
        "layer": layers,
    }


def _axis(rows: Rows, column: str, what: str) -> Chart:
    """Return an axis: numbers on a suitable scale, other values side by side."""
    values = [row[column] for row in rows]
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    if len(numbers) < len(values) or not numbers:
        order = list(dict.fromkeys(map(str, values)))
        lines = {"labelAngle": 0, "grid": True, "bandPosition": 0} if len(order) <= 8 else {}
        return {"field": column, "type": "nominal", "title": what, "sort": order, "axis": lines}
    wide = min(numbers) > 0 and max(numbers) / min(numbers) >= 20
    # Room on both sides, so that the first and the last point do not sit on the frame.
    scale: Chart = {"type": "log"} if wide else {"zero": False}
    scale |= {"nice": False, "padding": 14}
    axis = {"values": sorted(set(numbers))} if len(set(numbers)) <= 8 else {}
    return {
        "field": column,
        "type": "quantitative",
        "title": what,
        "scale": scale,
        "axis": axis | {"format": ".6~g"},
    }
