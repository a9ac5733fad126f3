"""Second moments of data, which suffice for linear Gaussian likelihoods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon.errors import DataError
from dagathlon.posteriors.regressions import moments_of

if TYPE_CHECKING:
    from dagathlon.data import Dataset

Floats = npt.NDArray[np.float64]


class Moments(NamedTuple):
    """Sums over the rows in which a node was not intervened on, for each node.

    Parameters
    ----------
    gram
        Sums of products of columns, of shape (nodes, p, p); the first axis is the node whose rows
        were counted.
    counts
        Number of rows of each node.
    """

    gram: Floats
    counts: Floats


def moments(data: Dataset, *, centre: bool) -> Moments:
    """Return the second moments of each node's observational rows, with 64 bits.

    Parameters
    ----------
    data
        Continuous data.
    centre
        Whether the means of these rows are subtracted first; otherwise the model has means of zero.
    """
    summed = moments_of(data, centred=centre)
    return Moments(summed.sums[summed.of_node], summed.rows[summed.of_node])


def stacked(each: Sequence[Moments]) -> Moments:
    """Stack the moments of several data sets of equally many columns along a new axis."""
    return Moments(*(np.stack(parts) for parts in zip(*each, strict=True)))


def refuse_degenerate(data: Dataset, name: str) -> None:
    """Raise an error if a Gaussian model of these data is degenerate."""
    if len(data) < 2:
        raise DataError(f"{name} needs at least 2 rows of data, found {len(data)}")
    values = data.values
    constant = np.flatnonzero(values.max(axis=0) == values.min(axis=0))
    if constant.size:
        column = data.names[int(constant[0])]
        raise DataError(f"{name}: column {column} is constant; leave it out")
