"""Average ranks on a line, with bars over those that cannot be told apart (Demšar 2006)."""

from __future__ import annotations

from collections.abc import Mapping

from dagathlon.evaluate.ranking.significance import Nemenyi
from dagathlon.frame import Cells
from dagathlon.report.charts.parts import Chart, nothing
from dagathlon.report.figures.palette import Look

_WIDTH, _STEP, _LETTER = 720, 20, 6.0
_LEAST_AXIS, _POINT = 170, 16
_BAR = 0.42
_INK = {"color": "#8c8c8c"}


def critical_difference(test: Nemenyi | None, ids: Mapping[str, str], look: Look) -> Chart:
    """Draw the critical-difference diagram: the best left, bars over learners not told apart.

    Parameters
    ----------
    test
        Average ranks and groups; None when there are too few blocks.
    ids
        The algorithm of each competitor.
    look
        Colours and symbols.
    """
    if test is None:
        return nothing("ranks are compared on five or more blocks of data that all took part in")
    k = len(test.names)
    top = 1.0 + _BAR * len(test.groups)
    rows = [_place(test, i, top) | {"id": ids[test.names[i]]} for i in range(k)]
    depth = max(float(row["y"]) for row in rows) + 0.6
    left, right = _gutter(rows, "left"), _gutter(rows, "right")
    axis = max(_LEAST_AXIS, _POINT * k)
    x = _axis(k, left, right, axis)
    y: Chart = {"field": "y", "type": "quantitative", "axis": None}
    y["scale"] = {"domain": [depth, -1.0], "zero": False, "nice": False}
    layers = [*_scale(test, x, y), *_names(rows, x, y, look), _groups(test, x, y)]
    height = int(_STEP * (depth + 1.2))
    # A page that is narrower than this lets the reader scroll rather than cut the names.
    least = round(left + right + axis)
    room = {"least_width": least}
    return {"width": max(_WIDTH, least), "height": height, "layer": layers, "usermeta": room}


def _gutter(rows: list[Cells], side: str) -> float:
    """Return the width needed for the names on one side."""
    return _LETTER * max((len(row["label"]) for row in rows if row["side"] == side), default=0) + 12


def _axis(k: int, left: float, right: float, least: float) -> Chart:
    """Return the axis of ranks from 1 to k, with gutters for names on both sides."""
    unit = f"{k - 1} / max(width - {left + right:.6g}, {least / 2})"
    low, high = {"expr": f"1 - {left:.6g} * {unit}"}, {"expr": f"{k} + {right:.6g} * {unit}"}
    ticks = list(range(1, k + 1, 1 + k // 16))
    shown = {"orient": "top", "grid": False, "domain": False, "values": ticks, "format": "d"}
    return {
        "field": "rank",
        "type": "quantitative",
        "title": "average rank ↓",
        "scale": {"domainMin": low, "domainMax": high, "nice": False, "zero": False},
        "axis": shown,
    }


def _place(test: Nemenyi, i: int, top: float) -> Cells:
    """Return the position of a name: the better half on the left, the others on the right."""
    k = len(test.names)
    left = i < (k + 1) // 2
    row = i if left else k - 1 - i
    rank = test.averages[i]
    return {
        "name": test.names[i],
        "label": f"{test.names[i]}  {rank:.2f}" if left else f"{rank:.2f}  {test.names[i]}",
        "rank": rank,
        "end": 1.0 if left else float(k),
        "y": top + row,
        "zero": 0.0,
        "side": "left" if left else "right",
    }


def _names(rows: list[Cells], x: Chart, y: Chart, look: Look) -> list[Chart]:
    values: Chart = {"values": rows}
    line: Chart = {"type": "rule", "strokeWidth": 1, "opacity": 1, **_INK}
    tips = [{"field": "name", "title": "setting"}, {"field": "rank", "format": ".3f"}]
    down: Chart = {"mark": line, "encoding": {"x": x, "y": y, "y2": {"field": "zero"}}}
    across: Chart = {"mark": line, "encoding": {"x": x, "x2": {"field": "end"}, "y": y}}
    point: Chart = {
        "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
        "encoding": {
            "x": x,
            "y": y | {"field": "zero"},
            "color": look.colour(legend=False),
            "shape": look.shape(legend=False),
            "tooltip": tips,
        },
    }
    labels: list[Chart] = [
        {
            "transform": [{"filter": {"field": "side", "equal": side}}],
            "mark": {"type": "text", "align": align, "dx": dx, "fontSize": 11},
            "encoding": {"x": x | {"field": "end"}, "y": y, "text": {"field": "label"}},
        }
        for side, align, dx in (("left", "right", -5), ("right", "left", 5))
    ]
    return [{"data": values, **part} for part in (down, across, *labels, point)]


def _groups(test: Nemenyi, x: Chart, y: Chart) -> Chart:
    values = [
        {
            "rank": test.averages[first],
            "end": test.averages[last],
            "y": 0.45 + _BAR * i,
            "text": f"no difference among {last - first + 1}",
        }
        for i, (first, last) in enumerate(test.groups)
    ]
    return {
        "data": {"values": values},
        "mark": {"type": "rule", "strokeWidth": 4, "strokeCap": "round", "opacity": 1},
        "encoding": {"x": x, "x2": {"field": "end"}, "y": y, "tooltip": {"field": "text"}},
    }


def _scale(test: Nemenyi, x: Chart, y: Chart) -> list[Chart]:
    """Draw the critical difference as a length above the axis."""
    end = min(1 + test.difference, float(len(test.names)))
    cut = " (longer than the axis)" if test.difference > len(test.names) - 1 else ""
    text = f"critical difference {test.difference:.2f}{cut}, {test.n} blocks"
    values = {"values": [{"rank": 1.0, "end": end, "y": -0.65, "text": text}]}
    whole = {"values": [{"rank": 1.0, "end": float(len(test.names)), "y": 0.0}]}
    line = {"type": "rule", "strokeWidth": 1, "opacity": 1, **_INK}
    rule = {"type": "rule", "strokeWidth": 2, "opacity": 1, "color": "#d55e00"}
    label = {"type": "text", "align": "left", "dx": 6, "fontSize": 11}
    return [
        {"data": whole, "mark": line, "encoding": {"x": x, "x2": {"field": "end"}, "y": y}},
        {"data": values, "mark": rule, "encoding": {"x": x, "x2": {"field": "end"}, "y": y}},
        {
            "data": values,
            "mark": label,
            "encoding": {"x": x | {"field": "end"}, "y": y, "text": {"field": "text"}},
        },
    ]
