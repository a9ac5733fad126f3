"""Redrawing a random graph until no node has too many parents."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.errors import GraphError

Adjacency: TypeAlias = npt.NDArray[np.bool_]

MAX_DRAWS = 10_000


def redraw(draw: Callable[[], Adjacency], max_parents: int | None) -> Adjacency:
    """Draw adjacency matrices until the largest column sum is small enough.

    Parameters
    ----------
    draw
        Draws one matrix, from row to column.
    max_parents
        Largest number of parents (neighbours, in an undirected graph) of a node; None is no limit.
    """
    seen = []
    for _ in range(MAX_DRAWS):
        matrix = draw()
        if max_parents is None:
            return matrix
        seen.append(int(matrix.sum(axis=0).max(initial=0)))
        if seen[-1] <= max_parents:
            return matrix
    raise GraphError(
        f"none of {MAX_DRAWS} random graphs had at most {max_parents} parents at every node (the "
        f"largest number was {min(seen)} at best, {int(np.median(seen))} in the middle); raise "
        "max_parents or lower the number of expected neighbours"
    )
