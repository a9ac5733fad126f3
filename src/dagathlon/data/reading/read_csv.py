"""Text files as data sets: Benchpress's discrete and interventional data, and ordinary tables."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dagathlon.data.dataset import Dataset
from dagathlon.data.preparing.regimes import Regimes, regimes_of_mask
from dagathlon.data.reading.cardinality import cardinalities, coded
from dagathlon.data.reading.column_plan import ColumnPlan, execute_plans, warn_of_guesses
from dagathlon.data.reading.columns import plan_column
from dagathlon.data.reading.labels import numbers_of, shown, with_recoded
from dagathlon.data.reading.plain_text import PlainText, WholeTable, whole_table
from dagathlon.data.reading.request import ColumnRequest, Place, TextLayout
from dagathlon.data.reading.text_table import TextColumns, TextTable
from dagathlon.data.variable import Variable
from dagathlon.errors import DataError, DataWarning
from dagathlon.wording import counted


def read_csv(
    path: str | os.PathLike[str],
    request: ColumnRequest,
    missing: Iterable[str],
    layout: TextLayout,
) -> Dataset:
    """Read a delimited text file; see `dagathlon.data.read_data`."""
    table = TextTable(path, layout, missing)
    for note in table.notes:
        warnings.warn(f"{table.label}: {note}", DataWarning, stacklevel=4)
    names = table.names
    request.check(names, table.label)
    plain = table.plain(request)
    whole = None if plain is None else _whole(table, plain, request)
    if whole is not None:
        warn_of_guesses(whole.guessed, table.label)
        return whole.data
    columns = table.columns(request, plain)
    cardinality = cardinalities_of(table, columns, request)
    place: Place = table.place if cardinality is None else _below_cardinalities(table.place)
    plans = []
    for name in names:
        column = columns.variables.pop(name, None)
        if column is None:
            continue
        if cardinality is None:
            recoded = with_recoded(name, column, request.recode.get(name, {}), table.missing)
            plans.append(plan_column(name, recoded, request, place, table.missing))
        else:
            plans.append(_plan_codes(name, column, cardinality[name], request))
    warn_of_guesses([plan.variable for plan in plans if plan.guessed], table.label)
    indicators = columns.indicators
    if cardinality is not None:
        indicators = {name: coded(column) for name, column in indicators.items()}
    return execute_plans(plans, place, _regimes(indicators, place))


def _whole(table: TextTable, plain: PlainText, request: ColumnRequest) -> WholeTable | None:
    """Convert all columns at once, if the user made no request about any of them."""
    if request.is_about_kinds or table.header.indicators or table.layout.cardinality_row is True:
        return None
    cardinalities = table.first_row_may_hold_cardinalities()
    if cardinalities and table.unwanted and not table.may_begin_with_cardinalities():
        cardinalities = False
    names = [table.header.names[j] for j in plain.numbers]
    return whole_table(names, plain, cardinalities)


def cardinalities_of(
    table: TextTable, columns: TextColumns, request: ColumnRequest
) -> dict[str, int] | None:
    """Return numbers of levels by column if the first row holds them, else None."""
    demanded = table.layout.cardinality_row
    names, indicators = list(columns.variables), list(columns.indicators)
    continuous = [name for name in names if request.kind(name) == "continuous"]
    if continuous and demanded:
        raise DataError(
            f"{table.label}: a row of cardinalities goes with discrete columns only, but "
            f"{continuous[0]!r} was requested as continuous"
        )
    if continuous or (demanded is None and not table.may_begin_with_cardinalities()):
        return None
    all_columns = [*columns.variables.values(), *columns.indicators.values()]
    numbers = cardinalities([*names, *indicators], all_columns, demanded, table.place)
    if numbers is not None and request.recode:
        raise DataError(
            f"{table.label}: the second line was taken for the numbers of levels, and codes below "
            "it cannot be recoded; if it is data, say cardinality_row=False (--cardinality-row no)"
        )
    return None if numbers is None else dict(zip(names, numbers, strict=False))


def _plan_codes(name: str, column: Any, cardinality: int, request: ColumnRequest) -> ColumnPlan:
    levels = request.levels.get(name)
    ordered = request.is_ordered(name)
    if levels is None:
        variable = Variable.coded(name, cardinality)
        return ColumnPlan(replace(variable, ordered=True) if ordered else variable, coded(column))
    if len(levels) != cardinality:
        raise DataError(
            f"column {name!r}: {counted(len(levels), 'level')} given, but the first row of the "
            f"file says that there are {cardinality}"
        )
    return ColumnPlan(Variable(name, tuple(levels), ordered), coded(column))


def _below_cardinalities(place: Place) -> Place:
    return lambda row: place(row + 1)


def _regimes(indicators: Mapping[str, Any], place: Place) -> Regimes | None:
    if not indicators:
        return None
    mask = np.empty((len(next(iter(indicators.values()))), len(indicators)), dtype=bool)
    for j, (name, column) in enumerate(indicators.items()):
        numbers = numbers_of(column)
        wrong = (numbers != 0) & (numbers != 1)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise DataError(
                f"{place(row)}, column {name!r} (the second of this name, so it marks "
                f"interventions): found {shown(column[row].as_py())}, allowed are 0 and 1"
            )
        mask[:, j] = numbers
    return regimes_of_mask(tuple(indicators), mask)
