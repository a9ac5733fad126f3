"""Small data sets for the conformance suites: ordinary ones and edge cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon.data import Dataset, Variable
from dagathlon.data.spec import DataKind

# Column names as in real tables: space, dot, non-ASCII letter, leading digit.
NAMES = ("a b", "x.1", "é", "2nd", "last")


class AwkwardData(NamedTuple):
    """An edge-case data set with its description."""

    what: str
    data: Dataset


def ordinary(kind: DataKind, n: int = 120, p: int = 5, levels: int = 3) -> Dataset:
    """Return a chain of dependent variables."""
    rng = np.random.default_rng(2023)
    values = rng.normal(size=(n, p))
    for j in range(1, p):
        values[:, j] += 0.8 * values[:, j - 1]
    return of_values(values, kind, levels)


def of_values(values: npt.NDArray[np.float64], kind: DataKind, levels: int = 3) -> Dataset:
    """Return values as continuous, discretised or mixed data; NaN is missing."""
    p = values.shape[1]
    names = [*NAMES[:p], *(f"v{j}" for j in range(len(NAMES), p))]
    cut = [kind == "discrete" or (kind == "mixed" and j % 2 == 1) for j in range(p)]
    texts = tuple(map(str, range(levels)))
    variables = [Variable(n, texts if c else None) for n, c in zip(names, cut, strict=True)]
    missing = np.isnan(values)
    edges = np.linspace(-1, 1, levels + 1)[1:-1]
    codes = np.where(missing, -1, np.digitize(np.where(missing, 0, values), edges))
    return Dataset(
        variables,
        codes=codes[:, cut] if any(cut) else None,
        values=values[:, [not c for c in cut]] if not all(cut) else None,
    )


def intervened(data: Dataset) -> Dataset:
    """Return the data with interventions on the first variable in every other row."""
    rows = np.arange(len(data)) % 2
    codes = data.codes if data.codes.shape[1] else None
    values = data.values if data.values.shape[1] else None
    return Dataset(data.variables, codes, values, ([(), data.names[:1]], rows))


def awkward(kind: DataKind, levels: int) -> Iterator[AwkwardData]:
    """Yield edge-case data sets, which a learner may refuse but must not fail on."""
    values = ordinary("continuous", 60).values
    makers: Sequence[tuple[str, Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]]] = (
        ("1 row", lambda x: x[:1]),
        ("2 rows", lambda x: x[:2]),
        ("2 columns", lambda x: x[:, :2]),
        ("1 column", lambda x: x[:, :1]),
        ("a constant column", lambda x: np.where(np.arange(x.shape[1]) == 1, 0.5, x)),
        ("constant columns only", lambda x: np.full_like(x, 0.5)),
        ("two equal columns", lambda x: x[:, [0, 0, 1, 2]]),
        ("more columns than rows", lambda x: x[:40].reshape(4, 50)),
        ("large numbers", lambda x: 1e9 + 1e6 * x),
    )
    for what, make in makers:
        yield AwkwardData(what, of_values(np.array(make(values)), kind, levels))


def with_missing(kind: DataKind, levels: int) -> Iterator[AwkwardData]:
    """Yield data sets with missing values: some, a whole column, all."""
    values = np.array(ordinary("continuous", 60).values)
    some, column, everything = values.copy(), values.copy(), np.full_like(values, np.nan)
    some[::7, 1] = np.nan
    column[:, 2] = np.nan
    for what, made in (
        ("some missing values", some),
        ("a column without values", column),
        ("no values at all", everything),
    ):
        yield AwkwardData(what, of_values(made, kind, levels))
