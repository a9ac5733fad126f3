"""Files with the weights of a linear structural equation model."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import numpy.typing as npt

from dagathlon.data.models.sem import LinearSem
from dagathlon.errors import DataError, GraphError
from dagathlon.graphs.formats.csvtext import Record, records
from dagathlon.graphs.formats.source import TextSource, shown


def read_sem(path: str | os.PathLike[str]) -> LinearSem:
    """Read a matrix of weights from a CSV file, as Benchpress keeps it.

    The header has the names of the variables, and each further line one row of the matrix: the
    weights of the edges from that variable to all, zero where there is no edge. The noise is
    standard normal.
    """
    names, weights = read_square(path, "weights")
    try:
        return LinearSem(names, weights)
    except DataError as error:
        raise DataError(f"{path}: {error}") from None


def read_square(
    path: str | os.PathLike[str], what: str
) -> tuple[tuple[str, ...], npt.NDArray[np.float64]]:
    """Return the header and the numbers of a CSV file that has one row per column.

    Parameters
    ----------
    path
        The file.
    what
        Name of its numbers, for messages.
    """
    try:
        source = TextSource.open(Path(path))
        header, *rows = records(source)
    except GraphError as error:
        raise DataError(str(error)) from None
    names = header.fields
    if len(set(names)) < len(names) or not all(names):
        raise DataError(
            f"{path}, line {header.line}: the header has one name per variable, each once"
        )
    if len(rows) != len(names):
        raise DataError(
            f"{path}: a matrix of {len(names)} variables has {len(names)} rows, found {len(rows)}"
        )
    return tuple(names), np.array([_numbers(row, names, path, what) for row in rows])


def _numbers(row: Record, names: list[str], path: str | os.PathLike[str], what: str) -> list[float]:
    where = f"{path}, line {row.line}"
    if len(row.fields) != len(names):
        raise DataError(f"{where}: expected {len(names)} {what}, found {len(row.fields)}")
    numbers = []
    for column, field in enumerate(row.fields, start=1):
        try:
            numbers.append(float(field))
        except ValueError:
            raise DataError(
                f"{where}, column {column}: found {shown(field)}, expected a number"
            ) from None
    return numbers
