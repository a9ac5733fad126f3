"""Multiple imputation: several completed copies of data with missing values."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.data.dataset import Dataset
from dagathlon.errors import DataError

DEFAULT_COPIES = 5
DEFAULT_SWEEPS = 5


def impute(
    data: Dataset, copies: int = DEFAULT_COPIES, *, sweeps: int = DEFAULT_SWEEPS, seed: int = 0
) -> tuple[Dataset, ...]:
    """Fill the gaps several times at random, by chained equations.

    Each copy starts from observed values drawn at random and then passes over the columns, each
    given all others: a continuous one by predictive mean matching, a discrete one by a
    classification tree. All filled values were observed somewhere in their column.

    Parameters
    ----------
    data
        The data.
    copies
        Number of completed data sets.
    sweeps
        Number of passes over the columns.
    seed
        Seed of the random draws.
    """
    codes, values = stacked_copies(data, copies, sweeps=sweeps, seed=seed)
    n = len(data)
    return tuple(
        Dataset(
            data.variables,
            codes=codes[k * n : (k + 1) * n],
            values=values[k * n : (k + 1) * n],
            regimes=data.regimes,
        )
        for k in range(copies)
    )


def stacked_copies(
    data: Dataset, copies: int, *, sweeps: int = DEFAULT_SWEEPS, seed: int = 0
) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.float64]]:
    """Codes and values of the completed data sets, one below the other."""
    if copies < 1:
        raise DataError(f"imputation makes at least one copy of the data, found {copies}")
    if data.missing is not None:
        empty = data.missing.all(axis=0)
        if empty.any():
            name = data.names[int(np.argmax(empty))]
            raise DataError(
                f"variable {name!r} has no value at all, so that none can be imputed; leave it out"
            )
    is_discrete = [variable.is_discrete for variable in data.variables]
    how = _core.Imputation(copies=copies, sweeps=sweeps, seed=seed)
    return _core.impute(data.codes, list(data.arities), data.values, is_discrete, how)
