"""An order of the columns that is independent of their order in the data."""

from __future__ import annotations

import numpy as np

from dagathlon.data import Dataset


def stable_order(data: Dataset) -> list[str]:
    """Return the column names in an order that depends on names and values alone.

    Greedy searches break ties by the order of the columns, which is arbitrary (Kitson and
    Constantinou 2024). Here the most informative columns come first: by decreasing entropy of a
    discrete column or variance of a continuous one, then by name.
    """
    return sorted(data.names, key=lambda name: (-_information(data, name), name))


def _information(data: Dataset, name: str) -> float:
    column = data.column(name)
    if column.dtype.kind == "f":
        return float(np.var(column))
    shares = np.sort(np.bincount(column)) / len(column)
    shares = shares[shares > 0]
    return float(-(shares * np.log(shares)).sum())
