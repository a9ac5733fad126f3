"""What is known of data before they exist, so that wrong pairs are refused before anything runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from dagathlon.data.dataset import Dataset

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


def facts_of(data: Dataset) -> DataFacts:
    """The facts of data that exist."""
    kind: DataKind = "mixed" if data.is_mixed else "discrete" if data.is_discrete else "continuous"
    return DataFacts(
        kind=kind,
        binary=data.is_discrete and all(arity <= 2 for arity in data.arities),
        missing=data.has_missing,
        interventions=data.regimes is not None,
        n_rows=data.n_rows,
        n_columns=len(data.variables),
    )
