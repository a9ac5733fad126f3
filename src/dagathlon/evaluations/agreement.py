"""``agreement``: where algorithms agree, for data without truth and for fixed graphs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from dagathlon.evaluate.agreement import EdgeAgreement, edge_agreement, skeleton_overlap
from dagathlon.graphs import Graph
from dagathlon.report.charts.agreement import agreement_plot, arrow, overlap_plot
from dagathlon.report.context import Results
from dagathlon.report.evaluation import Drawing, Evaluation, Table, TableSet
from dagathlon.report.page.tables import case_names
from dagathlon.report.section import Figure, Listing, Part, Section, Words
from dagathlon.report.tables import Combination
from dagathlon.study.plan.plan import Case, Run

_MOST_ROWS = 500
_MOST_NODES = 300
_EDGES = (
    "The edges with most support. Each cell is the share of an algorithm's graphs (its settings "
    "and seeds) that have the edge; the arrow is the direction that most give it."
)
_OVERLAP = (
    "Shared edges as a part of all edges of the two, directions aside; 1 is the same skeleton."
)


class _Group(NamedTuple):
    """Estimates of the same variables: on one data set, or on data sets of one true graph."""

    name: str
    truth: Graph | None
    graphs: Mapping[str, Sequence[Graph]]

    @property
    def comparable(self) -> bool:
        graphs = [graph for found in self.graphs.values() for graph in found]
        if not graphs or len(graphs[0]) > _MOST_NODES:
            return False
        return all(set(graph.names) == set(graphs[0].names) for graph in graphs)


@dataclass(frozen=True, kw_only=True)
class Agreement(Evaluation):
    """Say on which edges algorithms agree, on data without truth or with a fixed true graph.

    Parameters
    ----------
    ids
        Algorithms to include; none means all that the other evaluations name.
    """

    name = "agreement"
    on_page = True
    ids: tuple[str, ...] = ()

    def algorithms(self) -> tuple[str, ...]:
        """The named ids."""
        return self.ids

    @classmethod
    def by_default(cls, ids: Sequence[str], has_truth: bool) -> Evaluation | None:
        """Agreement is shown wherever estimates are over the same variables."""
        return cls()

    def tables(self, results: Results) -> Mapping[str, Table]:
        """Edges with their support, and how much two algorithms share."""
        groups = [g for g in _groups(results, self.ids or results.ids) if g.comparable]
        several = len(groups) > 1
        found = [
            {
                "name": group.name,
                "edges": edge_agreement(group.graphs),
                "overlap": skeleton_overlap(group.graphs),
                "true": _pairs(group.truth),
            }
            for group in groups
        ]
        return {
            "groups": Table(found),
            "edges": Table([row for g in found for row in _edges(g, several)], "edges.csv"),
            "overlap": Table([row for g in found for row in _overlap(g, several)], "overlap.csv"),
        }

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """Two for each data set, or for each true graph."""
        for number, group in enumerate(tables.rows("groups"), 1):
            yield f"agreement_{number}", agreement_plot(group["edges"], group["true"])
            yield f"overlap_{number}", overlap_plot(group["overlap"])

    def section(self, tables: TableSet) -> Section | None:
        """Edges by algorithm, algorithms by algorithm, and the table of edges."""
        groups = tables.rows("groups")
        if not groups:
            return None
        edges = [(g["name"], agreement_plot(g["edges"], g["true"])) for g in groups]
        overlaps = [(g["name"], overlap_plot(g["overlap"])) for g in groups]
        parts: list[Part] = [
            Figure("agreement", "On which edges do the algorithms agree?", _EDGES, edges),
            Figure("overlap", "Which algorithms find the same graph?", _OVERLAP, overlaps),
        ]
        if tables.rows("edges"):
            parts += [Words("", "Edges and their support"), Listing("edges", tables.rows("edges"))]
        leading = all(group["true"] is None for group in groups)
        return Section("agreement", "Agreement", parts, leading)


def _edges(group: Mapping[str, Any], several: bool) -> Iterator[dict[str, Any]]:
    """One row for each pair that some algorithm joins."""
    edge: EdgeAgreement
    for edge in group["edges"][:_MOST_ROWS]:
        row: dict[str, Any] = {"data": group["name"]} if several else {}
        row |= {"edge": f"{edge.left} {arrow(edge)} {edge.right}", "support": edge.support}
        row |= {"left → right": edge.forward, "left ← right": edge.backward}
        if group["true"] is not None:
            there = frozenset((edge.left, edge.right)) in group["true"]
            row["in the truth"] = "yes" if there else "no"
        yield row


def _overlap(group: Mapping[str, Any], several: bool) -> Iterator[dict[str, Any]]:
    for pair in group["overlap"]:
        yield ({"data": group["name"]} if several else {}) | pair


def _groups(results: Results, ids: Sequence[str]) -> Iterator[_Group]:
    """Data settings whose truth is one and the same for all seeds, or that have none."""
    by_case: dict[Combination, list[Run]] = {}
    for run in results.runs_of(ids):
        by_case.setdefault(_combination(results.case(run)), []).append(run)
    names = case_names(list(by_case))
    for which, members in by_case.items():
        first = results.case(members[0])
        one = len({results.case(run).graph for run in members}) == 1
        if not one or (first.graph is not None and not results.origin(first).fixed_truth):
            continue
        found: dict[str, list[Graph]] = {}
        for run, graph in results.estimates(members):
            found.setdefault(run.entry, []).append(graph)
        yield _Group(names[which], results.truth(first), found)


def _combination(case: Case) -> Combination:
    return Combination(case.graph_label, case.parameters_label, case.data_label)


def _pairs(truth: Graph | None) -> frozenset[frozenset[str]] | None:
    if truth is None:
        return None
    return frozenset(frozenset((edge.left, edge.right)) for edge in truth.edges())
