"""Choice of layout: layered for directed graphs, stress for others, a grid for very large ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np

from dagathlon.errors import GraphError, unknown
from dagathlon.graphs.drawing.labels import Label
from dagathlon.graphs.drawing.layered import layered_layout
from dagathlon.graphs.drawing.layout import Box, Layout, Pair, at_origin, side_by_side
from dagathlon.graphs.drawing.stress import straight, stress_layout
from dagathlon.graphs.graph import Graph
from dagathlon.graphs.marks import Mark

LayoutName: TypeAlias = Literal["auto", "layered", "stress", "grid"]

_GAP = 30.0
_ASPECT = 1.6
_MAX_LAYERED, _MAX_STRESS = 1200, 250
_GRID_GAP = 40.0


def arrange(graph: Graph, labels: Sequence[Label], layout: LayoutName = "auto") -> Layout:
    """Lay out a graph: its connected components one by one, then side by side."""
    if layout not in get_args(LayoutName):
        raise GraphError(unknown("layout", layout, get_args(LayoutName)))
    directed, others = _edges(graph)
    parts = []
    for nodes in components(len(graph), [*directed, *others]):
        number = {node: i for i, node in enumerate(nodes)}
        chosen = [labels[node] for node in nodes]
        arrows, plain = (
            [(number[u], number[v]) for u, v in edges if u in number]
            for edges in (directed, others)
        )
        part = _connected(chosen, arrows, plain, layout)
        boxes = {nodes[i]: box for i, box in part.boxes.items()}
        curves = {(nodes[u], nodes[v]): curve for (u, v), curve in part.curves.items()}
        parts.append(Layout(part.width, part.height, boxes, curves))
    return side_by_side(parts, _GAP, _ASPECT)


def _edges(graph: Graph) -> tuple[list[Pair], list[Pair]]:
    """Split the edges into directed ones, from tail to head, and all others."""
    arrow = graph.marks == Mark.ARROW
    forward = arrow & ~arrow.T
    others = np.triu((graph.marks != Mark.NONE) & ~forward & ~forward.T)
    directed = [(int(i), int(j)) for i, j in np.argwhere(forward)]
    return directed, [(int(i), int(j)) for i, j in np.argwhere(others)]


def components(n: int, edges: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the nodes of each connected component, in the order of their first nodes."""
    part = list(range(n))

    def first(node: int) -> int:
        while part[node] != node:
            part[node] = part[part[node]]
            node = part[node]
        return node

    for u, v in edges:
        a, b = sorted((first(u), first(v)))
        part[b] = a
    parts: dict[int, list[int]] = {}
    for node in range(n):
        parts.setdefault(first(node), []).append(node)
    return list(parts.values())


def _connected(
    labels: Sequence[Label], directed: list[Pair], others: list[Pair], wanted: LayoutName
) -> Layout:
    if wanted == "auto":
        wanted = "layered" if directed else "stress"
    if wanted == "stress" and len(labels) <= _MAX_STRESS:
        return stress_layout(labels, [*directed, *others])
    found = None
    if wanted != "grid" and len(labels) <= _MAX_LAYERED:
        found = layered_layout(labels, directed, others)
    return found or _grid(labels, [*directed, *others])


def _grid(labels: Sequence[Label], edges: list[Pair]) -> Layout:
    """Place nodes in rows and columns, in their order, with straight edges between them."""
    columns = math.ceil(math.sqrt(len(labels)))
    width = max(label.width for label in labels) + _GRID_GAP
    height = max(label.height for label in labels) + _GRID_GAP
    boxes = {
        node: Box(node % columns * width, node // columns * height, label.width, label.height)
        for node, label in enumerate(labels)
    }
    return at_origin(boxes, {(u, v): straight(boxes[u], boxes[v]) for u, v in edges})
