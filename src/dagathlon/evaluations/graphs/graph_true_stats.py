"""``graph_true_stats``: edges, degrees and cliques of the true graphs, as table and bars."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dagathlon.evaluate.graphs.truth import graph_statistics
from dagathlon.frame import Cells, Rows
from dagathlon.report.charts.parts import Chart, nothing
from dagathlon.report.evaluation import Evaluation, Table, TableSet
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.figures.palette import PALETTE
from dagathlon.report.results import Results
from dagathlon.report.section import Figure, Section

PROPERTIES = {
    "indegree_avg": "mean in-degree",
    "max_indegree": "largest in-degree",
    "clique_size_max": "largest clique",
    "clique_size_avg": "mean clique",
    "clique_size_min": "smallest clique",
}
_MOST_SEEDS = 60


@dataclass(frozen=True, kw_only=True)
class GraphTrueStats(Evaluation):
    """Tabulate edges, degrees and cliques of the true graphs."""

    name = "graph_true_stats"
    shape = "flag"

    def needs_truth(self) -> bool:
        """Return True: the statistics are those of true graphs."""
        return True

    def tables(self, results: Results) -> Mapping[str, Table]:
        """Return one row per true graph."""
        rows: list[Cells] = []
        cases = {(c.graph_label, c.graph, c.noise): c for c in results.cases}
        for case in cases.values():
            truth = results.truth(case)
            if truth is not None:
                name = {"adjmat": case.graph_label}
                rows.append(name | graph_statistics(truth) | {"seed": case.seed})
        return {"stats": Table(rows, "joint_stats.csv", numbered=True)}

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """Draw one figure of all true graphs."""
        yield "graph_properties_plot.png", graph_properties(tables.rows("stats"))

    def section(self, tables: TableSet) -> Section | None:
        """Show the figure of all true graphs."""
        chart = graph_properties(tables.rows("stats"))
        caption = "A bar for each seed. The table beside this page has more properties."
        figure = Figure("properties", "What are the true graphs like?", caption, [("all", chart)])
        return Section("true-graphs", "True graphs", [figure])


def graph_properties(rows: Rows) -> Chart:
    """Draw bars of each property, one per seed, in a row of panels for each graph setting.

    Parameters
    ----------
    rows
        One row per true graph: `adjmat`, `seed` and the properties.
    """
    cells = [
        {"adjmat": row["adjmat"], "seed": row["seed"], "property": words, "value": row[name]}
        for row in rows
        for name, words in PROPERTIES.items()
        if row.get(name) is not None
    ]
    if not cells:
        return nothing("there is no true graph")
    present = [words for words in PROPERTIES.values() if words in {c["property"] for c in cells}]
    seeds = len({row["seed"] for row in rows})
    height = max(4, min(14, 240 // max(seeds, 1)))
    axis = {"labels": seeds <= _MOST_SEEDS, "ticks": False, "labelOverlap": True}
    panels = [
        _bars([cell for cell in cells if cell["adjmat"] == setting], setting, present, axis, height)
        for setting in dict.fromkeys(cell["adjmat"] for cell in cells)
    ]
    return {"vconcat": panels}


def _bars(cells: Rows, setting: str, order: Sequence[str], axis: Chart, height: int) -> Chart:
    """Return the panels of one graph setting."""
    return {
        "title": setting,
        "data": {"values": list(cells)},
        "facet": {"column": {"field": "property", "title": None, "sort": list(order)}},
        "spec": {
            "width": 130,
            "height": {"step": height},
            "mark": {"type": "bar", "color": PALETTE[0]},
            "encoding": {
                "y": {"field": "seed", "type": "ordinal", "title": "seed", "axis": axis},
                "x": {"field": "value", "type": "quantitative", "title": None},
            },
        },
    }
