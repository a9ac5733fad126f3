"""Names and factors of runs, settings and data sets in tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dagathlon.evaluate.ranking.summary import metric_value, numbers
from dagathlon.frame import Cells, Row
from dagathlon.study.records.schema import Algorithm
from dagathlon.wording import counted

# Parameters that make another algorithm of the same search.
_TELLING = ("score", "test")


class Combination(NamedTuple):
    """Labels of graph, parameters and data: the kind of data of one figure."""

    adjmat: str
    parameters: str
    data: str

    def lines(self, n_seeds: int) -> list[str]:
        """Return the lines below the title of a figure."""
        parts = [part for part in self[:2] if part != "None"]
        return [*parts, f"{self.data}, {counted(n_seeds, 'seed')}"]


def combination(row: Mapping[str, Any]) -> Combination:
    """Return the kind of data of a row."""
    return Combination(str(row["adjmat"]), str(row["parameters"]), str(row["data"]))


def combinations(rows: Iterable[Row]) -> list[Combination]:
    """Return the kinds of data of a table in Benchpress's order: graphs, parameters, data."""
    kinds = list(dict.fromkeys(combination(row) for row in rows))
    ranks = [
        {label: i for i, label in enumerate(dict.fromkeys(labels))}
        for labels in zip(*kinds, strict=True)
    ]
    return sorted(kinds, key=lambda kind: [rank[x] for rank, x in zip(ranks, kind, strict=True)])


def setting_name(entry: Algorithm, values: Mapping[str, Any]) -> str:
    """Return the name of a setting: id, score or test, and the parameters that the study varies.

    ``hc, bge`` and ``pc, zf, alpha = 0.05``; a score or test that the id names is not repeated.
    """
    fixed = [str(entry.values[key]) for key in _TELLING if isinstance(entry.values.get(key), str)]
    values_shown = [value for value in fixed if value.lower() not in entry.id.lower()]
    varied = [f"{key} = {_shown(values.get(key))}" for key in entry.varied]
    return ", ".join([entry.id, *values_shown, *varied])


def _shown(value: Any) -> str:
    return "none" if value is None else str(value)


def curve_name(row: Mapping[str, Any]) -> str:
    """Return an id with the value of its curve parameter, as Benchpress groups the runs."""
    name, value = row["curve_param"], row.get("curve_value", row.get(row["curve_param"]))
    if name == "id":
        return str(row["id"])
    return f"{row['id']}, {name} = {_shown(value)}"


def named(rows: Sequence[Cells], entries: Mapping[str, Algorithm]) -> list[Cells]:
    """Return rows of the joint table with the further columns of figures.

    Adds the name of the setting, the place of the run in the table, and the true positive rate
    of the skeleton, which Benchpress has in its summary only. A memory of 0 bytes was not
    measured, because the run ended before the first look.
    """
    result = []
    for place, row in enumerate(rows):
        extra: Cells = {"setting": setting_name(entries[row["id"]], row), "run": place}
        extra["memory"] = row.get("memory") or None
        if row.get("true_n_edges_skel") is not None:
            extra["TPR_skel"] = metric_value(row, "TPR_skel")
        result.append(row | extra)
    return result


def mean_of(rows: Iterable[Row], column: str) -> float | None:
    """Return the mean of a column over the rows that have a number in it, None without any."""
    values = numbers(rows, column)
    return float(np.mean(values)) if values else None


_CLEAN = "N"
# Names of columns that are shorter than "data_n" and "data_noise".
_SHORT = {"data_n": "n", "data_noise": "noise"}
_FLAGS = {"True": True, "False": False}


def factors_of(kind: Combination) -> Cells:
    """Return the modules and parameters of graph, parameters and data: ``graph``, ``graph n`` …."""
    result: Cells = {}
    for part, label in zip(("graph", "parameters", "data"), kind, strict=True):
        module, *pairs = label.split("/")
        result[part] = module
        for pair in pairs:
            key, equals, value = pair.partition("=")
            if equals:
                result[f"{part} {key}"] = _number(value)
            else:
                result[part] += f"/{pair}"
    return result


def factor_columns(kind: Combination) -> Cells:
    """Return a column for each factor: ``graph``, ``graph_d``, ``model``, ``n``, ``noise`` ….

    The module or file of the graph is `graph`, that of the parameters `model`, that of the data
    `data_module`; their parameters follow the name of the part, but for `n`, the number of rows,
    and `noise`, which is N for clean data.
    """
    factors = factors_of(kind)
    columns = {"graph": factors.pop("graph"), "model": factors.pop("parameters")}
    columns["data_module"] = factors.pop("data")
    for name, value in factors.items():
        column = name.replace("parameters ", "model_").replace(" ", "_")
        columns[_SHORT.get(column, column)] = _FLAGS.get(value, value)
    return {"noise": _CLEAN} | columns


def with_factors(rows: Iterable[Row]) -> list[Cells]:
    """Return rows with a column for each factor of their data, unless they have such a column."""
    return [{**row, **factor_columns(combination(row)), **row} for row in rows]


def _number(text: str) -> Any:
    try:
        return float(text) if "." in text or "e" in text else int(text)
    except ValueError:
        return text
