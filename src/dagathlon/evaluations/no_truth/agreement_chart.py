"""Where algorithms agree: edges by algorithm, and algorithms by algorithm."""

from __future__ import annotations

from collections.abc import Sequence

from dagathlon.evaluations.no_truth.consensus import EdgeAgreement
from dagathlon.evaluations.no_truth.consensus_chart import CONNECTORS
from dagathlon.frame import Rows
from dagathlon.report.charts.parts import STEP, Chart, nothing

MOST_EDGES = 40
ALL = "all algorithms"
_BLUES = {"scheme": "blues", "domain": [0, 1]}


def agreement_plot(edges: Sequence[EdgeAgreement], true: frozenset[frozenset[str]] | None) -> Chart:
    """The edges with most support, and how often each algorithm has them.

    Parameters
    ----------
    edges
        The edges, those with most support first; the first `MOST_EDGES` are shown.
    true
        Pairs that the true graph joins, None when there is no truth.
    """
    if not edges:
        return nothing("no algorithm found an edge")
    rows = []
    for edge in edges[:MOST_EDGES]:
        columns = {ALL: edge.support} | dict(edge.by)
        if true is not None:
            columns = {"truth": float(frozenset((edge.left, edge.right)) in true)} | columns
        name = f"{edge.left} {CONNECTORS[edge.direction]} {edge.right}"
        rows += [{"edge": name, "column": key, "share": v} for key, v in columns.items()]
    order = list(dict.fromkeys(str(row["column"]) for row in rows))
    return tiles(rows, ("column", order), ("edge", None), "share", "share of graphs with the edge")


def overlap_plot(rows: Rows) -> Chart:
    """How alike the skeletons of any two algorithms are.

    Parameters
    ----------
    rows
        `left`, `right`, `overlap`.
    """
    if not rows:
        return nothing("there are no graphs")
    order = list(dict.fromkeys(row["left"] for row in rows))
    words = "shared edges / all edges of the two"
    return tiles(rows, ("right", order), ("left", order), "overlap", words)


def tiles(
    rows: Rows,
    x: tuple[str, Sequence[str]],
    y: tuple[str, Sequence[str] | None],
    value: str,
    words: str,
) -> Chart:
    """Cells from white to blue with their numbers: a value for each column and line.

    Parameters
    ----------
    rows
        A row for each cell.
    x, y
        Fields of columns and lines, and their order; None is the order of the rows.
    value
        The field that is shown, from 0 to 1.
    words
        What it is.
    """
    order = list(y[1] or dict.fromkeys(row[y[0]] for row in rows))
    axis: Chart = {"ticks": False, "domain": False, "grid": False}
    ink = {"condition": {"test": f"datum.{value} > 0.6", "value": "white"}, "value": "#1b1f24"}
    colour = {"field": value, "type": "quantitative", "scale": _BLUES, "title": words}
    colour["legend"] = {"orient": "bottom", "gradientLength": 220, "titleLimit": 320}
    number = {"field": value, "type": "quantitative", "format": ".2f"}
    return {
        "width": {"step": 54},
        "height": {"step": STEP + 3},
        "data": {"values": list(rows)},
        "encoding": {
            "x": {
                "field": x[0],
                "type": "nominal",
                "title": None,
                "sort": list(x[1]),
                "axis": axis | {"orient": "top", "labelAngle": -35, "labelLimit": 160},
            },
            "y": {"field": y[0], "type": "nominal", "title": None, "sort": order, "axis": axis},
        },
        "layer": [
            {"mark": "rect", "encoding": {"color": colour}},
            {"mark": {"type": "text", "fontSize": 10}, "encoding": {"text": number, "color": ink}},
        ],
    }
