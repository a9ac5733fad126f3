"""Properties of a data set known at planning time, used to reject unsuitable learners early."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from dagathlon.data.dataset import Dataset

DataKind: TypeAlias = Literal["continuous", "discrete", "mixed"]


@dataclass(frozen=True)
class DataSpec:
    """Properties of a data set; None where they are not known before the data exist."""

    kind: DataKind | None = None
    binary: bool | None = None
    missing: bool | None = None
    interventions: bool = False
    n_rows: int | None = None
    n_columns: int | None = None


def spec_of(data: Dataset) -> DataSpec:
    """Return the properties of an existing data set."""
    kind: DataKind = "mixed" if data.is_mixed else "discrete" if data.is_discrete else "continuous"
    return DataSpec(
        kind=kind,
        binary=data.is_discrete and all(arity <= 2 for arity in data.arities),
        missing=data.has_missing,
        interventions=data.regimes is not None,
        n_rows=data.n_rows,
        n_columns=len(data.variables),
    )


# Former names, which work until 1.0.
DataFacts: TypeAlias = DataSpec
facts_of = spec_of
