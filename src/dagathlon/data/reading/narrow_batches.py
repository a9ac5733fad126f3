"""Narrowing of integers and label indices in batches, so that large files fit into memory.

Parquet's codes arrive in four bytes and integers mostly in eight; levels need one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.types as pt

_BYTE = 255


def narrowed(column: Any) -> Any:
    """Return a chunk with label indices, and small integers, as bytes."""
    kind = column.type
    if pt.is_string(kind) or pt.is_large_string(kind):
        column = column.cast(pa.string()).dictionary_encode()
    if pt.is_dictionary(column.type):
        return _narrow_labels(column)
    if pt.is_integer(kind) and not pt.is_uint8(kind) and _are_bytes(column):
        return column.cast(pa.uint8())
    return column


def with_narrow_labels(table: pa.Table) -> pa.Table:
    """Return the table with label indices as bytes, where there are few enough labels."""
    for j, (field, column) in enumerate(zip(table.schema, table.columns, strict=True)):
        if pt.is_dictionary(field.type):
            narrow = joined(list(map(_narrow_labels, column.chunks)))
            table = table.set_column(j, field.with_type(narrow.type), narrow)
    return table


def joined(parts: Sequence[Any]) -> Any:
    """Concatenate chunks of a column in the widest of their types."""
    kinds = {part.type for part in parts}
    if len(kinds) == 1:
        return pa.chunked_array(parts)
    if not pt.is_dictionary(parts[0].type):
        (wide,) = kinds - {pa.uint8()}  # what the column had before some parts were bytes
        return pa.chunked_array([part.cast(wide) for part in parts])
    return pa.chunked_array([with_indices(part, pa.int32()) for part in parts])


def _narrow_labels(column: Any) -> Any:
    return with_indices(column, pa.uint8()) if len(column.dictionary) <= _BYTE else column


def with_indices(column: Any, kind: Any) -> Any:
    """Return a chunk of labels with its indices cast to another type."""
    return pa.DictionaryArray.from_arrays(
        column.indices.cast(kind), column.dictionary, ordered=column.type.ordered
    )


def _are_bytes(column: Any) -> bool:
    import pyarrow.compute as pc  # noqa: PLC0415 - takes a while, and few need it

    bounds = pc.min_max(column).as_py()
    return bounds["min"] is None or (bounds["min"] >= 0 and bounds["max"] <= _BYTE)
