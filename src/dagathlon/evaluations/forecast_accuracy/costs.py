"""What learning on data and subsamples cost, and how much of it is proven optimal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from dagathlon.evaluate.ranking.summary import is_number
from dagathlon.evaluations.forecast_accuracy.accuracy import network_names
from dagathlon.evaluations.intersection_validation.runs import subsample_of
from dagathlon.frame import Cells, Row, Rows, grouped
from dagathlon.report.results import Results
from dagathlon.report.tables.regimes import regimes_of
from dagathlon.report.tables.runs import setting_name
from dagathlon.study.plan.plan import Run

Key: TypeAlias = tuple[str, int, str]
_AT_ONCE = 4096


def cost_rows(results: Results, ids: Iterable[str] = ()) -> Iterator[Cells]:
    """For each network, number of rows and learner: runs, failures, seconds, and what is proven.

    Parameters
    ----------
    results
        Those of the setup.
    ids
        The algorithms; none means all of the setup.
    """
    found: list[tuple[Key, Row]] = []
    names = {case[2:6]: name for case, name in network_names(results, results.cases).items()}
    rows = {c[2:6]: kind.rows for c, kind in regimes_of(results, results.cases).items()}
    chosen = tuple(ids) or tuple(results.ids)
    labels = {case.transform for case in results.plan.cases} - {""}
    runs = [*results.runs_of(chosen), *results.further_runs(chosen, *filter(subsample_of, labels))]
    for run, row in _rows(results, runs):
        case, algorithm = results.case(run), results.algorithms[run.entry]
        draw = subsample_of(case.transform)
        size = rows[case[2:6]] if draw is None else draw[0]
        key = (names[case[2:6]], size, setting_name(algorithm, results.values(run)))
        found.append((key, row))
    groups = grouped(found)
    order = list(dict.fromkeys(network for network, _, _ in groups))
    for key in sorted(groups, key=lambda one: (order.index(one[0]), one[1])):
        network, size, learner = key
        about = {"network": network, "rows": size, "learner": learner}
        yield about | _costs(groups[key])


def _rows(results: Results, runs: Sequence[Run]) -> Iterator[tuple[Run, Row]]:
    """What is asked of the rows of runs; whole rows of all of them would fill the memory."""
    for start in range(0, len(runs), _AT_ONCE):
        part = runs[start : start + _AT_ONCE]
        for run, row in zip(part, results.rows_of(part), strict=True):
            yield run, {name: row.get(name) for name in ("cpu", "status", "proven")}


def _costs(rows: Rows) -> Cells:
    seconds = [float(row["cpu"]) for row in rows if is_number(row.get("cpu"))]
    proven = [bool(row["proven"]) for row in rows if row.get("proven") is not None]
    return {
        "runs": len(rows),
        "failed": sum(row["status"] != "ok" for row in rows),
        "median_cpu": float(np.median(seconds)) if seconds else None,
        "worst_cpu": max(seconds, default=None),
        "proven": float(np.mean(proven)) if proven else None,
    }
