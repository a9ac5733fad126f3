"""Mean ROC and precision–recall curves along penalties, with the chosen graphs on them."""

from __future__ import annotations

from typing import Any

from dagathlon.frame import Cells, Rows
from dagathlon.report.charts.parts import HEIGHT, WIDTH, Chart, by_kind, nothing, tooltip
from dagathlon.report.figures.palette import GREY, Look

AXES = {
    "ROC": ("false positives / true non-edges", "true positives / true edges"),
    "PR": ("recall: true positives / true edges", "precision: true positives / edges"),
}
_SHORT = {"ROC": {"x": "FPR", "y": "TPR"}, "PR": {"x": "recall", "y": "precision"}}


def path_curves(rows: Rows, curve: str, look: Look) -> Chart:
    """Plot mean curves, one line per method, a panel per graph.

    Parameters
    ----------
    rows
        `graph`, `id`, `method`, `x`, `y`, `data_sets`, and `chosen` where a point is that of chosen
        graphs.
    curve
        ``ROC`` or ``PR``.
    look
        Colours and symbols of `id`.
    """
    if not rows:
        return nothing("no curve could be compared with a true graph")
    values = [_point(row, place) for place, row in enumerate(rows)]
    across, up = AXES[curve]
    graphs = list(dict.fromkeys(value["case"] for value in values))
    chart: Chart = {
        "width": WIDTH,
        "height": HEIGHT,
        "data": {"values": [*values, *(_chance(values, graphs) if curve == "ROC" else ())]},
        "encoding": {
            "x": {"field": "x", "type": "quantitative", "title": across, "scale": {"zero": True}},
            "y": {
                "field": "y",
                "type": "quantitative",
                "title": up,
                "scale": {"domain": [0, 1]},
            },
        },
        "layer": [
            *([_diagonal()] if curve == "ROC" else []),
            _lines(look),
            _chosen(look, _SHORT[curve]),
        ],
    }
    return by_kind(chart, graphs, own=("x",), titles=_SHORT[curve])


def _point(row: Any, place: int) -> Cells:
    return {
        "id": row["id"],
        "method": row["method"],
        "case": row["graph"],
        "x": float(f"{row['x']:.4g}"),
        "y": float(f"{row['y']:.4g}"),
        "n": row["data_sets"],
        "what": "chosen" if row.get("chosen") else "line",
        "place": place,
    }


def _chance(values: Rows, graphs: list[str]) -> list[Cells]:
    """Return the reference line of randomly drawn graphs."""
    ends = []
    for graph in graphs:
        reach = max(value["x"] for value in values if value["case"] == graph)
        ends += [{"case": graph, "what": "chance", "x": end, "y": end} for end in (0.0, reach)]
    return ends


def _diagonal() -> Chart:
    return {
        "transform": [{"filter": "datum.what == 'chance'"}],
        "mark": {"type": "line", "color": GREY, "strokeDash": [4, 4], "strokeWidth": 1},
    }


def _lines(look: Look) -> Chart:
    return {
        "transform": [{"filter": "datum.what == 'line'"}],
        "mark": {"type": "line", "opacity": 1, "strokeOpacity": 0.85, "strokeWidth": 1.8},
        "encoding": {
            "color": look.colour(),
            "detail": {"field": "method"},
            "order": {"field": "place", "type": "quantitative"},
        },
    }


def _chosen(look: Look, titles: dict[str, str]) -> Chart:
    tips = tooltip(method="algorithm", n="data sets")
    tips += [{"field": axis, "title": titles[axis], "format": ".3f"} for axis in ("x", "y")]
    return {
        "transform": [{"filter": "datum.what == 'chosen'"}],
        "mark": {"type": "point", "filled": True, "size": 95, "opacity": 1},
        "encoding": {"color": look.colour(), "shape": look.shape(), "tooltip": tips},
    }
