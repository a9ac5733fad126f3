"""``metrics``: what Benchpress's joint table does not have, and diagnostics of the data sets."""

from __future__ import annotations

from collections.abc import Sequence

from dagathlon.report.context import PARTIAL, Context
from dagathlon.report.files import write_csv, write_parquet
from dagathlon.study.grammar.evaluation import Metrics

EVALUATION = Metrics

# What tells runs apart and what they cost, taken over from the joint table.
_ABOUT = ("id", "algorithm", "adjmat", "parameters", "data", "seed", "curve_param", "curve_value")
_COST = ("graph_type", "ntests", "time", "cpu", "memory", "status", "reason", "n_nodes_left_out")


def write(context: Context, evaluations: Sequence[Metrics]) -> None:
    """One table of runs and one of data sets."""
    folder = context.folder / "metrics"
    for evaluation in evaluations:
        ids = evaluation.ids or context.setup.algorithm_ids()
        rows = []
        for row, further in zip(context.rows(ids), context.further_rows(ids), strict=True):
            about = {name: row.get(name) for name in (*_ABOUT, *_COST)}
            note = {PARTIAL: True} if context.partial else {}
            rows.append(about | further | note)
        write_csv(rows, folder / "metrics.csv")
        write_parquet(rows, folder / "metrics.parquet")
    write_csv(context.case_rows, folder / "data_sets.csv")
