"""How the algorithms do as one thing about the data changes and all else stays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dagathlon.frame import Cells
from dagathlon.report.page.tables import Tables
from dagathlon.report.words import words

# Curves to choose from; a study of a hundred kinds of data has tables for the rest.
_MOST_GROUPS = 30


def by_data(tables: Tables) -> list[Cells]:
    """The rows of the figures against the data: each algorithm at its best setting there.

    Means over the other factors would mix unlike data, so a curve follows one factor among data
    sets that are alike in all others; `group` says in what.
    """
    metric = tables.quality
    if metric is None:
        return []
    best = _best(tables, metric)
    rows: list[Cells] = []
    for factor, group, values in _curves(tables.factors)[:_MOST_GROUPS]:
        rows += [
            {
                "factor": factor,
                "group": group,
                "metric": metric,
                "value": values[case],
                "case": case,
            }
            | row
            for (_, case), row in best.items()
            if case in values
        ]
    return rows


def _best(tables: Tables, metric: str) -> dict[tuple[str, str], Cells]:
    """The best setting of each algorithm on each kind of data.

    A setting with more numbers comes before one with fewer: its mean is not that of easier data.
    """
    sign = 1 if words(metric).better == "more" else -1
    statistics = [f"{metric}_{name}" for name in ("median", "q1", "q3")]
    found: dict[tuple[str, str], tuple[int, float]] = {}
    best: dict[tuple[str, str], Cells] = {}
    for row in tables.settings:
        mean, key = row.get(f"{metric}_mean"), (row["id"], row["case"])
        if mean is None:
            continue
        merit = (row[f"{metric}_n"], sign * mean)
        if key not in found or merit > found[key]:
            found[key] = merit
            best[key] = {name: row[name] for name in ("id", "setting", "n_seeds", *statistics)}
    return best


def _curves(factors: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str, Cells]]:
    """Factor, what the others are fixed at, and values of the factor by name of data set."""
    found: dict[tuple[str, str], Cells] = {}
    for factor, values in factors.items():
        for case, value in values.items():
            others = [_named(name, of[case]) for name, of in factors.items() if name != factor]
            found.setdefault((factor, ", ".join(others)), {})[case] = value
    several = [(*key, values) for key, values in found.items() if len(set(values.values())) > 1]
    return sorted(several, key=lambda one: -len(one[2]))


def _named(factor: str, value: Any) -> str:
    """``asia`` for a module or file, ``n = 1000`` for a parameter."""
    _, _, parameter = factor.partition(" ")
    return f"{parameter} = {value}" if parameter else str(value).rpartition("/")[2]
