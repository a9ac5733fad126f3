"""Summaries over replicates: what Benchpress writes to ROC_data.csv."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

Row: TypeAlias = Mapping[str, Any]

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


def roc_summary(rows: Iterable[Row]) -> list[dict[str, Any]]:
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
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        if row.get("true_n_edges_skel") is None:
            continue
        value = row["curve_value"]
        key = (row["id"], row["adjmat"], row["parameters"], row["data"], row["curve_param"], value)
        groups.setdefault(key, []).append(row)
    return [_summary(key, members) for key, members in groups.items()]


def _summary(key: tuple[Any, ...], members: Sequence[Row]) -> dict[str, Any]:
    identifier, adjmat, parameters, data, curve_param, value = key
    result = {"id": identifier, "adjmat": adjmat, "parameters": parameters, "data": data}
    result[curve_param] = value
    result["SHD_pattern_mean"] = _mean([row["SHD_pattern"] for row in members])
    for metric in SUMMARISED:
        values = [metric_value(row, metric) for row in members]
        for name, quantile in _STATISTICS.items():
            result[f"{metric}_{name}"] = (
                _mean(values) if quantile is None else _quantile(values, quantile)
            )
    result["n_seeds"] = len(members)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    result["curve_vals"] = value if is_number else None
    result["curve_param"] = curve_param
    return result


def metric_value(row: Row, metric: str) -> float:
    """A metric of a finished run; the true positive rate of the skeleton is computed here."""
    if metric == "TPR_skel":
        edges = row["true_n_edges_skel"]
        return row["TP_skel"] / edges if edges else float("nan")
    return float(row[metric])


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def _quantile(values: Sequence[float], at: float) -> float:
    return float(np.quantile(values, at))
