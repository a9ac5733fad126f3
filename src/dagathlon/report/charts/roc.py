"""ROC-type curves: one point per setting, medians over seeds with 5–95 % bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from dagathlon.frame import Row, Rows, grouped
from dagathlon.report.charts.parts import (
    HEIGHT,
    RUNS,
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


@dataclass(frozen=True)
class RocOptions:
    """Options of a ROC-type figure.

    Parameters
    ----------
    errorbar, errorbarh
        Vertical and horizontal 5–95 % bars.
    scatter
        Single runs.
    show_seed
        Single runs as their seeds.
    path
        A line through the settings of an algorithm.
    text
        The varied parameter's value in place of the point.
    xlim, ylim
        Limits of the axes.
    line
        What the line goes through.
    label
        Which setting carries the algorithm's number.
    """

    errorbar: bool = True
    errorbarh: bool = False
    scatter: bool = False
    show_seed: bool = False
    path: bool = True
    text: bool = False
    xlim: Sequence[float] | None = None
    ylim: Sequence[float] | None = None
    line: Literal["median", "mean"] = "median"
    label: Literal["best", "last", "none"] = "best"

    @property
    def limited(self) -> bool:
        """Return whether marks may lie outside the axes."""
        return self.xlim is not None or self.ylim is not None


def roc(
    runs: Rows, settings: Rows, axes: tuple[str, str], look: Look, options: RocOptions
) -> Chart:
    """Draw one rate against another.

    Parameters
    ----------
    runs
        One row per run, with the columns of the axes.
    settings
        One row per setting with statistics of both columns over its seeds, as `roc_summary` gives.
    axes
        Columns of the horizontal and the vertical axis.
    look
        Colours and symbols.
    options
        What to show.
    """
    x, y = axes
    if not has_values(settings, f"{x}_median"):
        return nothing("no run could be compared with a true graph")
    points = _points(settings, x, y, look, options)
    numbered = options.label != "none"
    layers = [
        *([_bars(x, y)] if options.errorbar else []),
        *([_bars(y, x, vertical=False)] if options.errorbarh else []),
        *([_path(x, y, options.line)] if options.path else []),
        *([_single_runs(runs, x, y, look, options.show_seed)] if options.scatter else []),
        _medians(x, y, look, options),
        *([_numbers()] if numbered else []),
    ]
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "data": points,
        "encoding": {
            "x": quantity(f"{x}_median", x, options.xlim),
            "y": quantity(f"{y}_median", y, options.ylim),
            "color": look.colour(numbered=numbered),
        },
        "layer": [_clipped(layer) for layer in layers] if options.limited else layers,
    }


def _clipped(layer: Chart) -> Chart:
    return layer | {"mark": layer["mark"] | {"clip": True}}


def _points(settings: Rows, x: str, y: str, look: Look, options: RocOptions) -> Chart:
    marked = set() if options.label == "none" else _labelled(settings, x, y, options.label)
    rows = [
        {**row, "value": _value(row), "number": str(look.number(row["id"])) if i in marked else ""}
        for i, row in enumerate(settings)
    ]
    statistics = ("median", "mean", "q1", "q3")
    fields = [f"{metric}_{name}" for metric in (x, y) for name in statistics]
    fields += ["id", "setting", "value", "number", "curve_vals", "n_seeds", "case", "place"]
    return data(SETTINGS, rows, fields)


def _value(row: Row) -> str:
    value = row.get("curve_value", row.get(row.get("curve_param", "")))
    return "" if value is None else str(value)


def _labelled(settings: Rows, x: str, y: str, rule: str) -> set[int]:
    """Return one row per id, to be labelled with the algorithm's number."""

    def worth(i: int) -> float:
        row = settings[i]
        if rule == "last":
            value = row.get("curve_vals")
            return float("-inf") if value is None else float(value)
        distance = 1 - row[f"{y}_median"] + row[f"{x}_median"]
        return float("-inf") if distance != distance else -float(distance)  # noqa: PLR0124 - NaN

    places = grouped((row["id"], i) for i, row in enumerate(settings))
    return {max(rows, key=worth) for rows in places.values()}


def _bars(across: str, along: str, vertical: bool = True) -> Chart:
    x, y = ("x", "y") if vertical else ("y", "x")
    return {
        "mark": {"type": "rule", "opacity": 1, "strokeOpacity": 0.45, "strokeWidth": 1.2},
        "encoding": {
            x: {"field": f"{across}_median", "type": "quantitative"},
            y: {"field": f"{along}_q1", "type": "quantitative"},
            f"{y}2": {"field": f"{along}_q3"},
        },
    }


def _path(x: str, y: str, line: str) -> Chart:
    return {
        "mark": {"type": "line", "opacity": 1, "strokeOpacity": 0.6, "strokeWidth": 1.5},
        "encoding": {
            "x": {"field": f"{x}_{line}", "type": "quantitative"},
            "y": {"field": f"{y}_{line}", "type": "quantitative"},
            "order": {"field": "curve_vals", "type": "quantitative"},
            "detail": {"field": "case"},
        },
    }


def _single_runs(runs: Rows, x: str, y: str, look: Look, show_seed: bool) -> Chart:
    fields = (x, y, "id", "setting", "seed", "run", "case")
    layer: Chart = {
        "data": data(RUNS, runs, fields),
        "encoding": {
            "x": {"field": x, "type": "quantitative"},
            "y": {"field": y, "type": "quantitative"},
            "tooltip": tooltip(setting="algorithm", seed="seed"),
        },
    }
    if show_seed:
        text = {"mark": {"type": "text", "fontSize": 8, "opacity": 1, "fillOpacity": 0.6}}
        return _with(layer, "text", {"field": "seed"}) | text
    mark = {"type": "point", "filled": True, "size": 14, "opacity": 1, "fillOpacity": 0.35}
    return _with(layer, "shape", look.shape(legend=False)) | {"mark": mark}


def _with(layer: Chart, channel: str, encoding: Any) -> Chart:
    return layer | {"encoding": layer["encoding"] | {channel: encoding}}


def _medians(x: str, y: str, look: Look, options: RocOptions) -> Chart:
    tips = tooltip(setting="algorithm", case="data", n_seeds="seeds")
    tips += [{"field": f"{metric}_median", "title": metric, "format": ".3f"} for metric in (x, y)]
    if options.text:
        mark = {"type": "text", "fontSize": 10, "fontWeight": "bold"}
        return {"mark": mark, "encoding": {"text": {"field": "value"}, "tooltip": tips}}
    mark = {"type": "point", "filled": True, "size": 70, "opacity": 1}
    shape = look.shape(numbered=options.label != "none")
    return {"mark": mark, "encoding": {"shape": shape, "tooltip": tips}}


def _numbers() -> Chart:
    return {
        "transform": [{"filter": "datum.number != ''"}],
        "mark": {"type": "text", "dx": 9, "dy": -9, "fontWeight": "bold"},
        "encoding": {"text": {"field": "number"}},
    }
