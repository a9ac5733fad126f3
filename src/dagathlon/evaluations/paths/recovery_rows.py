"""Who finds which graph from how many rows, at what cost: means by kind of data and method."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from dagathlon.evaluate.metric import measure_of
from dagathlon.evaluate.ranking.summary import is_number
from dagathlon.frame import Cells, Rows, grouped, rows_by
from dagathlon.graphs import Graph
from dagathlon.report.results import Results
from dagathlon.report.tables.regimes import Regime, method_of, regimes_of

COST = "cpu"


class Shape(NamedTuple):
    """A true graph that stands for its kind.

    Parameters
    ----------
    name
        Of the kind of graph.
    graph
        The one of the first data set.
    edges
        The fewest and the most edges of the kind.
    """

    name: str
    graph: Graph
    edges: tuple[int, int]


def run_rows(results: Results, ids: Sequence[str], metrics: Sequence[str]) -> list[Cells]:
    """A row for each run: kind of data, method, metrics, processor time."""
    runs = results.runs_of(ids)
    regimes = regimes_of(results, (results.case(run) for run in runs))
    found = []
    for run, row in zip(runs, results.rows_of(runs), strict=True):
        case = results.case(run)
        about = regimes[case]._asdict() | {"seed": case.seed, "id": run.entry}
        about |= {"method": method_of(results, run).name, "variables": row.get("n_nodes")}
        found.append(about | {name: row.get(name) for name in (*metrics, COST)})
    return found


def mean_rows(rows: Rows, metrics: Sequence[str]) -> Iterator[Cells]:
    """A row for each kind of data, method and metric: mean, standard error, number of values."""
    names = ("graph", "model", "rows", "id", "method")
    for key, members in rows_by(rows, *names).items():
        about = dict(zip(names, key, strict=True))
        about["variables"] = members[0]["variables"]
        for metric in metrics:
            values = [float(row[metric]) for row in members if is_number(row.get(metric))]
            if values:
                spread = float(np.std(values, ddof=1)) if len(values) > 1 else None
                yield about | {
                    "metric": metric,
                    "mean": float(np.mean(values)),
                    "se": None if spread is None else spread / len(values) ** 0.5,
                    "known": len(values),
                }


def median_costs(rows: Rows) -> dict[str, float]:
    """Median processor time of a run in seconds, by method."""
    found = grouped((row["method"], float(row[COST])) for row in rows if is_number(row.get(COST)))
    return {method: float(np.median(values)) for method, values in found.items()}


def average_ranks(means: Rows, metric: str) -> dict[str, float]:
    """Average rank of each method over the kinds of data, by means of a metric."""
    kinds: dict[Regime, dict[str, float]] = {}
    sign = -1.0 if measure_of(metric).better == "more" else 1.0
    for row in means:
        if row["metric"] == metric:
            kind = Regime(row["graph"], row["model"], row["rows"])
            kinds.setdefault(kind, {})[row["method"]] = sign * row["mean"]
    ranks: dict[str, list[float]] = {row["method"]: [] for row in means}
    for values in kinds.values():
        for method, value in values.items():
            better = sum(other < value for other in values.values())
            equal = sum(other == value for other in values.values())
            ranks[method].append(better + (equal + 1) / 2)
    return {name: float(np.mean(own)) if own else np.inf for name, own in ranks.items()}


def shapes_of(results: Results) -> list[Shape]:
    """The first true graph of each kind, in the order of the study."""
    regimes = regimes_of(results, results.cases)
    graphs: dict[str, dict[int | None, Graph]] = {}
    for case, regime in regimes.items():
        truth = results.truth(case)
        if truth is not None:
            graphs.setdefault(regime.graph, {})[case.graph] = truth
    found = []
    for name, own in graphs.items():
        counts = [one.n_edges for one in own.values()]
        found.append(Shape(name, next(iter(own.values())), (min(counts), max(counts))))
    return found
