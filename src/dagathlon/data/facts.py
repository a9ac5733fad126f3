"""What is known of data before they exist, so that wrong pairs are refused before anything runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

DataKind: TypeAlias = Literal["continuous", "discrete", "mixed"]


@dataclass(frozen=True)
class DataFacts:
    """Facts about a data set; None where they are not known in advance."""

    kind: DataKind | None = None
    binary: bool | None = None
    missing: bool | None = None
    interventions: bool = False
    n_rows: int | None = None
    n_columns: int | None = None
