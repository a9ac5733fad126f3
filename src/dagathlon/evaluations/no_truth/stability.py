"""``stability``: which edges come back when learners are run again on bootstrap samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from dagathlon.evaluations.no_truth.agreement_charts import MOST_EDGES, tiles
from dagathlon.evaluations.no_truth.consensus import Copies, as_class, bootstrapped
from dagathlon.frame import Cells, Row, Rows
from dagathlon.graphs import Graph, Mark
from dagathlon.modules import Natural
from dagathlon.report.charts.parts import Chart, nothing
from dagathlon.report.evaluation import OfLearners, Table, TableSet
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.results import Results
from dagathlon.report.section import Figure, Grid, Listing, Part, Section, Words
from dagathlon.report.tables.places import by_data, data_columns, named_places, place_of
from dagathlon.simulate.resampling import BootstrapSample
from dagathlon.study.config.plan_requests import Cases, Learning, Wanted

_MOST_ROWS = 2000
# Edges that come back more seldom stand in the table alone.
_FREQUENT = 0.1
_HOW = (
    "Each learner is run again on bootstrap samples of the data: as many rows, drawn with "
    "replacement. Its edges come back in a mean share of the samples, their directions (of those "
    "that its class directs) in another; other edges are those of a sample's graph that the graph "
    "of all rows does not have. Rows that stand twice make dependences look stronger, so that "
    "samples tend to have more edges than the data; the shares compare edges and learners, and are "
    "no probabilities that an edge is true."
)
_EDGES = "The edges that come back most, and the share of the bootstrap samples that have them."


@dataclass(frozen=True, kw_only=True)
class Stability(OfLearners):
    """Learn again on bootstrap samples of the data, and say which edges come back.

    Parameters
    ----------
    ids
        Algorithms to include; none means all that the other evaluations name.
    copies
        Number of bootstrap samples. Every setting is run once on each of them.
    """

    name = "stability"
    on_page = True
    learns = True
    references = (
        "Friedman, Goldszmidt and Wyner 1999, Data analysis with Bayesian networks: a bootstrap "
        "approach, UAI",
    )
    ids: tuple[str, ...] = ()
    copies: Natural = 20

    def tasks(self, cases: Cases) -> Iterator[Wanted]:
        """Request learning on every bootstrap sample."""
        for number in range(1, self.copies + 1):
            yield Learning((BootstrapSample(number=number),), self.ids or cases.ids)

    def tables(self, results: Results) -> Mapping[str, Table]:
        """Return the stability of each setting, and how often each of them has an edge."""
        ids = self.included(results)
        copies = bootstrapped(results, ids)
        runs = results.runs_of(ids)
        graphs = {place_of(results, run): as_class(graph) for run, graph in results.estimates(runs)}
        about = named_places(results, copies)
        learners: list[Row] = []
        edges: list[Row] = []
        for place, members in copies.items():
            learners.append(about[place] | _summary(graphs.get(place), members))
            edges += [about[place] | row for row in _edges(graphs.get(place), members)]
        return {
            "learners": Table(learners, "learners.csv"),
            "edges": Table(edges, "edges.csv"),
        }

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """Draw one figure per data set."""
        for number, (_, chart) in enumerate(_charts(tables.rows("edges")), 1):
            yield f"stability_{number}", chart

    def section(self, tables: TableSet) -> Section | None:
        """Show learners, edges by learner, and the table of edges."""
        learners = tables.rows("learners")
        if not learners:
            return None
        parts: list[Part] = [Words(_HOW), _grid(learners)]
        variants = list(_charts(tables.rows("edges")))
        parts.append(Figure("stability", "Which edges come back?", _EDGES, variants))
        parts += [Words("", "Edges by learner"), Listing("bootstrap", _wide(tables.rows("edges")))]
        return Section("stability", "Stability", parts, leading=True)


def _summary(graph: Graph | None, copies: Copies) -> Cells:
    """Return the shares of edges and directions that recur on bootstrap samples."""
    row: Cells = {"edges": None, "edges back": None, "directions back": None}
    if graph is not None:
        marks = graph.subgraph(copies.names).marks
        mine = np.triu(marks != Mark.NONE)
        directed = (marks == Mark.ARROW) & (marks.T == Mark.TAIL)
        row = {
            "edges": graph.n_edges,
            "edges back": float(copies.joined[mine].mean()) if mine.any() else None,
            "directions back": float(copies.directed[directed].mean()) if directed.any() else None,
            "other edges": float(copies.joined[np.triu(~mine, 1)].sum()),
        }
    row |= {"edges of samples": float(np.mean(copies.sizes)), "samples": len(copies.sizes)}
    return row | {"failed": copies.failed}


def _edges(graph: Graph | None, copies: Copies) -> Iterator[Cells]:
    """Yield one row per pair joined by the graph or on some bootstrap sample."""
    names = copies.names
    marks = None if graph is None else graph.subgraph(names).marks
    joined = copies.joined > 0 if marks is None else (copies.joined > 0) | (marks != Mark.NONE)
    for i, j in np.argwhere(np.triu(joined)):
        mine = None if marks is None else bool(marks[i, j])
        yield {
            "edge": f"{names[i]} – {names[j]}",
            "joined": float(copies.joined[i, j]),
            "left → right": float(copies.directed[i, j]),
            "left ← right": float(copies.directed[j, i]),
            "in the graph": None if mine is None else "yes" if mine else "no",
        }


def _grid(rows: Rows) -> Grid:
    data = data_columns(rows)
    head = [*data, "setting", "edges", "edges back", "directions back", "other edges"]
    head += ["edges of samples", "samples", "failed"]
    ordered = sorted(rows, key=lambda row: -(row["edges back"] or 0.0))
    return Grid(head, [[row.get(name) for name in head] for row in ordered], 1 + len(data))


def _wide(rows: Rows) -> list[Row]:
    """Return one row per edge, with a column for each setting."""
    settings = list(dict.fromkeys(row["setting"] for row in rows))
    wide: list[Row] = []
    for name, members in by_data(rows).items():
        for edge, shares in _ordered(members, len(settings)):
            about = {"data": name} if name else {}
            cells = {setting: shares.get(setting, 0.0) for setting in settings}
            mean = {"mean": _mean(shares, len(settings))} if len(settings) > 1 else {}
            wide.append(about | {"edge": edge} | mean | cells)
    return wide[:_MOST_ROWS]


def _ordered(rows: Rows, n_settings: int) -> list[tuple[str, dict[str, float]]]:
    """Return shares by setting for each edge, the most frequent edges first."""
    shares: dict[str, dict[str, float]] = {}
    for row in rows:
        shares.setdefault(row["edge"], {})[row["setting"]] = row["joined"]
    return sorted(shares.items(), key=lambda item: -round(_mean(item[1], n_settings), 9))


def _mean(shares: Mapping[str, float], n_settings: int) -> float:
    return sum(shares.values()) / n_settings


def _charts(rows: Rows) -> Iterator[tuple[str, Chart]]:
    """Yield the charts of edges by setting, one per data set."""
    for name, members in by_data(rows).items():
        yield name or "the data", _chart(members)


def _chart(rows: Rows) -> Chart:
    settings = list(dict.fromkeys(row["setting"] for row in rows))
    ordered = _ordered(rows, len(settings))[:MOST_EDGES]
    frequent = [item for item in ordered if _mean(item[1], len(settings)) >= _FREQUENT]
    shown = frequent or ordered
    if not shown:
        return nothing("no bootstrap sample gave an edge")
    cells = [
        {"edge": edge, "setting": setting, "joined": shares.get(setting, 0.0)}
        for edge, shares in shown
        for setting in settings
    ]
    words = "share of bootstrap samples"
    return tiles(cells, ("setting", settings), ("edge", None), "joined", words)
