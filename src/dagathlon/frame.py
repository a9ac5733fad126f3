"""Typed tables of results, exported by `pyarrow`, the project's table library, and grouping.

A `Schema` declares the columns of one kind of record: name, type, meaning. A `Frame` has the rows
of such a table; its Arrow columns are made when they are first needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar, overload

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

Row: TypeAlias = Mapping[str, Any]
"""Cells by column."""
Rows: TypeAlias = Sequence[Row]
Cells: TypeAlias = dict[str, Any]
"""A row that is being made."""
Key = TypeVar("Key")
Value = TypeVar("Value")


class Column(NamedTuple):
    """A declared column.

    Parameters
    ----------
    name
        Name of the column.
    type
        Type of its cells, all of which may be missing. A column of type ``any``, or one that is not
        declared, has the type of its values, and is text where they are of several types.
    meaning
        What its cells mean, in words.
    """

    name: str
    type: Literal["text", "whole", "number", "flag", "any"]
    meaning: str


Schema: TypeAlias = tuple[Column, ...]


class Frame(Sequence[Row]):
    """Rows of a table, with typed columns.

    Parameters
    ----------
    rows
        Cells by column; a column that a row lacks is missing there.
    schema
        Declared columns; rows may have further ones.
    """

    def __init__(self, rows: Iterable[Row], schema: Schema = ()) -> None:
        self._rows = rows if isinstance(rows, list) else list(rows)
        self._schema = schema

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...
    def __getitem__(self, place: int | slice) -> Row | list[Row]:
        return self._rows[place]

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    @cached_property
    def columns(self) -> list[str]:
        """Names of all columns, in order of first appearance."""
        names: dict[str, None] = {}
        for row in self._rows:
            if not row.keys() <= names.keys():
                names |= dict.fromkeys(row)
        return list(names)

    def column(self, name: str) -> list[Any]:
        """The cells of a column, None where missing."""
        return [row.get(name) for row in self._rows]

    @cached_property
    def table(self) -> pa.Table:
        """The rows as a table of pyarrow; the meaning of a declared column is its metadata."""
        import pyarrow as pa  # noqa: PLC0415 - only when a table is made

        declared = {column.name: column for column in self._schema}
        fields, arrays = [], []
        for name in self.columns:
            one = declared.get(name)
            array = _array(self.column(name), one.type if one else "any")
            about = {"description": one.meaning} if one else None
            fields.append(pa.field(name, array.type, metadata=about))
            arrays.append(array)
        return pa.Table.from_arrays(arrays, schema=pa.schema(fields))

    def write_parquet(self, path: Path) -> None:
        """Write the table as a Parquet file."""
        from pyarrow import parquet  # noqa: PLC0415 - only when a table is written

        parquet.write_table(self.table, path)


def rows_by(rows: Iterable[Row], *names: str) -> dict[tuple[Any, ...], list[Row]]:
    """Return the rows with equal cells in the named columns by these, in order of appearance."""
    return grouped_by(rows, lambda row: tuple([row.get(name) for name in names]))


def grouped(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """Return the values of each key, in order of first appearance: for records that are objects."""
    groups: dict[Key, list[Value]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def grouped_by(records: Iterable[Value], key: Callable[[Value], Key]) -> dict[Key, list[Value]]:
    """Return the records of each key, in order of first appearance."""
    return grouped((key(record), record) for record in records)


def _array(values: list[Any], kind: str) -> pa.Array:
    """Cells as an Arrow array of a declared type; of the type of its values if they have another.

    Cells of several types become text, and NaN is missing.
    """
    import pyarrow as pa  # noqa: PLC0415 - only when a table is made

    types = {"text": pa.string(), "whole": pa.int64(), "number": pa.float64(), "flag": pa.bool_()}
    for wanted in (types.get(kind), None):
        try:
            return pa.array(values, wanted, from_pandas=True)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
            continue
    return pa.array([None if value is None else str(value) for value in values])
