"""Summaries over replicates: Benchpress's ROC_data.csv."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, TypeGuard

import numpy as np

from dagathlon.frame import Cells, Row, Rows, rows_by

SUMMARISED = (
    "TPR_pattern",
    "FPR_pattern",
    "FPRn_pattern",
    "TPR_skel",
    "FPR_skel",
    "FNR_skel",
    "time",
)
# Benchpress calls its 5 % and 95 % quantiles q1 and q3.
_STATISTICS = {"mean": None, "median": 0.5, "q1": 0.05, "q3": 0.95}


def roc_summary(rows: Iterable[Row]) -> list[Cells]:
    """Group finished runs that differ by seed alone and summarise each metric.

    Parameters
    ----------
    rows
        Rows of the joint table; those without metrics (failed runs) are left out.

    Returns
    -------
    list of dict
        One row per id, graph, parameters, data and value of the curve parameter.
    """
    finished = (row for row in rows if row.get("true_n_edges_skel") is not None)
    names = ("id", "adjmat", "parameters", "data", "curve_param", "curve_value")
    return [_summary(key, members) for key, members in rows_by(finished, *names).items()]


def setting_summary(rows: Iterable[Row], metrics: Sequence[str]) -> list[Cells]:
    """Summarise metrics over the seeds of each setting on each data setting.

    Parameters
    ----------
    rows
        Rows of the joint table with a column `setting`; unlike `roc_summary`, every parameter
        counts, not the curve's alone, and failed runs are counted.
    metrics
        Columns to summarise; rows without a number in one are left out of it.

    Returns
    -------
    list of dict
        `id`, `setting`, the labels of graph, parameters and data, `n_seeds`, of which `failed` and
        `skipped`, and of each metric the mean, median, 5 % (q1) and 95 % (q3) quantile, None
        without any number, and of how many runs they are (`n`).
    """
    names = ("id", "setting", "adjmat", "parameters", "data")
    result = []
    for key, members in rows_by(rows, *names).items():
        row_summary: Cells = dict(zip(names, key, strict=True))
        row_summary["n_seeds"] = len(members)
        row_summary |= count_failures(members)
        for name in ("curve_param", "curve_value"):
            row_summary[name] = members[0].get(name)
        row_summary["curve_vals"] = (
            row_summary["curve_value"] if is_number(row_summary["curve_value"]) else None
        )
        for metric in metrics:
            row_summary |= _statistics(metric, numbers(members, metric))
        result.append(row_summary)
    return result


def count_failures(rows: Iterable[Row]) -> dict[str, int]:
    """Count the runs that failed, and those that were skipped as unsuitable."""
    counts = Counter(row["status"] for row in rows)
    skipped = counts["skipped"]
    return {"failed": counts.total() - counts["ok"] - skipped, "skipped": skipped}


def _statistics(metric: str, values: Sequence[float]) -> dict[str, float | None]:
    found = _of(values) if values else dict.fromkeys(_STATISTICS)
    return {f"{metric}_n": len(values)} | {f"{metric}_{k}": v for k, v in found.items()}


def is_number(value: Any) -> TypeGuard[float]:
    """Whether a cell of a table holds a finite number."""
    kind = type(value)
    if kind is float or kind is int:
        return math.isfinite(value)
    numeric = isinstance(value, int | float) and not isinstance(value, bool)
    return numeric and math.isfinite(value)


def numbers(rows: Iterable[Row], column: str) -> list[float]:
    """Return the finite numbers of a column."""
    return [float(value) for row in rows if is_number(value := row.get(column))]


def _summary(key: tuple[Any, ...], members: Rows) -> Cells:
    identifier, adjmat, parameters, data, curve_param, value = key
    result = {"id": identifier, "adjmat": adjmat, "parameters": parameters, "data": data}
    result.setdefault(curve_param, value)  # an algorithm without parameters has its id alone
    result["SHD_pattern_mean"] = _mean([row["SHD_pattern"] for row in members])
    for metric in SUMMARISED:
        values = [metric_value(row, metric) for row in members]
        result |= {f"{metric}_{name}": value for name, value in _of(values).items()}
    result["n_seeds"] = len(members)
    result["curve_vals"] = value if is_number(value) else None
    result["curve_param"] = curve_param
    return result


def metric_value(row: Row, metric: str) -> float:
    """Return a metric of a finished run, NaN where it has none.

    The true positive rate of the skeleton is computed here.
    """
    if metric == "TPR_skel":
        found, edges = row["TP_skel"], row["true_n_edges_skel"]
        return found / edges if is_number(found) and is_number(edges) and edges else math.nan
    return float(value) if is_number(value := row[metric]) else math.nan


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def _of(values: Sequence[float]) -> dict[str, float]:
    """Return mean, standard deviation and quantiles of some numbers (all quantiles at once)."""
    places = [at for at in _STATISTICS.values() if at is not None]
    quantiles = iter(np.quantile(values, places).tolist())
    return {k: _mean(values) if at is None else next(quantiles) for k, at in _STATISTICS.items()}
