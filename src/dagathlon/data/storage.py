"""The arrays behind a `Dataset`: column-major, read-only, missing values as special values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.data.variable import Variable
from dagathlon.errors import DataError

Codes: TypeAlias = npt.NDArray[np.unsignedinteger[Any]]
Values: TypeAlias = npt.NDArray[np.float64]
CodeType: TypeAlias = np.dtype[np.unsignedinteger[Any]]

_ALIGNMENT = 64
_MAX_BYTE_LEVELS = 255
_AT_ONCE = 1 << 24


def code_type(arities: Iterable[int]) -> CodeType:
    """Return the narrowest code type whose largest value stays free to mark missing values."""
    fits_a_byte = max(arities, default=1) <= _MAX_BYTE_LEVELS
    return np.dtype(np.uint8) if fits_a_byte else np.dtype(np.uint16)


def missing_code(dtype: CodeType) -> int:
    """Return the code that marks a missing value: the largest value of the type."""
    return (1 << 8 * dtype.itemsize) - 1


def aligned_empty(rows: int, columns: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return an uninitialised column-major array aligned to 64 bytes."""
    kind = np.dtype(dtype)
    size = rows * columns * kind.itemsize
    raw = np.empty(size + _ALIGNMENT, dtype=np.uint8)
    start = -raw.ctypes.data % _ALIGNMENT
    flat = raw[start : start + size].view(kind)
    return flat.reshape((rows, columns), order="F")


def frozen_codes(codes: npt.ArrayLike, variables: Sequence[Variable]) -> Codes:
    """Return codes of the discrete `variables`, checked, read-only, as in a `Dataset`."""
    array = _two_dimensional("codes", codes, len(variables))
    if array.dtype.kind not in "iu":
        raise DataError(f"codes are whole numbers, found an array of type {array.dtype}")
    dtype = code_type(variable.arity for variable in variables)
    if array.dtype != dtype:
        array = _converted(array, dtype, variables)
    result: Codes = _column_major(array)
    highest = result.max(axis=0, initial=0)
    arities = np.array([variable.arity for variable in variables])
    for j in np.flatnonzero(highest >= arities):
        _check_codes(result[:, j], variables[int(j)])
    return result


def frozen_values(values: npt.ArrayLike, variables: Sequence[Variable]) -> Values:
    """Return values of the continuous `variables`, checked, read-only, as in a `Dataset`."""
    array = _two_dimensional("values", values, len(variables))
    if array.dtype.kind not in "fiu":
        raise DataError(f"continuous values are numbers, found an array of type {array.dtype}")
    result: Values = _column_major(array.astype(np.float64, order="F", copy=False))
    # One look at everything is much quicker than one per column, and nearly always enough; but of
    # many rows it would take an eighth of their memory.
    at_once = result.size <= _AT_ONCE and not np.isinf(result).any()
    for j, variable in enumerate(() if at_once else variables):
        infinite = np.isinf(result[:, j])
        if infinite.any():
            row = int(np.argmax(infinite))
            raise DataError(
                f"variable {variable.name!r}, row {row + 1}: found {result[row, j]}; "
                "values are finite, or NaN where they are missing"
            )
    return result


def narrowed(codes: Codes, arities: Iterable[int]) -> Codes:
    """Return the codes in the narrowest type for `arities`, read-only."""
    dtype = code_type(arities)
    if codes.dtype == dtype:
        return _column_major(codes)
    missing = codes == missing_code(codes.dtype)
    result = aligned_empty(len(codes), codes.shape[1], dtype)
    np.copyto(result, codes, casting="unsafe")
    result[missing] = missing_code(dtype)
    return _column_major(result)


def frozen_rows(array: npt.NDArray[Any], indices: npt.NDArray[np.intp]) -> npt.NDArray[Any]:
    """Return a read-only, column-major copy of some rows."""
    result = aligned_empty(len(indices), array.shape[1], array.dtype)
    for j in range(array.shape[1]):
        np.take(array[:, j], indices, out=result[:, j], mode="clip")
    return _column_major(result)


def frozen_columns(array: npt.NDArray[Any], columns: Sequence[int]) -> npt.NDArray[Any]:
    """Return some columns, read-only: a view when they are adjacent, else a column-major copy."""
    if columns and list(columns) == list(range(columns[0], columns[0] + len(columns))):
        return array[:, columns[0] : columns[0] + len(columns)]
    result = aligned_empty(array.shape[0], len(columns), array.dtype)
    for target, source in enumerate(columns):
        result[:, target] = array[:, source]
    return _column_major(result)


def _two_dimensional(what: str, array: npt.ArrayLike, columns: int) -> npt.NDArray[Any]:
    matrix: npt.NDArray[Any] = np.asarray(array)
    if matrix.ndim != 2 or matrix.shape[1] != columns:
        shape = "×".join(map(str, matrix.shape)) or "a single number"
        kind = "discrete" if what == "codes" else "continuous"
        raise DataError(
            f"{what} have one row per observation and one column for each of the {columns} "
            f"{kind} variables, found {shape}"
        )
    return matrix


def _column_major(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the array read-only, copied if its columns are not laid out with positive steps."""
    rows, columns = array.strides
    fits = array.shape[1] <= 1 or columns >= rows * array.shape[0]
    if not (fits and rows > 0):
        copy = aligned_empty(len(array), array.shape[1], array.dtype)
        copy[...] = array
        array = copy
    array.flags.writeable = False
    return array


def _converted(
    array: npt.NDArray[Any], dtype: CodeType, variables: Sequence[Variable]
) -> npt.NDArray[Any]:
    """Return codes in the data set's type; see `Dataset` for how missing ones are marked."""
    stored = array.dtype in (np.uint8, np.uint16)
    missing = array == (missing_code(array.dtype) if stored else -1)
    limits = np.array([variable.arity for variable in variables])
    wrong = ~missing & ((array < 0) | (array >= limits))
    if wrong.any():
        row, j = np.argwhere(wrong)[0]
        raise _outside(int(array[row, j]), int(row), variables[j])
    result = aligned_empty(len(array), array.shape[1], dtype)
    np.copyto(result, array, casting="unsafe")
    result[missing] = missing_code(dtype)
    return result


def _check_codes(column: Codes, variable: Variable) -> None:
    missing = missing_code(column.dtype)
    if column.size == 0 or int(column.max()) < variable.arity or variable.arity == missing:
        return
    wrong = (column >= variable.arity) & (column != missing)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise _outside(int(column[row]), row, variable)


def _outside(code: int, row: int, variable: Variable) -> DataError:
    return DataError(
        f"variable {variable.name!r}, row {row + 1}: found code {code}; "
        f"its {variable.arity} levels have the codes 0 to {variable.arity - 1}"
    )
