"""Matrices as charts: adjacency matrices, and correlations of metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from dagathlon.frame import Rows
from dagathlon.report.charts.parts import WIDTH, Chart, by_kind, nothing
from dagathlon.report.words import words

_MOST_LABELS = 80
_MOST_NUMBERS = 40
_SIDE, _LEAST, _MOST = 620, 3, 26

# What the cells of a difference plot say, in Benchpress's colours.
DIFFERENCES = {
    "correct": "#1a1d21",
    "missing": "#2b7fc9",
    "not in the truth": "#dd4b26",
    "no edge": "#ececec",
}


def adjacency_plot(names: Sequence[str], matrix: npt.ArrayLike) -> Chart:
    """Draw an adjacency matrix: a dark cell for each edge, from row to column.

    Parameters
    ----------
    names
        The nodes.
    matrix
        0/1 matrix, from row to column.
    """
    return _grid(names, np.asarray(matrix, dtype=float)) | {
        "mark": {"type": "rect", "color": "#08519c"}
    }


def difference_plot(names: Sequence[str], estimate: npt.ArrayLike, truth: npt.ArrayLike) -> Chart:
    """Compare two adjacency matrices cell by cell: correct, missing, not in the truth.

    Parameters
    ----------
    names
        The nodes.
    estimate, truth
        0/1 matrices, from row to column.
    """
    learned, true = (np.asarray(matrix) != 0 for matrix in (estimate, truth))
    words = list(DIFFERENCES)
    outcome = np.where(learned & true, 0, np.where(true, 1, np.where(learned, 2, 3)))
    chart = _grid(names, outcome != 3, {"edge": outcome})
    for row in chart["data"]["values"]:
        row["edge"] = words[row["edge"]]
    colour = {
        "field": "edge",
        "type": "nominal",
        "title": None,
        "scale": {"domain": words, "range": list(DIFFERENCES.values())},
    }
    chart["encoding"]["color"] = colour
    chart["view"] = {"fill": DIFFERENCES["no edge"]}
    return chart | {"mark": "rect"}


def frequency_plot(
    names: Sequence[str], frequencies: npt.ArrayLike, words: str = "share of graphs"
) -> Chart:
    """Draw edge frequencies from row to column; small matrices carry the numbers.

    Parameters
    ----------
    names
        The nodes.
    frequencies
        Matrix of shares from 0 to 1, from row to column.
    words
        What the shares are.
    """
    matrix = np.asarray(frequencies, dtype=float)
    chart = _grid(names, matrix)
    if np.array_equal(matrix, matrix.T):
        _without_directions(chart)
    colour = {
        "field": "value",
        "type": "quantitative",
        "title": words,
        "scale": {"scheme": "blues", "domain": [0, 1]},
    }
    layers: list[Chart] = [{"mark": "rect", "encoding": {"color": colour}}]
    if len(names) <= _MOST_NUMBERS:
        ink = {"condition": {"test": "datum.value > 0.6", "value": "white"}, "value": "#1b1f24"}
        number = {"field": "value", "type": "quantitative", "format": ".2f"}
        text = {"type": "text", "fontSize": 8 if len(names) > 12 else 10}
        layers.append({"mark": text, "encoding": {"text": number, "color": ink}})
    return chart | {"layer": layers}


def _without_directions(chart: Chart) -> None:
    """Remove the axis titles of a symmetric matrix."""
    for axis in ("x", "y"):
        chart["encoding"][axis]["axis"] |= {"title": None}
    chart["encoding"]["tooltip"] = [
        {"field": "from", "title": "between"},
        {"field": "to", "title": "and"},
    ]


def _grid(
    names: Sequence[str],
    matrix: npt.NDArray[Any],
    further: dict[str, npt.NDArray[Any]] | None = None,
) -> Chart:
    """Draw the nonzero cells on axes of all nodes."""
    order = list(names)
    step = max(_LEAST, min(_MOST, _SIDE // max(len(order), 1)))
    if len(order) <= _MOST_NUMBERS and matrix.dtype.kind == "f" and np.any(matrix % 1):
        step = max(step, _MOST)
    rows = []
    for i, j in np.argwhere(matrix):
        cell = {"from": order[i], "to": order[j], "value": round(float(matrix[i, j]), 4)}
        rows.append(cell | {key: int(values[i, j]) for key, values in (further or {}).items()})
    axis = {"labels": len(order) <= _MOST_LABELS, "ticks": False, "domain": False}
    scale = {"domain": order}
    return {
        "width": {"step": step},
        "height": {"step": step},
        "data": {"values": rows},
        "view": {"fill": "#f7f9fb"},
        "encoding": {
            "y": {"field": "from", "type": "nominal", "axis": axis, "scale": scale},
            "x": {
                "field": "to",
                "type": "nominal",
                "axis": axis | {"orient": "top", "labelAngle": -90},
                "scale": scale,
            },
            "tooltip": [{"field": "from"}, {"field": "to"}],
        },
    }


_STEP = 25
# Blue where two metrics prefer the same methods, red where they prefer opposite ones.
_COLOURS = {"scheme": "redblue", "domain": [-1, 1]}


def correlation_tiles(rows: Rows, metrics: Sequence[str]) -> Chart:
    """Draw rank correlations of all pairs of metrics.

    Parameters
    ----------
    rows
        `graph`, `left`, `right`, `mean`, `low`, `high`, `data_sets`; one for each ordered pair.
    metrics
        The metrics, in the order of lines and columns.
    """
    if not rows:
        return nothing("there are not enough methods to rank")
    present = {row["left"] for row in rows}
    order = [_label(metric) for metric in metrics if metric in present]
    axis: Chart = {"ticks": False, "domain": False, "grid": False, "title": None}
    ink = {"condition": {"test": "abs(datum.mean) > 0.6", "value": "white"}, "value": "#1b1f24"}
    colour = {
        "field": "mean",
        "type": "quantitative",
        "scale": _COLOURS,
        "title": "rank correlation",
        "legend": {"orient": "bottom", "gradientLength": 220},
    }
    names = {"type": "nominal", "title": None, "sort": order, "scale": {"domain": order}}
    fields = ["left", "right", "mean", "low", "high", "data_sets"]
    chart: Chart = {
        "width": WIDTH,
        "height": _STEP * len(order),
        "data": {"values": [_tile(row) for row in rows]},
        "encoding": {
            "x": names | {"field": "right", "axis": axis | {"orient": "top", "labelAngle": -60}},
            "y": names | {"field": "left", "axis": axis},
            "tooltip": [{"field": name, "title": name.replace("_", " ")} for name in fields],
        },
        "layer": [
            {"mark": "rect", "encoding": {"color": colour}},
            {
                "mark": {"type": "text", "fontSize": 10},
                "encoding": {"text": {"field": "shown"}, "color": ink},
            },
        ],
    }
    return by_kind(chart, list(dict.fromkeys(str(row["graph"]) for row in rows)))


def _label(metric: str) -> str:
    return words(metric).label


def _tile(row: Any) -> Chart:
    numbers = {name: round(float(row[name]), 3) for name in ("mean", "low", "high")}
    return numbers | {
        "case": row["graph"],
        "left": _label(row["left"]),
        "right": _label(row["right"]),
        "data_sets": row["data_sets"],
        "shown": short(numbers["mean"]),
    }


def short(value: float) -> str:
    """Format with two digits and no leading zero: .47, −.12, 1."""
    text = f"{abs(value):.2f}".lstrip("0")
    text = "1" if text == "1.00" else "0" if text == ".00" else text
    return f"\u2212{text}" if value < 0 and text != "0" else text
