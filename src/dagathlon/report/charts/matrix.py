"""Matrices over the nodes of a graph: adjacency, differences, frequencies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from dagathlon.report.charts.parts import Chart

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
    """An adjacency matrix: a dark cell for each edge, from row to column.

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
    """Two adjacency matrices, cell by cell: correct, missing, not in the truth.

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
    """How often each edge occurs, from row to column; small matrices carry the numbers.

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
    """Rows and columns of a symmetric matrix have no titles."""
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
    """Cells that are not zero, on axes of all nodes; nothing is drawn for the others."""
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
