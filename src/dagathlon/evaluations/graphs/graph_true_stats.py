"""``graph_true_stats``: edges, degrees and cliques of the true graphs, as table and bars."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dagathlon.evaluate.graphs.truth import graph_statistics
from dagathlon.evaluations.graphs.properties_chart import graph_properties
from dagathlon.frame import Cells
from dagathlon.report.evaluation import Evaluation, Table, TableSet
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.results import Results
from dagathlon.report.section import Figure, Section


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
