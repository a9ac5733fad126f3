"""Number of variables that can be conditioned on before the rows run out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dagathlon.data import Dataset, Variable

ROWS_PER_CELL = 5
"""Rows per cell that a contingency table needs on average."""


def order_of_tables(data: Dataset) -> int:
    """Return the largest number of given variables for which some table has enough rows per cell.

    This is the table of the variables with the fewest levels. A continuous variable counts as
    one of two levels.

    Examples
    --------
    >>> from dagathlon.data import Dataset, Variable
    >>> coins = [Variable(name, ("heads", "tails")) for name in "ABCDEF"]
    >>> order_of_tables(Dataset(coins, codes=[[0] * 6] * 200))
    3
    """
    cells, order = 1, -2
    for levels in sorted(_levels(variable) for variable in data.variables):
        cells *= levels
        if cells * ROWS_PER_CELL > len(data):
            break
        order += 1
    return max(order, 0)


def _levels(variable: Variable) -> int:
    return max(variable.arity, 2) if variable.is_discrete else 2


def order_of_columns(data: Dataset) -> int:
    """Return the largest number of given columns that leaves a residual degree of freedom."""
    return max(len(data) - 3, 0)
