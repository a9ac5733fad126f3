"""Metrics of methods on kinds of data: means, correlations, and sortability beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from dagathlon.evaluate.metric import measure_of
from dagathlon.evaluate.ranking.correlations import (
    Floats,
    Interval,
    bootstrap_means,
    mean_correlations,
)
from dagathlon.evaluate.ranking.summary import is_number
from dagathlon.frame import Cells, Row, Rows, grouped, rows_by
from dagathlon.report.tables.runs import Combination, combination, mean_of

Kind: TypeAlias = tuple[str, str, int]
ABOUT = ("graph", "model", "rows")
"""Columns that identify a kind of data."""


def kinds(rows: Rows) -> dict[Kind, list[Row]]:
    """Group rows by kind of data, in order of appearance."""
    return rows_by(rows, "graph", "model", "rows")


def mean_rows(rows: Rows, metrics: Sequence[str], resamples: int) -> Iterator[Cells]:
    """Yield means over data sets by kind of data, method and metric, with intervals.

    Random starts on one data set are averaged first.
    """
    for kind, members in kinds(rows).items():
        for method in dict.fromkeys(row["method"] for row in members):
            method_rows = [row for row in members if row["method"] == method]
            table = _by_seed(method_rows, metrics)
            interval = bootstrap_means(table, resamples)
            for place, metric in enumerate(metrics):
                if not interval.known[place]:
                    continue
                about = dict(zip(ABOUT, kind, strict=True)) | {"method": method, "metric": metric}
                median = float(np.nanmedian(table[:, place]))
                yield about | _at(interval, (place,)) | {"median": median}


def _by_seed(rows: Rows, metrics: Sequence[str]) -> Floats:
    """Return the means over starts, one line for each data set."""
    seeds = grouped((row["seed"], _values(row, metrics)) for row in rows)
    lines = []
    for values in seeds.values():
        stacked = np.array(values)
        known = ~np.isnan(stacked)
        sums, counts = np.where(known, stacked, 0.0).sum(axis=0), known.sum(axis=0)
        lines.append(np.where(counts > 0, sums / np.maximum(counts, 1), np.nan))
    return np.array(lines)


def _values(row: Row, metrics: Sequence[str]) -> Floats:
    return np.array([float(row[m]) if is_number(row.get(m)) else np.nan for m in metrics])


def _at(interval: Interval, place: tuple[int, ...]) -> Cells:
    return {
        "mean": float(interval.mean[place]),
        "low": float(interval.low[place]),
        "high": float(interval.high[place]),
        "data_sets": int(interval.known[place]),
    }


def correlation_rows(rows: Rows, metrics: Sequence[str], resamples: int) -> Iterator[Cells]:
    """Yield rank correlations of pairs of metrics for each kind of data, and over all graphs.

    Parameters
    ----------
    rows
        One for each run: kind of data, `seed`, `method`, `start` and the metrics.
    metrics
        Those that have a direction.
    resamples
        How often data sets are drawn again.
    """
    groups: dict[Kind, list[list[Floats]]] = {}
    for (graph, model, size), members in kinds(rows).items():
        blocks = data_sets(members, metrics)
        groups[ALL_GRAPHS, model, size] = groups.get((ALL_GRAPHS, model, size), []) + blocks
        groups[graph, model, size] = blocks
    better = [measure_of(metric).better for metric in metrics]
    single = len({row["graph"] for row in rows}) == 1
    for kind, blocks in groups.items():
        if single and kind[0] == ALL_GRAPHS:
            continue
        correlations = mean_correlations(blocks, better, resamples)
        about = dict(zip(ABOUT, kind, strict=True))
        for i, left in enumerate(metrics):
            for j, right in enumerate(metrics):
                if i != j and correlations.known[i, j]:
                    yield about | {"left": left, "right": right} | _at(correlations, (i, j))


def by_method(means: Rows) -> Iterator[Cells]:
    """Yield a row per method from rows of `mean_rows`: its means and data sets by metric.

    A mean has the name of its metric, its number of data sets that name with ``_n``.
    """
    for method, method_rows in grouped((row["method"], row) for row in means).items():
        values = {row["metric"]: row["mean"] for row in method_rows}
        yield (
            {"method": method} | values | {f"{r['metric']}_n": r["data_sets"] for r in method_rows}
        )


ALL_GRAPHS = "all graphs"
"""Name in place of the graph where data sets of all graphs are joined."""


def data_sets(rows: Rows, metrics: Sequence[str]) -> list[list[Floats]]:
    """Return the metrics of all methods, in a fixed order, for each start on each data set.

    A method without random starts has the same values at all of them; the starts of one with
    fewer are repeated.
    """
    methods = list(dict.fromkeys(row["method"] for row in rows))
    result = []
    nothing = [np.full(len(metrics), np.nan)]
    for members in grouped((row["seed"], row) for row in rows).values():
        values = grouped((row["method"], _values(row, metrics)) for row in members)
        method_values = [values.get(method, nothing) for method in methods]
        starts = range(max(map(len, method_values)))
        result.append([np.array([runs[k % len(runs)] for runs in method_values]) for k in starts])
    return result


# Names in the diagnostics of data sets, and what a narrow column calls them.
SORTABILITIES: Mapping[str, str] = {"varsortability": "variance", "r2_sortability": "R²"}
HEAD = f"sortability: {', '.join(SORTABILITIES.values())}"


def beside_runs(runs: Rows, data_sets: Rows) -> list[Cells]:
    """Return the sortabilities of each run's data set, empty where no data set has diagnostics."""
    if not data_sets:
        return [{} for _ in runs]
    known = {(combination(row), row["seed"]): row for row in data_sets}
    diagnostics = (known.get((combination(run), run["seed"]), {}) for run in runs)
    return [{name: row.get(name) for name in SORTABILITIES} for row in diagnostics]


def by_kind(data_sets: Rows) -> dict[Combination, str]:
    """Return mean sortabilities of each kind of data as text, such as ``0.91, 0.35``."""
    groups = grouped((combination(row), row) for row in data_sets)
    means = {kind: [mean_of(rows, name) for name in SORTABILITIES] for kind, rows in groups.items()}
    return {
        kind: ", ".join("–" if value is None else f"{value:.2f}" for value in values)
        for kind, values in means.items()
        if any(value is not None for value in values)
    }
