"""Files with a precision matrix: a header with the names, and a line for each row."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from dagathlon.data.writing.sem_file import read_square
from dagathlon.errors import DataError, not_written
from dagathlon.graphs.formats.csvtext import quoted

Matrix = npt.NDArray[np.float64]


def write_precision(
    names: Sequence[str], precision: npt.ArrayLike, path: str | os.PathLike[str]
) -> None:
    """Write a precision matrix as CSV, with all digits.

    Parameters
    ----------
    names
        The variables, in the order of rows and columns.
    precision
        The matrix.
    path
        The file.
    """
    rows = np.asarray(precision, dtype=np.float64)
    lines = [",".join(map(quoted, names))]
    lines += [",".join(repr(float(value)) for value in row) for row in rows]
    try:
        Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")
    except OSError as error:
        raise DataError(not_written(Path(path), error)) from None


def read_precision(path: str | os.PathLike[str]) -> tuple[tuple[str, ...], Matrix]:
    """Read the variables and the matrix from a file written by `write_precision`."""
    names, matrix = read_square(path, "numbers")
    if not np.all(np.isfinite(matrix)) or not np.allclose(matrix, matrix.T):
        raise DataError(f"{path}: a precision matrix is symmetric and has finite numbers")
    return names, matrix
