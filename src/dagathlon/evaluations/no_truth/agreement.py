"""``agreement``: where algorithms agree, for data without truth and for fixed graphs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dagathlon.evaluations.no_truth.agreement_charts import (
    CONNECTORS,
    agreement_plot,
    consensus_drawing,
    overlap_plot,
    said,
    shown_edges,
)
from dagathlon.evaluations.no_truth.consensus import (
    EdgeAgreement,
    as_class,
    bootstrapped,
    edge_agreement,
    pair_probabilities,
    skeleton_overlap,
)
from dagathlon.frame import Cells, grouped
from dagathlon.graphs import Graph
from dagathlon.report.charts.legend import Keyed
from dagathlon.report.evaluation import AnyTable, Evaluation, OfLearners, Records, Table, TableSet
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.figures.graph_panels import Panel, side_by_side
from dagathlon.report.page.tables import case_names
from dagathlon.report.results import Results
from dagathlon.report.section import Figure, Listing, Part, Picture, Section, Words
from dagathlon.report.tables.places import combination_of
from dagathlon.report.tables.runs import Combination
from dagathlon.wording import counted, listed

_MOST_ROWS = 500
_MOST_NODES = 1000
_CONSENSUS = (
    "Every algorithm that has a graph has one vote, which its ids, settings and seeds share: ten "
    "settings of one do not outvote another. The width of an edge is the share of the votes that "
    "join the two. Blue: the direction is agreed, that is two algorithms or more give it, and more "
    "than half of the votes that join the two. Red and dashed: both directions are given, the "
    "lesser by a quarter or more of the votes for any. Otherwise no direction is agreed. DAGs are "
    "compared by their classes: an edge that a class leaves open claims no direction. Hover over "
    "an edge to see who says what."
)
_EDGES = (
    "The edges with most support. Each cell is the share of an algorithm's graphs (its settings "
    "and seeds) that have the edge; the arrow is the direction that most give it."
)
_OVERLAP = (
    "Shared edges as a part of all edges of the two, directions aside; 1 is the same skeleton."
)


class _Estimates(NamedTuple):
    """Estimates over the same variables: of one data set, or of data sets with one true graph."""

    name: str
    data: Combination
    truth: Graph | None
    graphs: Mapping[str, Sequence[Graph]]

    @property
    def comparable(self) -> bool:
        graphs = [graph for members in self.graphs.values() for graph in members]
        if len(graphs) < 2 or len(graphs[0]) > _MOST_NODES:
            return False
        return all(set(graph.names) == set(graphs[0].names) for graph in graphs)

    def by_class(self) -> _Estimates:
        """Return the estimates without the directions that their equivalence class leaves open."""
        graphs = {name: [as_class(g) for g in members] for name, members in self.graphs.items()}
        return self._replace(graphs=graphs)

    @property
    def nodes(self) -> tuple[str, ...]:
        return next(iter(self.graphs.values()))[0].names


class _Agreed(NamedTuple):
    """Agreement of learners on one data set, or on data sets with one true graph."""

    name: str
    nodes: tuple[str, ...]
    n_graphs: Mapping[str, int]
    votes: Mapping[str, str]
    edges: Sequence[EdgeAgreement]
    overlap: Sequence[Cells]
    true: frozenset[frozenset[str]] | None
    bootstrap: Mapping[frozenset[str], float]
    drawn: bool


@dataclass(frozen=True, kw_only=True)
class Agreement(OfLearners):
    """Say on which edges algorithms agree, on data without truth or with a fixed true graph.

    Parameters
    ----------
    ids
        Algorithms to include; none means all that the other evaluations name.
    consensus
        Whether the consensus is drawn as one graph.
    classes
        Whether DAGs are compared by their classes, so that a reversible edge claims no direction;
        false takes every direction for a claim, as learners that use non-Gaussian noise make it.
    """

    name = "agreement"
    on_page = True
    ids: tuple[str, ...] = ()
    consensus: bool = True
    classes: bool = True

    @classmethod
    def by_default(cls, ids: Sequence[str], has_truth: bool) -> Evaluation | None:
        """Return the evaluation shown unasked wherever estimates share their variables."""
        return cls(consensus=not has_truth)

    def tables(self, results: Results) -> Mapping[str, AnyTable]:
        """Return edges with their support, and the overlap of every two algorithms."""
        ids = self.included(results)
        groups = [group for group in _groups(results, ids) if group.comparable]
        if self.classes:
            groups = [group.by_class() for group in groups]
        several = len(groups) > 1
        behind = {name: results.algorithm_behind(name) for name in ids}
        copies = bootstrapped(results, ids)
        result = [
            _Agreed(
                group.name,
                group.nodes,
                {name: len(graphs) for name, graphs in group.graphs.items()},
                {name: behind[name] for name in group.graphs},
                edge_agreement(group.graphs, behind),
                skeleton_overlap(group.graphs),
                _pairs(group.truth),
                pair_probabilities(
                    {k: v for k, v in copies.items() if k.data == group.data}, behind
                ),
                self.consensus,
            )
            for group in groups
        ]
        return {
            "groups": Records(result),
            "edges": Table([row for g in result for row in _edges(g, several)], "edges.csv"),
            "overlap": Table([row for g in result for row in _overlap(g, several)], "overlap.csv"),
        }

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """Draw two or three figures per data set, or per true graph."""
        for number, group in enumerate(tables.records("groups"), 1):
            if group.drawn:
                words = f"Consensus of {len(set(group.votes.values()))} algorithms"
                svg = side_by_side([Panel(words, _drawn(group)[0].for_file())])
                yield f"consensus_{number}.svg", svg
                yield f"consensus_{number}.png", svg
            yield f"agreement_{number}", agreement_plot(group.edges, group.true)
            yield f"overlap_{number}", overlap_plot(group.overlap)

    def section(self, tables: TableSet) -> Section | None:
        """Show the consensus, edges by algorithm, the overlap of algorithms, and all edges."""
        groups: Sequence[_Agreed] = tables.records("groups")
        if not groups:
            return None
        edges = [(g.name, agreement_plot(g.edges, g.true)) for g in groups]
        overlaps = [(g.name, overlap_plot(g.overlap)) for g in groups]
        parts: list[Part] = [Words(_in_words(group, len(groups) > 1)) for group in groups]
        parts += [
            *_consensus(groups),
            Figure("agreement", "On which edges do the algorithms agree?", _EDGES, edges),
            Figure("overlap", "Which algorithms find the same graph?", _OVERLAP, overlaps),
        ]
        if tables.rows("edges"):
            rows = tables.rows("edges")
            cut = (
                f"The first {_MOST_ROWS} of {len(rows):,} edges." if len(rows) > _MOST_ROWS else ""
            )
            parts += [Words(cut, "Edges and their support"), Listing("edges", rows[:_MOST_ROWS])]
        leading = all(group.true is None for group in groups)
        words = _in_words(groups[0], several=False) if len(groups) == 1 and leading else ""
        return Section("agreement", "Agreement", parts, leading, lead=words)


def _in_words(group: _Agreed, several: bool) -> str:
    """Return one or two sentences on the agreement of the algorithms that have a graph."""
    edges = group.edges
    voters = list(dict.fromkeys(group.votes.values()))
    pairs = counted(len(edges), "pair")
    if len(voters) < 2:
        graphs = sum(group.n_graphs.values())
        each = "" if graphs == 1 else f" in some of its {graphs:,} graphs"
        words = f"Only {voters[0]} has a vote: it joins {pairs} of variables{each}."
    else:
        words = f"{counted(len(voters), 'algorithm')} ({listed(voters)}) join {pairs} of variables"
        words = f"{words}; {_shared(edges)}."
    return f"{group.name}: {words}" if several else words


_DIRECTION = {"agreed": "in an agreed direction", "contradicting": "in contradicting directions"}


def _shared(edges: Sequence[EdgeAgreement]) -> str:
    """Return the clause on pairs joined by all voters, and on the directions of these."""
    shared = [edge.verdict for edge in edges if edge.support > 1 - 1e-9]
    if not shared:
        return "none is joined by all"
    n, agreed, against = len(shared), shared.count("agreed"), shared.count("contradicting")
    if n == 1:
        return f"1 is joined by all, {_DIRECTION.get(shared[0], 'in no agreed direction')}"
    words = f"{n:,} are joined by all, in whatever direction"
    words += f", {agreed:,} of them in an agreed one" if agreed else ", none in an agreed one"
    return words + (f" and {against:,} in contradicting ones" if against else "")


def _consensus(groups: Sequence[_Agreed]) -> Iterator[Picture]:
    drawn = [(g.name, *_drawn(g)) for g in groups if g.drawn]
    if not drawn:
        return
    cut = [f"{name}: {note}" if len(drawn) > 1 else note for name, _, note in drawn if note]
    variants = [(name, drawing.for_page()) for name, drawing, _ in drawn]
    caption = " ".join([_CONSENSUS, *cut])
    yield Picture("consensus", "What do the algorithms agree on?", caption, variants)


def _drawn(group: _Agreed) -> tuple[Keyed, str]:
    """Draw the consensus, with the clause on what is left out for want of space."""
    shown = shown_edges(group.edges, group.nodes, group.bootstrap)
    note = ""
    if shown.left_out or len(shown.nodes) < len(group.nodes):
        note = (
            f"Drawn are the {len(shown.edges)} strongest of {len(group.edges)} edges and "
            f"{len(shown.nodes)} of {len(group.nodes)} variables; edges.csv has all."
        )
    return consensus_drawing(shown, group.votes, group.bootstrap), note


def _edges(group: _Agreed, several: bool) -> Iterator[Cells]:
    """Yield one row per pair that some algorithm joins."""
    for edge in group.edges:
        pair = frozenset((edge.left, edge.right))
        row: Cells = {"data": group.name} if several else {}
        row["edge"] = f"{edge.left} {CONNECTORS[edge.direction]} {edge.right}"
        row |= {"support": edge.support, "direction": edge.verdict}
        row |= {"left → right": edge.forward, "left ← right": edge.backward}
        if group.bootstrap:
            row["bootstrap"] = group.bootstrap.get(pair, 0.0)
        if group.true is not None:
            row["in the truth"] = "yes" if pair in group.true else "no"
        row["who says what"] = "; ".join(f"{k}: {said(v)}" for k, v in edge.claims.items())
        yield row


def _overlap(group: _Agreed, several: bool) -> Iterator[Cells]:
    for pair in group.overlap:
        yield ({"data": group.name} if several else {}) | pair


def _groups(results: Results, ids: Sequence[str]) -> Iterator[_Estimates]:
    """Group data settings that have one true graph for all seeds, or none."""
    by_case = grouped((combination_of(results.case(run)), run) for run in results.runs_of(ids))
    names = case_names(list(by_case))
    for which, members in by_case.items():
        first = results.case(members[0])
        single = len({results.case(run).graph for run in members}) == 1
        if not single or (first.graph is not None and not results.origin(first).fixed_truth):
            continue
        result = grouped((run.entry, graph) for run, graph in results.estimates(members))
        yield _Estimates(names[which], which, results.truth(first), result)


def _pairs(truth: Graph | None) -> frozenset[frozenset[str]] | None:
    if truth is None:
        return None
    return frozenset(frozenset((edge.left, edge.right)) for edge in truth.edges())
