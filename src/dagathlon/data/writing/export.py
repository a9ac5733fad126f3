"""Data sets as tables of pyarrow, pandas and polars.

Discrete columns keep all their levels, continuous ones are floating-point numbers, missing values
are null. An intervened variable ``X`` gets a further column ``do(X)`` on the right that says in
which rows it was intervened on; `dagathlon.data.read_data` understands all of this.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from dagathlon.data.reading.arrow_arrays import number_array, text_array
from dagathlon.errors import DataError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from dagathlon.data.dataset import Dataset
    from dagathlon.data.variable import Variable

LEVELS_KEY = b"dagathlon.levels"
"""Field metadata key of the levels, which Parquet's own dictionaries do not keep in full."""
ORDERED_KEY = b"dagathlon.ordered"
"""Field metadata key that marks ordinal columns."""


def indicator_name(name: str) -> str:
    """Return the name of the column that marks the rows in which `name` was intervened on."""
    return f"do({name})"


def to_arrow(data: Dataset) -> pa.Table:
    """Return `data` as a pyarrow table."""
    fields = [_field(variable) for variable in data.variables]
    arrays = [_array(data, variable) for variable in data.variables]
    for name, column in _indicators(data):
        fields.append(pa.field(name, pa.bool_()))
        arrays.append(pa.array(column))
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def to_pandas(data: Dataset) -> pd.DataFrame:
    """Return `data` as a pandas data frame."""
    import pandas as pd  # noqa: PLC0415

    columns: dict[str, Any] = {}
    for variable in data.variables:
        column = data.column(variable.name)
        if variable.levels is None:
            columns[variable.name] = column.copy()
        else:
            codes = np.where(column == data.missing_code, -1, column.astype(np.int32))
            columns[variable.name] = pd.Categorical.from_codes(
                codes,
                categories=pd.Index(variable.levels, dtype=object),
                ordered=variable.ordered,
            )
    columns.update(_indicators(data))
    return pd.DataFrame(columns)


def to_polars(data: Dataset) -> pl.DataFrame:
    """Return `data` as a polars data frame."""
    import polars as pl  # noqa: PLC0415

    columns = []
    for variable in data.variables:
        column = data.column(variable.name)
        if variable.levels is None:
            series = pl.Series(variable.name, column.copy(), nan_to_null=True)
        else:
            codes = pl.Series(column.astype(np.uint32))
            rows = codes.set(pl.Series(column == data.missing_code), None)
            labels = pl.Series(variable.name, variable.levels, dtype=pl.Enum(variable.levels))
            series = labels.gather(rows)
        columns.append(series)
    columns += [pl.Series(name, column) for name, column in _indicators(data)]
    return pl.DataFrame(columns)


def _field(variable: Variable) -> pa.Field:
    if variable.levels is None:
        return pa.field(variable.name, pa.float64())
    kind = pa.dictionary(pa.int32(), pa.string(), ordered=variable.ordered)
    metadata = {LEVELS_KEY: json.dumps(variable.levels)}
    if variable.ordered:
        metadata[ORDERED_KEY] = "true"
    return pa.field(variable.name, kind, metadata=metadata)


def _array(data: Dataset, variable: Variable) -> pa.Array:
    column = data.column(variable.name)
    if variable.levels is None:
        return number_array(column, np.isnan(column))
    indices = number_array(column.astype(np.int32), column == data.missing_code)
    labels = text_array(variable.levels)
    return pa.DictionaryArray.from_arrays(indices, labels, ordered=variable.ordered)


def _indicators(data: Dataset) -> list[tuple[str, Any]]:
    """Return names and columns of the interventions, in the order of the variables."""
    if data.intervened is None or data.targets is None:
        return []
    targets = frozenset().union(*data.targets)
    result = []
    for j, name in enumerate(data.names):
        if name not in targets:
            continue
        if indicator_name(name) in data.index:
            raise DataError(
                f"the interventions on {name!r} would go into a column {indicator_name(name)!r}, "
                "but a variable has that name; rename it first"
            )
        result.append((indicator_name(name), data.intervened[:, j].copy()))
    return result
