"""Codes for missing values, such as -999, and removal of incomplete rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from dagathlon.data.dataset import Dataset
from dagathlon.data.reading.labels import is_number
from dagathlon.errors import DataError, listing

_NAMED = 3


def spellings(words: Iterable[str]) -> tuple[str, ...]:
    """Return the words, and for numbers among them also their other spelling: -999, -999.0."""
    words_and_forms = []
    for word in words:
        words_and_forms.append(word)
        if is_number(word) and float(word).is_integer():
            whole = str(int(float(word)))
            words_and_forms += [whole, f"{whole}.0"]
    return tuple(dict.fromkeys(words_and_forms))


def with_gaps(column: Any, words: Collection[str]) -> Any:
    """Return a table column with the entries that mean a missing value as null."""
    kind = column.type
    numbers = [float(word) for word in words if is_number(word)]
    if not (numbers if pt.is_floating(kind) or pt.is_integer(kind) else words):
        return column
    import pyarrow.compute as pc  # noqa: PLC0415 - takes a while, and few need it

    if pt.is_dictionary(kind):
        column = column.cast(kind.value_type)
        return with_gaps(column, words).dictionary_encode()
    if pt.is_floating(kind) or pt.is_integer(kind):
        known = pa.array(numbers, pa.float64())
        gap = pc.is_in(column.cast(pa.float64(), safe=False), known)
    elif pt.is_string(kind) or pt.is_large_string(kind):
        gap = pc.is_in(column, pa.array(sorted(words), kind))
    else:
        return column
    return pc.if_else(gap, pa.scalar(None, kind), column)


def drop_missing(data: Dataset) -> Dataset:
    """Return the rows without missing values.

    This is unbiased if values are missing completely at random, and costs rows in any case.
    Raises `DataError` when no row is complete.
    """
    if data.missing is None:
        return data
    complete = ~data.missing.any(axis=1)
    if not complete.any():
        shares = data.missing.mean(axis=0)
        worst = np.argsort(-shares, kind="stable")[:_NAMED]
        named = listing(f"{data.names[j]} ({shares[j]:.0%} missing)" for j in worst)
        raise DataError(
            f"no row is complete; leave out the columns with most gaps, here {named}, or impute"
        )
    return data.take(np.flatnonzero(complete))
