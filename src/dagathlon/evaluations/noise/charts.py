"""Charts of accuracy kept, changes of ranks, scores, numbers of edges and run times with noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dagathlon.evaluations.noise.grid import FAILURES
from dagathlon.frame import Rows
from dagathlon.report.charts.parts import WIDTH, Chart, by_kind, has_values, nothing
from dagathlon.report.figures.palette import GREY, Look
from dagathlon.wording import counted

LOST, GAINED, FAILED = "#d55e00", "#0072b2", "#8c8c8c"
_STEP = 21
# Cells have room for three digits; wider ones than this look like an empty table.
_LEAST_CELL, _MOST_CELL = 19, 90
# Codes stand upright beside each other as long as they have room for that.
_FEW_CODES = 8
# Half of the accuracy lost, or half as much again gained, has the full colour; so have five places.
_FULL = 0.5
_FULL_PLACES = 5
_DEEPEST = 0.85


def kept_cells(rows: Rows, order: Sequence[str], codes: Sequence[str]) -> Chart:
    """Draw the share of the clean accuracy that is kept, small multiples by network.

    The page shines through a cell as far as nothing is lost, so that it reads alike on white and
    on black.

    Parameters
    ----------
    rows
        `network`, `algorithm`, `code`, `kept` and its interval `low` and `high`, `clean` (the
        accuracy without noise), `runs`, `failures`, and `failure`, what most of these ended with;
        `run`, the number of one of its runs on the page.
        A row of the code of clean data has `clean` only.
    order
        The algorithms from top to bottom.
    codes
        The kinds of noise from left to right.
    """
    cells = [_cell(row) for row in rows]
    if not any(cell["kept"] is not None for cell in cells):
        return nothing("no run with noise can be compared with its data set without noise")
    networks = list(dict.fromkeys(cell["case"] for cell in cells))
    panels = by_kind(_grid(cells, order, codes, _tooltip()), networks)
    if "facet" in panels:
        panels["spec"]["layer"] = [_tile(), _number("child_width", len(codes))]
        panels["resolve"]["axis"] = {"x": "independent"}
        panels["usermeta"] = {"panels": _widths(len(codes))}
    return panels


def rank_cells(rows: Rows, order: Sequence[str], codes: Sequence[str]) -> Chart:
    """Draw the number of places each algorithm gains (+) or loses with each kind of noise.

    Parameters
    ----------
    rows
        `algorithm`, `code`, `overall`, `overall_change` with its interval.
    order
        The algorithms from top to bottom.
    codes
        The kinds of noise from left to right.
    """
    cells = [_moved(row) for row in rows if row["overall_change"] is not None]
    if not cells:
        return nothing("no rank with noise can be compared with one without")
    shown = {"id": "algorithm", "code": "noise", "text": "places gained", "now": "place with noise"}
    about = [{"field": field, "title": words} for field, words in shown.items()]
    return _grid(cells, order, codes, about)


def _grid(
    cells: Sequence[Chart],
    order: Sequence[str],
    codes: Sequence[str],
    about: Sequence[dict[str, str]],
) -> Chart:
    """Draw cells on axes of algorithms and kinds of noise."""
    present = {cell["id"] for cell in cells}
    upright = len(codes) <= _FEW_CODES and max(map(len, codes)) <= _FEW_CODES
    quiet: Chart = {"ticks": False, "domain": False, "grid": False, "title": None}
    top = quiet | {"orient": "top", "labelAngle": 0 if upright else -90, "labelOverlap": False}
    names = [name for name in order if name in present]
    return {
        "width": WIDTH,
        "height": {"step": _STEP},
        "data": {"values": list(cells)},
        "encoding": {
            "x": {"field": "code", "type": "nominal", "sort": list(codes), "axis": top},
            "y": {"field": "id", "type": "nominal", "sort": names, "axis": quiet},
            "tooltip": list(about),
        },
        "layer": [_tile(), _number("width", len(codes))],
        "usermeta": {"most_width": _widths(len(codes))["most_width"] + 160},
    }


def _widths(n_codes: int) -> dict[str, int]:
    return {"least_width": max(200, _LEAST_CELL * n_codes), "most_width": _MOST_CELL * n_codes}


def _cell(row: Any) -> Chart:
    retained, clean, runs, failures = (row.get(k) for k in ("kept", "clean", "runs", "failures"))
    low, high = row.get("low"), row.get("high")
    change = None if retained is None else retained - 1
    about = {
        "case": row["network"],
        "id": row["algorithm"],
        "code": row["code"],
        "kept": retained,
        "run": row.get("run"),
        "share": "–" if retained is None else f"{retained:.1%}",
        "clean": "–" if clean is None else f"{clean:.3f}",
        "between": "–" if low is None or high is None else f"{low:.0%} to {high:.0%}",
        "ended": _ended(runs or 0, failures or 0, row.get("failure")),
        "part": bool(failures) and retained is not None,
    }
    if change is not None:
        sure = low is None or high is None or not low <= 1 <= high
        depth = min(abs(change) / _FULL, 1.0) * _DEEPEST
        kind = "lost" if change < 0 else "gained"
        text = f"{retained:.0%}".rstrip("%")
        return about | {"kind": kind, "depth": round(depth, 3), "text": text, "faint": not sure}
    if row.get("plain"):
        text = "–" if clean is None else f"{clean:.2f}".removeprefix("0")
        return about | {"kind": "clean", "depth": 0.0, "text": text, "faint": False}
    failure = row.get("failure")
    return about | {
        "kind": "failed" if failure else "clean",
        "depth": 0.22 if failure else 0.0,
        "text": FAILURES.get(failure, "–"),
        "faint": False,
    }


def _moved(row: Any) -> Chart:
    change, low, high = (row[f"overall_change{end}"] for end in ("", "_low", "_high"))
    sure = low is None or high is None or not low <= 0 <= high
    return {
        "id": row["algorithm"],
        "code": row["code"],
        "now": row["overall"],
        "kind": "lost" if change < 0 else "gained" if change > 0 else "clean",
        "depth": round(min(abs(change) / _FULL_PLACES, 1.0) * _DEEPEST, 3),
        "text": f"{change:+d}".replace("-", "−") if change else "0",
        "faint": not sure,
        "part": False,
    }


def _ended(runs: int, failures: int, failure: str | None) -> str:
    if not failures:
        return counted(runs, "run")
    return f"{failures} of {runs} failed ({failure})"


def _tile() -> Chart:
    kinds = {"lost": LOST, "gained": GAINED, "failed": FAILED, "clean": "transparent"}
    colour = {
        "field": "kind",
        "type": "nominal",
        "scale": {"domain": list(kinds), "range": list(kinds.values())},
        "legend": None,
    }
    depth = {"field": "depth", "type": "quantitative", "scale": None, "legend": None}
    edge = {"condition": {"test": "datum.part", "value": FAILED}, "value": None}
    mark = {"type": "rect", "cornerRadius": 2, "strokeDash": [3, 2], "strokeOpacity": 1}
    return {"mark": mark, "encoding": {"fill": colour, "fillOpacity": depth, "stroke": edge}}


def _number(width: str, n_codes: int) -> Chart:
    """Return the text layer of a cell's number, smaller on narrow screens."""
    size = {"expr": f"{width} < {_LEAST_CELL * n_codes} ? 8.5 : 10.5"}
    ink = {"condition": {"test": "datum.faint", "value": 0.5}, "value": 1}
    text = {"field": "text", "type": "nominal"}
    return {"mark": {"type": "text", "fontSize": size}, "encoding": {"text": text, "opacity": ink}}


def _tooltip() -> list[Chart]:
    return [
        {"field": "case", "title": "network"},
        {"field": "id", "title": "algorithm"},
        {"field": "code", "title": "noise"},
        {"field": "share", "title": "kept"},
        {"field": "between", "title": "95 % interval"},
        {"field": "clean", "title": "without noise"},
        {"field": "ended", "title": "runs"},
    ]


_ROW_STEP = 24
_PANEL_HEIGHT = 130
_LEAST_WIDTH = 120
_TICKS = 8
_THOUSANDS = (
    "datum.value >= 1000 ? format(datum.value / 1000, '~g') + 'k' : format(datum.value, '~g')"
)
_QUIET = {"ticks": False, "domain": False, "title": None}


def change_dots(rows: Rows, order: Sequence[str], words: str) -> Chart:
    """Draw a dot with its interval for each name; left of zero is worse than without noise.

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
        "height": {"step": _ROW_STEP},
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
    """Draw the average rank without noise (ring) and with noise (dot).

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
    retained = ("algorithm", "clean", "noisy", "change")
    shown = [{"field": "algorithm"}, {"field": "clean", "title": "without noise", "format": ".2f"}]
    shown += [{"field": "noisy", "title": "with noise", "format": ".2f"}]
    return {
        "width": WIDTH,
        "height": {"step": _ROW_STEP},
        "data": {"values": [_only(row, retained) for row in rows]},
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
    """Draw learned over true edges against rows per free parameter, a panel per algorithm.

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
    """Draw run time without noise (ring) and with noise (dot) on a logarithmic axis.

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
    """Return a colour rule: blue for better, orange for worse."""
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
