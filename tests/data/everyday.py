"""A small table of numbers, words and whole numbers, and checks of how it was read."""

from __future__ import annotations

import warnings
from pathlib import Path

import pandas as pd
import pytest

from dagathlon.data import Dataset, read_data
from dagathlon.errors import DataWarning

FRAME = pd.DataFrame(
    {"größe": [1.5, 2.5, 0.25, 4.0], "ort": ["Köln", "Genève", "Köln", "Nîmes"], "n": [7, 1, 2, 30]}
)


def check(data: Dataset) -> None:
    """Check that the data are those of the frame."""
    assert data.names == ("größe", "ort", "n")
    assert data.column("größe").tolist() == [1.5, 2.5, 0.25, 4.0]
    levels = data.variables[1].levels
    assert levels is not None
    assert [levels[code] for code in data.column("ort")] == ["Köln", "Genève", "Köln", "Nîmes"]
    assert data.column("n").tolist() == [7, 1, 2, 30]


def noted(file: Path, match: str, **said: object) -> Dataset:
    with pytest.warns(DataWarning, match=match):
        return read_data(file, **said)  # type: ignore[arg-type]


def quiet(file: Path, **said: object) -> Dataset:
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        return read_data(file, **said)  # type: ignore[arg-type]
