"""A metric against one varied quantity: a parameter of the algorithms or of the data."""

from __future__ import annotations

from typing import Any, NamedTuple

from dagathlon.report.charts.parts import (
    HEIGHT,
    SETTINGS,
    WIDTH,
    Chart,
    Rows,
    data,
    has_values,
    nothing,
    quantity,
    tooltip,
)
from dagathlon.report.look import Look

DATA = "by_data"


def against_parameter(settings: Rows, metric: str, parameter: str, look: Look) -> Chart:
    """The metric against a parameter of the algorithms, median and 5–95 % bars over seeds.

    Parameters
    ----------
    settings
        One row per setting with statistics of the metric; rows whose `curve_param` is another
        parameter are left out.
    metric
        The column.
    parameter
        The varied parameter.
    look
        Colours and symbols.
    """
    rows = [row for row in settings if row.get("curve_param") == parameter]
    chart = _curves(_Table(SETTINGS, rows, "curve_value"), metric, parameter, look)
    same = {"filter": {"field": "curve_param", "equal": parameter}}
    return chart | {"transform": [same]} if "layer" in chart else chart


def against_data(rows: Rows, metric: str, factor: str, look: Look) -> Chart:
    """The metric against a quantity of the data, each algorithm at its best setting there.

    Parameters
    ----------
    rows
        One row per algorithm and value: `factor`, `value`, `id`, `setting` and statistics.
    metric
        The column.
    factor
        The varied quantity.
    look
        Colours and symbols.
    """
    chosen = [row for row in rows if row["factor"] == factor and row["metric"] == metric]
    chart = _curves(_Table(DATA, chosen, "value"), metric, factor, look)
    same = {"and": [{"field": "factor", "equal": factor}, {"field": "metric", "equal": metric}]}
    return chart | {"transform": [{"filter": same}]} if "layer" in chart else chart


class _Table(NamedTuple):
    """The points of curves: the table they are in, and its column along the axis."""

    name: str
    rows: Rows
    column: str


def _curves(table: _Table, metric: str, what: str, look: Look) -> Chart:
    name, rows, column = table
    fields = [f"{metric}_{name}" for name in ("median", "q1", "q3")]
    if not has_values(rows, fields[0]):
        return nothing("no run has a number to show")
    wanted = ["id", "setting", "case", "place", "n_seeds", "curve_param", "factor", "metric"]
    x = _axis(rows, column, what)
    bars: Chart = {
        "mark": {"type": "rule", "opacity": 1, "strokeOpacity": 0.45},
        "encoding": {"y": {"field": fields[1], "type": "quantitative"}, "y2": {"field": fields[2]}},
    }
    line: Chart = {
        "mark": {"type": "line", "opacity": 1, "strokeOpacity": 0.6},
        "encoding": {"detail": {"field": "case"}},
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
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "data": data(name, rows, [*wanted, column, *fields]),
        "encoding": {"x": x, "y": quantity(fields[0], metric), "color": look.colour()},
        "layer": [bars, line, point],
    }


def _axis(rows: Rows, column: str, what: str) -> dict[str, Any]:
    """Numbers on a scale that suits their range, anything else side by side."""
    values = [row[column] for row in rows]
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    if len(numbers) < len(values) or not numbers:
        order = list(dict.fromkeys(map(str, values)))
        return {"field": column, "type": "nominal", "title": what, "sort": order}
    wide = min(numbers) > 0 and max(numbers) / min(numbers) >= 20
    scale = {"type": "log"} if wide else {"zero": False, "nice": True}
    axis = {"values": sorted(set(numbers))} if len(set(numbers)) <= 8 else {}
    return {
        "field": column,
        "type": "quantitative",
        "title": what,
        "scale": scale,
        "axis": axis | {"format": ".6~g"},
    }
