"""Error messages for unreadable Parquet and Arrow files."""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from dagathlon.data.reading.text_file import cannot_open
from dagathlon.errors import DataError


@contextlib.contextmanager
def reading_errors(place: Path, label: str) -> Iterator[None]:
    """Convert exceptions of opening and reading a file into a `DataError` about it."""
    try:
        if place.is_dir():
            raise IsADirectoryError
        if place.exists() and not place.is_file():
            raise OSError("it is not a regular file")
        yield
    except (OSError, pa.ArrowException, ValueError, KeyError, TypeError, struct.error) as error:
        raise DataError(_unreadable(label, error)) from None


def _unreadable(label: str, error: Exception) -> str:
    if isinstance(error, pa.ArrowException) or not isinstance(error, OSError):
        reason = " ".join(str(error).split())
        return (
            f"{label}: not a readable table ({reason}); a file is taken for what its ending says: "
            "Parquet, Arrow (a file, not a stream), or else text, such as .csv"
        )
    return cannot_open(label, error)
