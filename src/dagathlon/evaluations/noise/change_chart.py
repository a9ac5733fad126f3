"""What noise changes: ranks, scores, numbers of edges and run times, as dots with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dagathlon.evaluations.noise.kept_chart import GAINED, LOST
from dagathlon.frame import Rows
from dagathlon.report.charts.facets import by_kind
from dagathlon.report.charts.parts import WIDTH, Chart, has_values, nothing
from dagathlon.report.figures.palette import GREY, Look

_STEP = 24
_PANEL_HEIGHT = 130
_LEAST_WIDTH = 120
_TICKS = 8
_THOUSANDS = (
    "datum.value >= 1000 ? format(datum.value / 1000, '~g') + 'k' : format(datum.value, '~g')"
)
_QUIET = {"ticks": False, "domain": False, "title": None}


def change_dots(rows: Rows, order: Sequence[str], words: str) -> Chart:
    """A dot with its interval for each name: left of zero is worse than without noise.

    Parameters
    ----------
    rows
        `name`, `change` (a share, + is better), `low`, `high`, `runs`.
    order
        The names from top to bottom.
    words
        What the change is of.
    """
    if not has_values(rows, "change"):
        return nothing("nothing can be compared with data without noise")
    x = {"field": "change", "type": "quantitative", "title": words}
    axis = {"format": "+.0%", "tickCount": _TICKS}
    shown = [{"field": "name", "title": "of"}]
    shown += [{"field": f, "title": f, "format": "+.1%"} for f in ("change", "low", "high")]
    return {
        "width": WIDTH,
        "height": {"step": _STEP},
        "data": {"values": [_only(row, ("name", "change", "low", "high")) for row in rows]},
        "encoding": {
            "y": {"field": "name", "type": "nominal", "sort": list(order), "axis": _QUIET},
            "x": x | {"axis": axis, "scale": {"zero": True, "nice": True}},
            "color": _better("change"),
        },
        "layer": [
            _zero(),
            {
                "mark": {"type": "rule", "strokeWidth": 2.5, "opacity": 0.45},
                "encoding": {
                    "x": {"field": "low", "type": "quantitative"},
                    "x2": {"field": "high"},
                },
            },
            {
                "mark": {"type": "point", "filled": True, "size": 75, "opacity": 1},
                "encoding": {"tooltip": [*shown, {"field": "runs", "title": "runs"}]},
            },
        ],
    }


def rank_moves(rows: Rows, order: Sequence[str]) -> Chart:
    """From the average rank without noise (ring) to that with noise (dot).

    Parameters
    ----------
    rows
        `algorithm`, `clean`, `noisy`, `change` (+ is better).
    order
        The algorithms from top to bottom.
    """
    if not has_values(rows, "noisy"):
        return nothing("no algorithm has a rank with noise")
    scale = {"zero": False, "nice": False, "padding": 12}
    x = {"type": "quantitative", "title": "average rank (1 is best)", "scale": scale}
    x |= {"axis": {"tickCount": _TICKS}}
    kept = ("algorithm", "clean", "noisy", "change")
    shown = [{"field": "algorithm"}, {"field": "clean", "title": "without noise", "format": ".2f"}]
    shown += [{"field": "noisy", "title": "with noise", "format": ".2f"}]
    return {
        "width": WIDTH,
        "height": {"step": _STEP},
        "data": {"values": [_only(row, kept) for row in rows]},
        "encoding": {
            "y": {"field": "algorithm", "type": "nominal", "sort": list(order), "axis": _QUIET},
            "color": _better("change"),
            "tooltip": shown,
        },
        "layer": [
            {
                "transform": [{"filter": "isValid(datum.clean)"}],
                "mark": {"type": "rule", "strokeWidth": 2.5, "opacity": 0.45},
                "encoding": {"x": x | {"field": "clean"}, "x2": {"field": "noisy"}},
            },
            {
                "transform": [{"filter": "isValid(datum.clean)"}],
                "mark": {"type": "point", "size": 60, "opacity": 1, "strokeWidth": 1.6},
                "encoding": {"x": x | {"field": "clean"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 85, "opacity": 1},
                "encoding": {"x": x | {"field": "noisy"}},
            },
        ],
    }


def edges_against_density(rows: Rows, order: Sequence[str], networks: Sequence[str]) -> Chart:
    """Edges learned for each true one against rows per free parameter, a panel per algorithm.

    Parameters
    ----------
    rows
        `algorithm`, `network`, `n`, `rows_per_parameter`, `ratio`.
    order
        The algorithms in the order of the panels.
    networks
        The networks, each a line.
    """
    known = [row for row in rows if row.get("ratio") and row.get("rows_per_parameter")]
    if len({row["rows_per_parameter"] for row in known}) < 2:
        return nothing("there are no two numbers of rows per free parameter to compare")
    look = Look.of(networks)
    values = [_only(r, ("n", "rows_per_parameter", "ratio")) | _panel(r) for r in known]
    x = {"field": "rows_per_parameter", "type": "quantitative", "scale": {"type": "log"}}
    scale = {"type": "log", "nice": False, "padding": 6}
    y = {"field": "ratio", "type": "quantitative", "scale": scale}
    few = {"tickCount": 4, "labelOverlap": True, "labelExpr": _THOUSANDS, "grid": False}
    ticks = {"values": [0.1, 0.2, 0.5, 1, 2, 5, 10, 20], "format": "~g"}
    shown = [{"field": "id", "title": "network"}, {"field": "n", "title": "rows", "format": ","}]
    shown += [{"field": "ratio", "title": "learned per true edge", "format": ".2f"}]
    chart: Chart = {
        "width": WIDTH,
        "height": _PANEL_HEIGHT,
        "data": {"values": values},
        "encoding": {
            "x": x | {"title": "rows / parameter", "axis": few},
            "y": y | {"title": "learned / true edges", "axis": ticks},
            "color": look.colour(),
        },
        "layer": [
            {"mark": {"type": "rule", "color": GREY, "strokeDash": [4, 3]}, "encoding": _at_one()},
            {"mark": {"type": "line", "strokeWidth": 1.5, "opacity": 0.8}},
            {
                "mark": {"type": "point", "filled": True, "size": 38, "opacity": 1},
                "encoding": {"shape": look.shape(), "tooltip": shown},
            },
        ],
    }
    panels = by_kind(chart, [name for name in order if any(v["case"] == name for v in values)])
    if "facet" in panels:
        panels["usermeta"] = {"panels": {"least_width": _LEAST_WIDTH}}
    return panels


def time_moves(rows: Rows, order: Sequence[str], words: str) -> Chart:
    """Run time without noise (ring) and with noise (dot), on a logarithmic axis.

    Parameters
    ----------
    rows
        `algorithm`, `clean`, `noisy` in seconds, `change` (+ is faster), `failures`.
    order
        The algorithms from top to bottom.
    words
        What the times are.
    """
    known = [row for row in rows if (row.get("clean") or 0) > 0 and (row.get("noisy") or 0) > 0]
    chart = rank_moves(known, order)
    if not known:
        return chart
    scale = {"type": "log", "nice": False, "padding": 12}
    axis = {"tickCount": _TICKS, "labelOverlap": True, "format": "~g"}
    title = {"title": words, "scale": scale, "axis": axis}
    for layer in chart["layer"]:
        layer["encoding"]["x"] = layer["encoding"]["x"] | title
    for field in chart["encoding"]["tooltip"][1:]:
        field["format"] = ".3~g"
    return chart


def _panel(row: Mapping[str, Any]) -> Chart:
    return {"case": row["algorithm"], "id": row["network"]}


def _only(row: Mapping[str, Any], names: Sequence[str]) -> Chart:
    return {name: row.get(name) for name in names}


def _better(field: str) -> Chart:
    """Blue for better, orange for worse."""
    return {"condition": {"test": f"datum.{field} < 0", "value": LOST}, "value": GAINED}


def _zero() -> Chart:
    return {
        "mark": {"type": "rule", "color": GREY, "strokeDash": [4, 3]},
        "encoding": {
            "x": {"datum": 0, "type": "quantitative"},
            "y": None,
            "color": {"value": GREY},
        },
    }


def _at_one() -> Chart:
    return {"y": {"datum": 1, "type": "quantitative"}, "x": None, "color": {"value": GREY}}
