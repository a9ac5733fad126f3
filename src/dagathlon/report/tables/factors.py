"""Factors of a study's data, read from the labels of graph, parameters and data."""

from __future__ import annotations

from typing import Any

from dagathlon.frame import Cells
from dagathlon.report.tables.runs import Combination

_CLEAN = "N"
# Names of columns that are shorter than "data_n" and "data_noise".
_SHORT = {"data_n": "n", "data_noise": "noise"}


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
        columns[_SHORT.get(column, column)] = value
    return {"noise": _CLEAN} | columns


def _number(text: str) -> Any:
    try:
        return float(text) if "." in text or "e" in text else int(text)
    except ValueError:
        return text
