"""``learned_graphs``: learned graphs side by side, their edges and statistics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dagathlon.evaluations.no_truth.consensus import Copies, bootstrapped
from dagathlon.frame import Cells, Row, Rows
from dagathlon.graphs import Graph, cpdag
from dagathlon.graphs.drawing.svg import EdgeStyle, to_svg
from dagathlon.graphs.graph import Edge
from dagathlon.graphs.measurement import MeasurementModel
from dagathlon.report.charts.legend import Key, Keyed
from dagathlon.report.evaluation import OfLearners, Table, TableSet
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.figures.graph_panels import Panel, described, side_by_side
from dagathlon.report.results import Results
from dagathlon.report.section import Grid, Listing, Part, Picture, Section, Words
from dagathlon.report.tables.places import data_columns, named_places, place_of
from dagathlon.study.plan.plan import Run

MOST_NODES = 200
_FIXED = "#2b7fc9"
_PLAIN, _THIN, _THICK = 1.6, 1.0, 6.0


def model_drawing(model: MeasurementModel) -> Keyed:
    """Draw a measurement model, with latent variables as ellipses."""
    return Keyed(to_svg(model.graph, latents=model.latents), [])


def learned_drawing(graph: Graph, copies: Copies | None) -> Keyed:
    """Draw a learned graph with its key.

    Parameters
    ----------
    graph
        What was learned.
    copies
        What was learned on bootstrap samples, if that is known: it gives edges their width.
    """
    shared = _class_of(graph)
    styles, colours = {}, set[str]()
    for edge in graph.edges():
        fixed = shared is not None and edge.left in shared.parents(edge.right)
        colour = _FIXED if fixed else "currentColor"
        colours.add(colour)
        words = "\n".join(_words(edge, fixed if shared is not None else None, copies))
        share = None if copies is None else float(copies.joined[_at(edge, copies)])
        styles[edge.left, edge.right] = EdgeStyle(colour, _width(share), 1.0, False, words)
    keys = [Key("direction shared by the class", _FIXED, 3.0)] if _FIXED in colours else []
    if shared is not None and "currentColor" in colours:
        keys.append(Key("reversible", "currentColor", 3.0))
    if copies is not None and styles:
        for words, share in (("in half", 0.5), ("in all", 1.0)):
            keys.append(Key(f"{words} bootstrap samples", "currentColor", _width(share)))
    return Keyed(to_svg(graph, styles=styles), keys)


def _class_of(graph: Graph) -> Graph | None:
    """Return the CPDAG of a DAG, a CPDAG itself, None for other graphs."""
    if graph.is_dag:
        return cpdag(graph)
    return graph if graph.is_cpdag and not graph.is_undirected else None


def _width(share: float | None) -> float:
    return _PLAIN if share is None else _THIN + (_THICK - _THIN) * share


def _at(edge: Edge, copies: Copies) -> tuple[int, int]:
    return copies.names.index(edge.left), copies.names.index(edge.right)


def _words(edge: Edge, fixed: bool | None, copies: Copies | None) -> Iterator[str]:
    yield str(edge)
    if fixed is not None:
        yield "direction shared by the class" if fixed else "reversible: the class leaves it open"
    if copies is not None:
        i, j = _at(edge, copies)
        yield f"bootstrap: joined in {copies.joined[i, j]:.0%} of {len(copies.sizes)} samples"
        yield f"{edge.left} → {edge.right} in {copies.directed[i, j]:.0%}"
        yield f"{edge.left} ← {edge.right} in {copies.directed[j, i]:.0%}"


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
class LearnedGraphs(OfLearners):
    """Draw learned graphs large, with bootstrap probabilities where `stability` is asked for.

    Parameters
    ----------
    ids
        Algorithms to include; none means all that the other evaluations name.
    """

    name = "learned_graphs"
    on_page = True
    ids: tuple[str, ...] = ()

    def tables(self, results: Results) -> Mapping[str, Table]:
        """Return graphs, their edges, and the statistics of their learners."""
        ids = self.included(results)
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
        """Draw each graph as SVG and PNG."""
        for number, row in enumerate(tables.rows("graphs"), 1):
            if len(row["graph"]) <= MOST_NODES:
                drawing = _drawn(row).for_file()
                svg = side_by_side([Panel(described(row["graph"], row["name"]), drawing)])
                yield f"graph_{number}.svg", svg
                yield f"graph_{number}.png", svg

    def section(self, tables: TableSet) -> Section | None:
        """Show the drawings, the statistics and the edges."""
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
        single = len(graphs) == 1
        grid = Grid(["statistic", "value"], [row[1:] for row in rows])
        parts.append(grid if single else Grid(["graph", "statistic", "value"], rows, 2))
        if tables.rows("edges"):
            listed = [
                {k: v for k, v in r.items() if not (single and k == "graph")}
                for r in tables.rows("edges")
            ]
            parts += [Words("", "Edges"), Listing("learned edges", listed)]
        return Section(
            "learned", "Learned graph" if single else "Learned graphs", parts, leading=True
        )


def _drawn(row: Row) -> Keyed:
    """Draw the measurement model of a row if there is one, else its graph."""
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
    result: Cells = {"kind of graph": graph.kind, "nodes": len(graph)}
    result["edges"] = graph.n_edges
    learned = results.learned(run)
    result |= {} if learned is None else dict(learned.stats)
    (measured,) = results.rows_of([run])
    result["seconds"] = measured.get("time")
    for name, value in result.items():
        yield {"graph": row["name"], "statistic": name, "value": value}
