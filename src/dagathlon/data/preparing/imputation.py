"""Multiple imputation: several completed copies of data with missing values."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.data.dataset import Dataset
from dagathlon.data.variable import Variable
from dagathlon.errors import DataError, unknown

DEFAULT_COPIES = 5
DEFAULT_SWEEPS = 5
ImputationMethod: TypeAlias = Literal[
    "auto", "mice", "pmm", "norm", "cart", "rf", "logreg", "polyreg", "polr"
]
"""Name of an imputation method; see `impute`."""


def impute(
    data: Dataset,
    copies: int = DEFAULT_COPIES,
    *,
    sweeps: int = DEFAULT_SWEEPS,
    method: ImputationMethod = "auto",
    seed: int = 0,
) -> tuple[Dataset, ...]:
    """Fill the gaps several times at random, by chained equations.

    Each copy starts from observed values drawn at random and then passes over the columns, each
    given all others.

    | method | continuous columns | two levels | more levels |
    |---|---|---|---|
    | auto | pmm | cart | cart |
    | mice | pmm | logreg | polyreg; ordinal ones polr |
    | pmm | predictive mean matching | matching of the numbers of levels | likewise |
    | norm | linear regression with normal noise | logreg | polyreg |
    | cart, rf | a tree, a forest | a tree, a forest | a tree, a forest |
    | logreg, polyreg | pmm | logistic regression | multinomial logistic regression |
    | polr | pmm | logreg | proportional odds, in the order of the levels |

    Parameters of regressions are drawn from their posterior and trees are grown on bootstrap
    samples. All filled values were observed somewhere in their column, other than those of norm.

    Parameters
    ----------
    data
        The data.
    copies
        Number of completed data sets.
    sweeps
        Number of passes over the columns.
    method
        How columns are filled, as in the table.
    seed
        Seed of the random draws.
    """
    codes, values = stacked_copies(data, copies, sweeps=sweeps, method=method, seed=seed)
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
    data: Dataset,
    copies: int,
    *,
    sweeps: int = DEFAULT_SWEEPS,
    method: ImputationMethod = "auto",
    seed: int = 0,
) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.float64]]:
    """Return codes and values of the imputed data sets, stacked by rows."""
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
    methods = [method_of(variable, method) for variable in data.variables]
    how = _core.Imputation(copies=copies, sweeps=sweeps, seed=seed, methods=methods)
    return _core.impute(data.codes, list(data.arities), data.values, is_discrete, how)


def method_of(variable: Variable, method: ImputationMethod) -> str:
    """Return a column's imputation method: the given one if it suits the column, else mice's."""
    if method not in get_args(ImputationMethod):
        raise DataError(unknown("method of imputation", method, get_args(ImputationMethod)))
    if method in ("pmm", "cart", "rf"):
        return method
    if not variable.is_discrete:
        return "norm" if method == "norm" else "pmm"
    if method == "auto":
        return "cart"
    # With two levels all three are the logistic regression.
    several = len(variable.levels or ()) > 2
    ordinal = method == "polr" or (method == "mice" and variable.ordered)
    return "polr" if ordinal and several else "polyreg"
