"""Edge strengths over several graphs, and the averaged graph of strong edges."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon.errors import DataError
from dagathlon.graphs import Graph

_ROUNDING = 1e-9


class EdgeStrengths(NamedTuple):
    """Shares of graphs that contain an edge (Friedman, Goldszmidt and Wyner 1999).

    Parameters
    ----------
    names
        The nodes.
    strength
        Share of the graphs in which two nodes are joined; symmetric.
    direction
        Share of those graphs in which the edge goes from row to column; an undirected edge counts
        half in each direction.
    """

    names: tuple[str, ...]
    strength: npt.NDArray[np.float64]
    direction: npt.NDArray[np.float64]


def optimal_threshold(strength: npt.ArrayLike) -> float:
    """Return the strength above which edges count as significant (Scutari and Nagarajan 2013).

    The distribution F of the strengths of all pairs is compared with that of strengths that are
    all 0 or 1; the share t of zeros with the smallest L1 distance gives the threshold as the
    quantile of t. On [0, 1] the constant nearest to F in L1 is its median there, F(1/2), so the
    threshold is the largest strength below one half. A strength of exactly one half is as near
    either way, and its edge is kept.

    Parameters
    ----------
    strength
        Symmetric matrix of strengths, from 0 to 1.

    Returns
    -------
    float
        The threshold; 0 when all strengths reach one half.

    Raises
    ------
    DataError
        If that is no such matrix.

    Examples
    --------
    >>> import numpy as np
    >>> optimal_threshold(np.array([[0, 0.9, 0.1], [0.9, 0, 0.4], [0.1, 0.4, 0]]))
    0.4
    """
    matrix = np.asarray(strength, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise DataError(f"strengths are a square matrix, found an array of shape {matrix.shape}")
    if not np.allclose(matrix, matrix.T, equal_nan=True):
        raise DataError("strengths are a symmetric matrix, and this one is not")
    values = matrix[np.triu_indices(len(matrix), 1)]
    if not np.all((values > -_ROUNDING) & (values < 1 + _ROUNDING)):
        raise DataError("strengths are from 0 to 1, and some are not")
    return float(np.max(values[values < 0.5], initial=0.0))


def averaged_graph(strengths: EdgeStrengths, threshold: float) -> Graph:
    """Return the edges stronger than a threshold, each in its more frequent direction.

    Edges are added by decreasing strength; an arc that would close a directed cycle is left
    out. An edge that is as frequent in both directions is undirected.

    Parameters
    ----------
    strengths
        The strengths.
    threshold
        Strengths must be greater than this.
    """
    p = len(strengths.names)
    arcs = np.zeros((p, p), dtype=bool)
    reaches = np.eye(p, dtype=bool)
    rows, columns = np.nonzero(np.triu(strengths.strength > threshold, 1))
    order = np.argsort(-strengths.strength[rows, columns], kind="stable")
    undirected = []
    for i, j in zip(rows[order].tolist(), columns[order].tolist(), strict=True):
        lead = strengths.direction[i, j] - strengths.direction[j, i]
        if abs(lead) < 1e-9:
            undirected.append((i, j))
            continue
        a, b = (i, j) if lead > 0 else (j, i)
        if not reaches[b, a]:
            arcs[a, b] = True
            reaches |= np.outer(reaches[:, a], reaches[b])
    for i, j in undirected:
        arcs[i, j] = arcs[j, i] = True
    return Graph.from_adjacency(strengths.names, arcs)
