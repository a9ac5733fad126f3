"""``graph_true_stats``: edges, degrees and cliques of the true graphs, as table and bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dagathlon.evaluate.truth import graph_statistics
from dagathlon.report.charts.properties import graph_properties
from dagathlon.report.context import Context
from dagathlon.report.files import write_csv
from dagathlon.report.render import save
from dagathlon.study.grammar.evaluation import GraphTrueStats

EVALUATION = GraphTrueStats


def write(context: Context, evaluations: Sequence[GraphTrueStats]) -> None:
    """One row for each true graph, and one figure."""
    folder = context.folder / "graph_true_stats"
    rows: list[dict[str, Any]] = []
    cases = {(case.graph_label, case.graph, case.noise): case for case in context.cases}
    for case in cases.values():
        truth = context.truth(case)
        if truth is not None:
            name = {"adjmat": case.graph_label}
            rows.append(name | graph_statistics(truth) | {"seed": case.seed})
    write_csv(rows, folder / "joint_stats.csv")
    save(graph_properties(rows), folder / "graph_properties_plot.png")
