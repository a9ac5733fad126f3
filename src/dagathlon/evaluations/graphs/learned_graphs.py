"""``learned_graphs``: every learned graph drawn large, with what its learner counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dagathlon.evaluations.graphs.learned_chart import MOST_NODES, learned_drawing, model_drawing
from dagathlon.evaluations.no_truth.bootstrap import Copies, bootstrapped
from dagathlon.frame import Cells, Row, Rows
from dagathlon.graphs import Graph
from dagathlon.report.charts.legend import Keyed
from dagathlon.report.evaluation import Evaluation, Table, TableSet
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.figures.graph_panels import Panel, described, side_by_side
from dagathlon.report.results import Results
from dagathlon.report.section import Grid, Listing, Part, Picture, Section, Words
from dagathlon.report.tables.places import data_columns, named_places, place_of
from dagathlon.study.plan.plan import Run

_MOST_GRAPHS = 40
_CAPTION = (
    "Blue edges have the direction that all DAGs of the class share; other edges of "
    "a DAG or CPDAG have another direction in other DAGs of the class, which fit the data as well."
)
_LATENT = "Ellipses are latent variables, boxes are observed."
_WIDTH = (
    "The width of an edge is the share of bootstrap samples that join the two. Hover over "
    "an edge for the numbers."
)


@dataclass(frozen=True, kw_only=True)
class LearnedGraphs(Evaluation):
    """Draw learned graphs large, with bootstrap probabilities where `stability` is asked for.

    Parameters
    ----------
    ids
        Algorithms to include; none means all that the other evaluations name.
    """

    name = "learned_graphs"
    on_page = True
    ids: tuple[str, ...] = ()

    def algorithms(self) -> tuple[str, ...]:
        """The named ids."""
        return self.ids

    def tables(self, results: Results) -> Mapping[str, Table]:
        """Graphs, their edges, and the statistics of their learners."""
        ids = self.ids or results.ids
        copies = bootstrapped(results, ids)
        runs = results.runs_of(ids)
        about = named_places(results, [place_of(results, run) for run in runs])
        graphs: list[Row] = []
        for run, graph in results.estimates(runs):
            place = place_of(results, run)
            cells = about[place]
            data = [str(cells[name]) for name in data_columns([cells])]
            name = " on ".join([cells["setting"], *([", seed ".join(data)] if data else [])])
            learned = results.learned(run)
            graphs.append(
                {
                    "name": name,
                    "graph": graph,
                    "copies": copies.get(place),
                    "run": run,
                    "model": None if learned is None else learned.measurement,
                }
            )
        return {
            "graphs": Table(graphs[:_MOST_GRAPHS]),
            "edges": Table([row for g in graphs for row in _edges(g)], "edges.csv"),
            "statistics": Table(
                [row for g in graphs for row in _statistics(results, g)], "statistics.csv"
            ),
        }

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """One for each graph, as SVG and PNG."""
        for number, row in enumerate(tables.rows("graphs"), 1):
            if len(row["graph"]) <= MOST_NODES:
                drawing = _drawn(row).for_file()
                svg = side_by_side([Panel(described(row["graph"], row["name"]), drawing)])
                yield f"graph_{number}.svg", svg
                yield f"graph_{number}.png", svg

    def section(self, tables: TableSet) -> Section | None:
        """The drawings, the statistics, the edges."""
        graphs = tables.rows("graphs")
        if not graphs:
            return None
        drawn = [row for row in graphs if len(row["graph"]) <= MOST_NODES]
        parts: list[Part] = []
        if drawn:
            parts.append(_picture(drawn))
        if len(drawn) < len(graphs):
            words = (
                f"Graphs of more than {MOST_NODES} nodes are not drawn; the table has the edges."
            )
            parts.append(Words(words))
        rows = [[row["graph"], row["statistic"], row["value"]] for row in tables.rows("statistics")]
        one = len(graphs) == 1
        grid = Grid(["statistic", "value"], [row[1:] for row in rows])
        parts.append(grid if one else Grid(["graph", "statistic", "value"], rows, 2))
        if tables.rows("edges"):
            listed = [
                {k: v for k, v in r.items() if not (one and k == "graph")}
                for r in tables.rows("edges")
            ]
            parts += [Words("", "Edges"), Listing("learned edges", listed)]
        return Section("learned", "Learned graph" if one else "Learned graphs", parts, leading=True)


def _drawn(row: Row) -> Keyed:
    """The measurement model that the graph is the marginal of, where there is one."""
    if row["model"] is not None:
        return model_drawing(row["model"])
    return learned_drawing(row["graph"], row["copies"])


def _picture(rows: Rows) -> Picture:
    variants = [
        (
            described(row["graph"], row["name"]),
            _drawn(row).for_page(),
        )
        for row in rows
    ]
    captions = [described(rows[0]["graph"], rows[0]["name"]) + "."] if len(rows) == 1 else []
    captions += [_CAPTION] if any(row["graph"].kind in ("dag", "cpdag") for row in rows) else []
    captions += [_LATENT] if any(row["model"] is not None for row in rows) else []
    captions += [_WIDTH] if any(row["copies"] is not None for row in rows) else []
    return Picture("learned", "What was learned?", " ".join(captions), variants)


def _edges(row: Row) -> Iterator[Cells]:
    graph: Graph = row["graph"]
    copies: Copies | None = row["copies"]
    for edge in graph.edges():
        cells: Cells = {"graph": row["name"], "edge": str(edge)}
        if copies is not None:
            i, j = copies.names.index(edge.left), copies.names.index(edge.right)
            cells |= {
                "bootstrap": float(copies.joined[i, j]),
                "this direction": float(copies.directed[i, j]),
                "the other": float(copies.directed[j, i]),
            }
        yield cells


def _statistics(results: Results, row: Row) -> Iterator[Cells]:
    graph: Graph = row["graph"]
    run: Run = row["run"]
    found: Cells = {"kind of graph": graph.kind, "nodes": len(graph)}
    found["edges"] = graph.n_edges
    learned = results.learned(run)
    found |= {} if learned is None else dict(learned.stats)
    (measured,) = results.rows_of([run])
    found["seconds"] = measured.get("time")
    for name, value in found.items():
        yield {"graph": row["name"], "statistic": name, "value": value}
