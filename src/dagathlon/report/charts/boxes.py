"""Box plots of a metric, one box per setting; and the kinds of graph that came out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dagathlon.frame import Rows
from dagathlon.report.charts.parts import (
    RUNS,
    STEP,
    WIDTH,
    Chart,
    data,
    has_values,
    nothing,
    tooltip,
)
from dagathlon.report.figures.palette import Look
from dagathlon.report.words import title, words

# Okabe and Ito's colours by what a graph is; "unknown" is grey.
_TYPES = {
    "dag": "#0072b2",
    "cpdag": "#009e73",
    "ug": "#e69f00",
    "mag": "#cc79a7",
    "pag": "#d55e00",
    "unknown": "#8c8c8c",
}
_IQR = 1.5
_FEW = 4
_MANY_SEEDS = 20


def boxes(
    runs: Rows,
    metric: str,
    look: Look,
    *,
    log: bool = False,
    show_seed: bool = False,
    limits: Sequence[float] | None = None,
    step: int = STEP,
) -> Chart:
    """Draw a box per setting: quartiles, whiskers to 1.5 times the interquartile range, outliers.

    Settings with a handful of runs each have a point for each run instead.

    Parameters
    ----------
    runs
        One row per run, with the columns `setting`, `id`, `seed` and the metric.
    metric
        Column to show.
    look
        Colours.
    log
        Whether the axis is logarithmic; values that are not positive are left out.
    show_seed
        Whether outliers carry their seed.
    limits
        Limits of the axis.
    step
        Height of a row.
    """
    if not has_values(runs, metric):
        return nothing(f"no run has a number for: {words(metric).title}")
    least = "> 0" if log else "!= null"
    few = is_few(runs)
    layers = [_points(show_seed)] if few else [_box(show_seed, step)]
    if show_seed and not few:
        layers.append(_seeds_of_outliers(metric))
    return {
        "width": WIDTH,
        "height": {"step": step},
        "data": data(RUNS, runs, ("setting", "id", "seed", "run", "case", metric)),
        "transform": [{"filter": f"isValid(datum['{metric}']) && datum['{metric}'] {least}"}],
        "encoding": {
            "y": setting_axis(runs),
            "x": {
                "field": metric,
                "type": "quantitative",
                "title": title(metric),
                "scale": _scale(log, limits),
                "axis": {"tickMinStep": 1} if _counts(runs, metric) else {},
            },
        },
        "layer": [_coloured(layer, look) for layer in layers],
    }


def is_few(runs: Rows) -> bool:
    """Return whether the settings have too few runs for boxes, on one kind of data."""
    return len(runs) <= _FEW * len({(row["setting"], row.get("case")) for row in runs})


def _counts(runs: Rows, metric: str) -> bool:
    """Return whether all values are integers, so that ticks between them would mean nothing."""
    values = (row.get(metric) for row in runs)
    return all(float(value).is_integer() for value in values if isinstance(value, int | float))


def setting_axis(runs: Rows) -> Chart:
    """Return the encoding of settings on the vertical axis, in the order of the table."""
    order = list(dict.fromkeys(row["setting"] for row in runs))
    return {"field": "setting", "type": "nominal", "sort": order, "title": None}


def _scale(log: bool, limits: Sequence[float] | None) -> Chart:
    scale: Chart = {"type": "log"} if log else {"zero": False}
    scale |= {"nice": False, "padding": 6}
    if limits is not None and (not log or limits[0] > 0):
        scale["domain"] = list(limits)
    return scale


def _coloured(layer: Chart, look: Look) -> Chart:
    return layer | {"encoding": layer.get("encoding", {}) | {"color": look.colour(legend=False)}}


def _box(show_seed: bool, step: int) -> Chart:
    outliers: Any = False if show_seed else {"size": 16, "opacity": 1}
    size = round(0.55 * step)
    mark = {"type": "boxplot", "extent": _IQR, "size": size, "outliers": outliers}
    mark |= {
        "median": {"color": "white", "strokeWidth": 1.5},
        "ticks": {"size": round(2 * size / 3)},
    }
    return {"mark": mark, "encoding": {"tooltip": tooltip(setting="algorithm", seed="seed")}}


def _points(show_seed: bool) -> Chart:
    """Return the chart layer of single runs, used where there are too few for a box."""
    tips = {"tooltip": tooltip(setting="algorithm", seed="seed")}
    if show_seed:
        return {
            "mark": {"type": "text", "fontSize": 9},
            "encoding": tips | {"text": {"field": "seed"}},
        }
    return {"mark": {"type": "point", "filled": True, "size": 45, "opacity": 1}, "encoding": tips}


def _seeds_of_outliers(metric: str) -> Chart:
    field = f"datum['{metric}']"
    quartiles = [{"op": op, "field": metric, "as": f"_{op}"} for op in ("q1", "q3")]
    reach = f"{_IQR} * (datum._q3 - datum._q1)"
    return {
        "transform": [
            {"joinaggregate": quartiles, "groupby": ["setting"]},
            {"filter": f"{field} < datum._q1 - {reach} || {field} > datum._q3 + {reach}"},
        ],
        "mark": {"type": "text", "fontSize": 8},
        "encoding": {"text": {"field": "seed"}},
    }


def graph_types(runs: Rows) -> Chart:
    """Draw the kind of each estimated graph as a point per seed and setting.

    Parameters
    ----------
    runs
        One row per run, with the columns `setting`, `seed` and `graph_type`.
    """
    typed = [row for row in runs if row.get("graph_type")]
    if not typed:
        return nothing("no run has a graph")
    domain, colours = _kinds(typed)
    shapes = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]
    kind = {"field": "graph_type", "type": "nominal", "title": None, "legend": {"orient": "top"}}
    many = len({row["seed"] for row in typed}) > _MANY_SEEDS
    return {
        "width": WIDTH if many else {"step": 15},
        "height": {"step": STEP},
        "data": data(RUNS, typed, ("setting", "id", "seed", "run", "case", "graph_type")),
        "mark": {"type": "point", "filled": True, "size": 55, "opacity": 1},
        "encoding": {
            "x": {
                "field": "seed",
                "type": "ordinal",
                "title": "seed",
                "axis": {"labelAngle": 0, "labelOverlap": True},
            },
            "y": setting_axis(runs),
            "color": kind | {"scale": {"domain": domain, "range": colours}},
            "shape": kind | {"scale": {"domain": domain, "range": (shapes * 2)[: len(domain)]}},
            "tooltip": tooltip(setting="algorithm", seed="seed", graph_type="graph"),
        },
    }


def kinds_of_graph(runs: Rows, step: int = STEP) -> Chart:
    """Draw a bar per setting with its numbers of graphs by kind.

    Parameters
    ----------
    runs
        One row per run, with the columns `setting` and `graph_type`.
    step
        Height of a row.
    """
    typed = [row for row in runs if row.get("graph_type")]
    if not typed:
        return nothing("no run has a graph")
    domain, colours = _kinds(typed)
    return {
        "width": WIDTH,
        "height": {"step": step},
        "data": data(RUNS, runs, ("setting", "id", "run", "case", "graph_type")),
        "transform": [{"filter": "isValid(datum.graph_type)"}],
        "mark": {"type": "bar", "height": round(0.65 * step)},
        "encoding": {
            "y": setting_axis(typed),
            "x": {
                "aggregate": "count",
                "type": "quantitative",
                "title": "graphs",
                "axis": {"tickMinStep": 1},
            },
            "color": {
                "field": "graph_type",
                "type": "nominal",
                "title": None,
                "scale": {"domain": domain, "range": colours},
            },
            "tooltip": [
                *tooltip(setting="algorithm", graph_type="graph"),
                {"aggregate": "count", "title": "graphs"},
            ],
        },
    }


def _kinds(rows: Rows) -> tuple[list[str], list[str]]:
    """Return the kinds of graph that occur, with their colours."""
    present = {str(row["graph_type"]) for row in rows}
    domain = [kind for kind in _TYPES if kind in present] + sorted(present - set(_TYPES))
    return domain, [_TYPES.get(kind, _TYPES["unknown"]) for kind in domain]
