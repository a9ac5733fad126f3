"""Replacement of labels while a table is read, such as several spellings of one level."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.types as pt

from dagathlon.data.reading.labels import word_of
from dagathlon.errors import DataError, unknown


def with_recoded(
    name: str, column: Any, changes: Mapping[str, str], missing: Iterable[str] | None = None
) -> Any:
    """Return a pyarrow column with labels replaced; an empty new label means a missing value.

    Parameters
    ----------
    name
        Name of the column.
    column
        A column of labels or numbers.
    changes
        New labels by old ones; each old one occurs.
    missing
        For columns of text files, the words that mean a missing value.
    """
    if not changes:
        return column
    if not pt.is_dictionary(column.type):
        column = column.dictionary_encode()
    if not column.num_chunks:
        return column
    column = column.unify_dictionaries()
    labels = [word_of(entry) for entry in column.chunk(0).dictionary.to_pylist()]
    if missing is not None:
        gaps = frozenset(missing)
        labels = [None if label is None else label.strip() for label in labels]
        labels = [None if label in gaps else label for label in labels]
    known = [label for label in labels if label is not None]
    for old in changes:
        if old not in known:
            raise DataError(unknown("value", old, sorted(known), f"column {name!r}"))
    renamed = [None if label is None else changes.get(label, label) or None for label in labels]
    words = pa.array(list(dict.fromkeys(renamed)), pa.string())
    place = {word: number for number, word in enumerate(words.to_pylist())}
    table = pa.array([place[label] for label in renamed], pa.int32())
    chunks = [
        pa.DictionaryArray.from_arrays(table.take(chunk.indices), words) for chunk in column.chunks
    ]
    return pa.chunked_array(chunks)
