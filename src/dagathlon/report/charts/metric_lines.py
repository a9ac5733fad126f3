"""Lines of metrics against the number of rows, with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from dagathlon.frame import Rows
from dagathlon.report.charts.parts import (
    HEIGHT,
    WIDTH,
    Chart,
    by_kind,
    has_values,
    nothing,
    tooltip,
)
from dagathlon.report.figures.palette import Look
from dagathlon.report.words import short_title

# Means that lie further apart than this have no room on a plain axis.
_WIDE = 50
# Losses that lie so many times apart are read as ratios.
_FAR = 20
# Numbers of rows that lie this many times apart, several or just two, have a logarithmic axis.
_SEVERAL, _TWO = 4, 20
# Where crosses stand for correlations that are not defined.
_UNDEFINED = -1.08
# Panels of few numbers along the axis: four graphs have room beside each other.
_LEAST_WIDTH = 215


def metric_lines(
    rows: Rows, metric: str, look: Look, across: str = "rows", *, ratios: bool = False
) -> Chart:
    """Draw means of one metric with intervals, in panels by graph.

    Parameters
    ----------
    rows
        `graph`, `rows`, `id`, `mean`, `low`, `high`, `data_sets`.
    metric
        The metric, whose words stand on the axis.
    look
        Colours and symbols of what `id` names.
    across
        What rows are called.
    ratios
        Whether the metric is a loss, of which ratios count: where all are positive and far apart,
        the axis is logarithmic.
    """
    ends = [float(row[name]) for row in rows for name in ("low", "high")] if ratios else []
    scale = _scale(rows)
    if ends and min(ends) > 0 and max(ends) > _FAR * min(ends):
        scale = {"type": "log", "nice": True}
    return _lines(rows, short_title(metric), scale, look, own=("y",), across=across)


def correlation_lines(rows: Rows, words: str, look: Look, across: str = "rows") -> Chart:
    """Draw correlations with one metric against the number of rows, in panels by graph.

    Parameters
    ----------
    rows
        As in `metric_lines`, where `id` is the other metric. A correlation that is not defined has
        no `mean`: a cross on the lower edge stands for it.
    words
        What the correlations are with.
    look
        Colours and symbols of the metrics.
    across
        What rows are called.
    """
    known = [row for row in rows if row["mean"] is not None]
    missing = [row for row in rows if row["mean"] is None]
    scale: Chart = {"domain": [-1, 1]}
    if missing:
        scale = {"domain": [_UNDEFINED - 0.04, 1], "nice": False}
    return _lines(known, words, scale, look, across=across, missing=missing)


def _lines(
    rows: Rows,
    words: str,
    scale: Chart,
    look: Look,
    *,
    own: Sequence[str] = (),
    across: str = "rows",
    missing: Rows = (),
) -> Chart:
    if not has_values(rows, "mean"):
        return nothing("no run has a number to show")
    graphs = list(dict.fromkeys(str(row["graph"]) for row in (*rows, *missing)))
    sizes = sorted({int(row["rows"]) for row in (*rows, *missing)})
    y: Chart = {"field": "mean", "type": "quantitative", "title": words, "scale": scale}
    ends = {"y": y | {"field": "low"}, "y2": {"field": "high"}}
    about = tooltip(id="method", rows=across, data_sets="data sets")
    shown = [{"field": f, "title": f, "format": ".3g"} for f in ("mean", "low", "high")]
    chart: Chart = {
        "width": WIDTH,
        "height": HEIGHT - 80,
        "data": {"values": [_point(row) for row in rows]},
        "encoding": {"x": _axis(sizes, across), "y": y, "color": look.colour()},
        "layer": [
            {"mark": {"type": "rule", "opacity": 1, "strokeOpacity": 0.45}, "encoding": ends},
            {"mark": {"type": "line", "opacity": 1, "strokeOpacity": 0.7, "strokeWidth": 1.5}},
            {
                "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
                "encoding": {"shape": look.shape(), "tooltip": [*about, *shown]},
            },
        ],
    }
    if missing:
        chart["data"]["values"] += [_cross(row) for row in missing]
        chart["layer"] = [*map(_defined, chart["layer"]), _crosses(y, about)]
    panels = by_kind(chart, graphs, own=own)
    if "facet" in panels:
        panels["usermeta"] = {"panels": {"least_width": _LEAST_WIDTH}}
    return panels


def _point(row: Any) -> Chart:
    labels = {name: row[name] for name in ("rows", "id", "data_sets")}
    numbers = {name: float(f"{row[name]:.5g}") for name in ("mean", "low", "high")}
    return labels | numbers | {"case": row["graph"]}


def _cross(row: Any) -> Chart:
    labels = {name: row[name] for name in ("rows", "id", "data_sets")}
    return labels | {"mean": None, "at": _UNDEFINED, "case": row["graph"]}


def _defined(layer: Chart) -> Chart:
    """Restrict a layer of lines to defined values."""
    return layer | {"transform": [{"filter": "isValid(datum.mean)"}]}


def _crosses(y: Chart, about: Sequence[Chart]) -> Chart:
    """Return the layer of crosses that mark undefined correlations."""
    return {
        "transform": [{"filter": "!isValid(datum.mean)"}],
        "mark": {"type": "text", "text": "\u00d7", "fontSize": 15, "opacity": 1},
        "encoding": {"y": y | {"field": "at"}, "tooltip": [*about, {"value": "not defined"}]},
    }


def _axis(sizes: Sequence[int], across: str) -> Chart:
    several = _SEVERAL if len(sizes) > 2 else _TWO
    wide = len(sizes) > 1 and sizes[0] > 0 and sizes[-1] / sizes[0] >= several
    scale: Chart = {"type": "log"} if wide else {"zero": False}
    return {
        "field": "rows",
        "type": "quantitative",
        "title": across,
        "scale": scale | {"nice": False, "padding": 14},
        "axis": {"values": list(sizes), "format": ".6~g", "labelOverlap": True},
    }


def _scale(rows: Rows) -> Chart:
    """Return an axis limit where one method would compress the lines of the others; else none."""
    sizes = sorted(abs(float(row["mean"])) for row in rows)
    middle = sizes[len(sizes) // 2] if sizes else 0.0
    if middle and sizes[-1] > _WIDE * middle:
        return {"type": "symlog", "constant": middle}
    return {"zero": False, "nice": True}


# Bars of standard errors at the same number of rows stand beside each other, so far apart as a part
# of the axis.
_APART = 0.008


def learning_curves(
    rows: Rows, look: Look, words: str, across: str = "rows in a subsample"
) -> Chart:
    """Draw means with standard errors against the number of rows, a line per learner.

    Parameters
    ----------
    rows
        `learner`, `size`, `mean`, `se` (None where there is one value only), `n`, `failures`.
    look
        Colours and symbols of the learners.
    words
        What the means are of.
    across
        What sizes are.
    """
    if not has_values(rows, "mean"):
        return nothing("no subsample has been learned from by all learners yet")
    sizes = sorted({int(row["size"]) for row in rows})
    step = _APART * math.log(max(sizes[-1] / sizes[0], 2.0))
    shown = [_curve_point(row, look, step) for row in rows if row["mean"] is not None]
    y: Chart = {"field": "mean", "type": "quantitative", "title": words}
    y["scale"] = {"zero": True, "nice": True}
    ends = {"y": y | {"field": "low"}, "y2": {"field": "high"}}
    titles = {"id": "learner", "size": across, "told": "mean ± standard error", "n": "subsamples"}
    tips = [{"field": field, "title": title} for field, title in titles.items()]
    if any(row["failed"] for row in shown):
        tips.append({"field": "failed", "title": "failed"})
    return {
        "width": WIDTH,
        "height": HEIGHT - 60,
        "data": {"values": shown},
        "encoding": {"x": _rows_axis(sizes, across), "y": y, "color": look.colour()},
        "layer": [
            {"mark": {"type": "rule", "opacity": 1, "strokeOpacity": 0.55}, "encoding": ends},
            {"mark": {"type": "line", "opacity": 1, "strokeOpacity": 0.75, "strokeWidth": 1.6}},
            {
                "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
                "encoding": {"shape": look.shape(), "tooltip": tips},
            },
        ],
    }


def _curve_point(row: Any, look: Look, step: float) -> Chart:
    mean, se = float(row["mean"]), row["se"]
    aside = look.number(row["learner"]) - (len(look.ids) + 1) / 2
    error = float(se or 0.0)
    return {
        "id": row["learner"],
        "size": int(row["size"]),
        "at": float(f"{int(row['size']) * math.exp(step * aside):.5g}"),
        "mean": float(f"{mean:.5g}"),
        "low": float(f"{mean - error:.5g}"),
        "high": float(f"{mean + error:.5g}"),
        "told": f"{mean:.2f}" if se is None else f"{mean:.2f} ± {error:.2f}",
        "n": row["n"],
        "failed": row["failures"],
    }


def _rows_axis(sizes: list[int], across: str) -> Chart:
    """Return a logarithmic axis of numbers of rows."""
    return {
        "field": "at",
        "type": "quantitative",
        "title": across,
        "scale": {"type": "log", "nice": False, "padding": 18},
        "axis": {"values": sizes, "format": ",d", "labelOverlap": True},
    }
