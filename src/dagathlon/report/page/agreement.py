"""The part of a report on where algorithms agree: for data without truth, and for fixed graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from dagathlon.evaluate.agreement import EdgeAgreement, edge_agreement, skeleton_overlap
from dagathlon.graphs import Graph
from dagathlon.report.charts.agreement import agreement_plot, arrow, overlap_plot
from dagathlon.report.page.figures import Figure

_MOST_ROWS = 500
_MOST_NODES = 300


class Group(NamedTuple):
    """Estimates of the same variables: on one data set, or on data sets of one true graph."""

    name: str
    truth: Graph | None
    graphs: Mapping[str, Sequence[Graph]]


def agreement_figures(groups: Sequence[Group]) -> list[Figure]:
    """Edges by algorithm, and algorithms by algorithm."""
    shown = [group for group in groups if _comparable(group)]
    if not shown:
        return []
    edges = [(group.name, agreement_plot(_edges(group), _pairs(group.truth))) for group in shown]
    overlaps = [(group.name, overlap_plot(skeleton_overlap(group.graphs))) for group in shown]
    return [
        Figure(
            "agreement",
            "On which edges do the algorithms agree?",
            "The edges with most support. Each cell is the share of an algorithm's graphs (its "
            "settings and seeds) that have the edge; the arrow is the direction that most give it.",
            edges,
        ),
        Figure(
            "overlap",
            "Which algorithms find the same graph?",
            "Shared edges as a part of all edges of the two, directions aside; 1 is the same "
            "skeleton.",
            overlaps,
        ),
    ]


def agreement_rows(groups: Sequence[Group]) -> list[dict[str, Any]]:
    """The table of edges: one row for each pair that some algorithm joins."""
    rows: list[dict[str, Any]] = []
    for group in groups:
        if not _comparable(group):
            continue
        true = _pairs(group.truth)
        for edge in _edges(group)[:_MOST_ROWS]:
            row: dict[str, Any] = {"data": group.name} if len(groups) > 1 else {}
            row |= {"edge": f"{edge.left} {arrow(edge)} {edge.right}", "support": edge.support}
            row |= {"left → right": edge.forward, "left ← right": edge.backward}
            if true is not None:
                row["in the truth"] = "yes" if frozenset((edge.left, edge.right)) in true else "no"
            rows.append(row)
    return rows


def _comparable(group: Group) -> bool:
    graphs = [graph for found in group.graphs.values() for graph in found]
    if not graphs or len(graphs[0]) > _MOST_NODES:
        return False
    return all(set(graph.names) == set(graphs[0].names) for graph in graphs)


def _edges(group: Group) -> list[EdgeAgreement]:
    return edge_agreement(group.graphs)


def _pairs(truth: Graph | None) -> frozenset[frozenset[str]] | None:
    if truth is None:
        return None
    return frozenset(frozenset((edge.left, edge.right)) for edge in truth.edges())
