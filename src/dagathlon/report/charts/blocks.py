"""Adjacency matrices of thousands of nodes: counts in blocks of neighbouring rows and columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dagathlon.graphs import Graph, Mark
from dagathlon.report.charts.parts import Chart

_BLOCKS, _STEP = 125, 5
_COLOURS = {"edges": "blues", "mistakes": "oranges"}

Cells = npt.NDArray[np.int64]


def adjacency_blocks(graph: Graph) -> Chart:
    """Draw the number of edges in each block of the adjacency matrix, from row to column."""
    cells, counts = np.unique(_blocks(graph, _arcs(graph)), return_counts=True)
    return _chart(graph, cells, {"edges": counts})


def difference_blocks(estimate: Graph, truth: Graph) -> Chart:
    """Draw the number of mistakes in each block of the adjacency matrix.

    Parameters
    ----------
    estimate, truth
        Graphs with the nodes in the same order.
    """
    learned, true = _arcs(estimate), _arcs(truth)
    kinds = {
        "correct": np.intersect1d(learned, true, assume_unique=True),
        "missing": np.setdiff1d(true, learned, assume_unique=True),
        "not in the truth": np.setdiff1d(learned, true, assume_unique=True),
    }
    found = {kind: _blocks(estimate, arcs) for kind, arcs in kinds.items()}
    cells = np.unique(np.concatenate(list(found.values())))
    places = {kind: np.searchsorted(cells, blocks) for kind, blocks in found.items()}
    counts = {kind: np.bincount(at, minlength=len(cells)) for kind, at in places.items()}
    mistakes = counts["missing"] + counts["not in the truth"]
    return _chart(estimate, cells, {"mistakes": mistakes, **counts})


def _arcs(graph: Graph) -> Cells:
    """Return the cells of the adjacency matrix that are 1, each as one number."""
    pairs, marks = graph.edge_arrays()
    forward = ~((marks[:, 0] == Mark.ARROW) & (marks[:, 1] == Mark.TAIL))
    backward = ~((marks[:, 0] == Mark.TAIL) & (marks[:, 1] == Mark.ARROW))
    rows = np.concatenate([pairs[forward, 0], pairs[backward, 1]])
    columns = np.concatenate([pairs[forward, 1], pairs[backward, 0]])
    cells: Cells = rows * len(graph) + columns
    return cells


def _blocks(graph: Graph, arcs: Cells) -> Cells:
    rows, columns = np.divmod(arcs, len(graph))
    width = _width(graph)
    blocks: Cells = (rows // width) * _BLOCKS + columns // width
    return blocks


def _width(graph: Graph) -> int:
    return -(-len(graph) // _BLOCKS)


def _chart(graph: Graph, cells: Cells, counts: dict[str, Cells]) -> Chart:
    """Draw a square for each non-empty block; the first counts give its colour."""
    shown = next(iter(counts))
    columns = [values.tolist() for values in (*np.divmod(cells, _BLOCKS), *counts.values())]
    keys = ("row", "column", *counts)
    values: list[dict[str, Any]] = [
        dict(zip(keys, row, strict=True))
        | {"from": _nodes(graph, row[0]), "to": _nodes(graph, row[1])}
        for row in zip(*columns, strict=True)
    ]
    colour = {
        "field": shown,
        "type": "quantitative",
        "title": f"{shown} in {_width(graph)} × {_width(graph)} cells",
        "scale": {"scheme": _COLOURS[shown], "domainMin": 0},
    }
    return {
        "width": {"step": _STEP},
        "height": {"step": _STEP},
        "data": {"values": values},
        "view": {"fill": "#f7f9fb"},
        "mark": "rect",
        "encoding": {
            "y": {"field": "row", **_axis("from")},
            "x": {"field": "column", **_axis("to", "top")},
            "color": colour,
            "tooltip": [{"field": key} for key in ("from", "to", *counts)],
        },
    }


def _axis(title: str, orient: str = "left") -> dict[str, Any]:
    axis = {"title": title, "orient": orient, "labels": False, "ticks": False, "domain": False}
    return {"type": "ordinal", "axis": axis, "scale": {"domain": list(range(_BLOCKS))}}


def _nodes(graph: Graph, block: int) -> str:
    names = graph.names[block * _width(graph) : (block + 1) * _width(graph)]
    return f"{names[0]} … {names[-1]}" if len(names) > 1 else names[0]
