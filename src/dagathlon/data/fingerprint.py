"""SHA-256 digest of a data set's content, independent of its layout in memory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from dagathlon.data.storage import Codes, Values, code_type, missing_code

if TYPE_CHECKING:
    from dagathlon.data.dataset import Dataset
    from dagathlon.data.preparing.regimes import Regimes

_CHUNK = 1 << 16


def fingerprint(data: Dataset) -> str:
    """Return the SHA-256 digest of names, levels, values and interventions, in hexadecimal."""
    digest = hashlib.sha256()
    heads = [variable.parts for variable in data.variables]
    digest.update(json.dumps([data.n_rows, heads]).encode())
    for variable in data.variables:
        column = data.column(variable.name)
        if variable.is_discrete:
            chunks = _code_chunks(column, variable.arity)
        else:
            chunks = _value_chunks(column)
        for chunk in chunks:
            digest.update(chunk)
    if data.regimes is not None and not data.regimes.is_observational:
        _add_regimes(digest, data.regimes)
    return digest.hexdigest()


def _code_chunks(column: Codes, arity: int) -> Iterator[memoryview]:
    """Yield a column's codes as little-endian bytes, in the narrowest type for its own levels."""
    dtype = code_type([arity]).newbyteorder("<")
    for start in range(0, len(column), _CHUNK):
        chunk = column[start : start + _CHUNK]
        codes = np.ascontiguousarray(chunk, dtype=dtype)
        if dtype.itemsize < column.dtype.itemsize:
            codes[chunk == missing_code(column.dtype)] = missing_code(dtype)
        yield codes.data.cast("B")


def _value_chunks(column: Values) -> Iterator[memoryview]:
    """Yield values as little-endian bytes, with one form of zero and one of NaN."""
    for start in range(0, len(column), _CHUNK):
        values = np.add(column[start : start + _CHUNK], 0.0, dtype="<f8")
        values[np.isnan(values)] = np.nan
        yield values.data.cast("B")


def _add_regimes(digest: hashlib._Hash, regimes: Regimes) -> None:
    canonical = regimes.canonical()
    targets = [sorted(target) for target in canonical.targets]
    digest.update(json.dumps(targets).encode())
    digest.update(canonical.rows.astype("<u2").data.cast("B"))
