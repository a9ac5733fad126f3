"""Text files as data sets: Benchpress's discrete and interventional data, and ordinary tables."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from dagathlon.data.cardinality import cardinalities, coded
from dagathlon.data.column_plan import ColumnPlan, carried_out
from dagathlon.data.columns import plan_column
from dagathlon.data.dataset import Dataset
from dagathlon.data.labels import numbers_of, shown
from dagathlon.data.regimes import Regimes, regimes_of_mask
from dagathlon.data.request import ColumnRequest, Place
from dagathlon.data.text_table import TextTable
from dagathlon.data.variable import Variable
from dagathlon.errors import DataError


def read_csv(
    path: str | os.PathLike[str],
    request: ColumnRequest,
    missing: Iterable[str],
    delimiter: str | None,
    cardinality_row: bool | None,
) -> Dataset:
    """Read a delimited text file; see `dagathlon.data.read_data`."""
    table = TextTable(path, delimiter, missing)
    names = table.header.names
    request.check(names, table.label)
    columns = table.columns(request)
    found = _cardinalities(table, columns, request, cardinality_row)
    indicators = columns[len(names) :]
    place: Place = table.place
    plans = []
    for j, name in enumerate(names):
        column, columns[j] = columns[j], None
        if found is None:
            plans.append(plan_column(name, column, request, place, table.missing))
        else:
            plans.append(_plan_codes(name, column, found[j], request))
    if found is not None:
        indicators = [coded(column) for column in indicators]
        place = _below_cardinalities(place)
    regimes = _regimes(table.header.indicators, indicators, place)
    return carried_out(plans, place, regimes)


def _cardinalities(
    table: TextTable, columns: Sequence[Any], request: ColumnRequest, demanded: bool | None
) -> list[int] | None:
    names = [*table.header.names, *table.header.indicators]
    continuous = [name for name in names if request.kind(name) == "continuous"]
    if continuous:
        if demanded:
            raise DataError(
                f"{table.label}: a row of cardinalities goes with discrete columns only, but "
                f"{continuous[0]!r} was asked to be continuous"
            )
        return None
    return cardinalities(names, columns, demanded, table.place)


def _plan_codes(name: str, column: Any, cardinality: int, request: ColumnRequest) -> ColumnPlan:
    levels = request.levels.get(name)
    if levels is None:
        return ColumnPlan(Variable.coded(name, cardinality), coded(column))
    if len(levels) != cardinality:
        raise DataError(
            f"column {name!r}: {len(levels)} levels were given, but the first row of the file "
            f"says that there are {cardinality}"
        )
    return ColumnPlan(Variable(name, tuple(levels)), coded(column))


def _below_cardinalities(place: Place) -> Place:
    return lambda row: place(row + 1)


def _regimes(names: Sequence[str], indicators: Sequence[Any], place: Place) -> Regimes | None:
    if not names:
        return None
    mask = np.empty((len(indicators[0]), len(names)), dtype=bool)
    for j, (name, column) in enumerate(zip(names, indicators, strict=True)):
        numbers = numbers_of(column)
        wrong = (numbers != 0) & (numbers != 1)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise DataError(
                f"{place(row)}, column {name!r} (the second of this name, so it marks "
                f"interventions): found {shown(column[row].as_py())}, allowed are 0 and 1"
            )
        mask[:, j] = numbers
    return regimes_of_mask(names, mask)
