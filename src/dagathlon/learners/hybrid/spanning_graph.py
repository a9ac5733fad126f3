"""The extended maximum spanning graph of pairwise associations, as in SaiyanH."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.pulse import beat

Weights: TypeAlias = npt.NDArray[np.float64]
Pairs: TypeAlias = npt.NDArray[np.bool_]


def spanning_graph(association: Weights) -> Pairs:
    """Return all pairs except those that a third variable explains.

    From the weakest pair on, an edge is removed if its ends have a common neighbour that is
    more strongly associated with both of them. The graph stays connected and has no triangle,
    except with equal associations.
    """
    joined = ~np.eye(len(association), dtype=bool)
    for i, j in weakest_first(association):
        beat()
        stronger = (association[i] > association[i, j]) & (association[j] > association[i, j])
        if np.any(stronger & joined[i] & joined[j]):
            joined[i, j] = joined[j, i] = False
    return joined


def without_weak(edges: Pairs, association: Weights, threshold: float) -> Pairs:
    """Remove edges below a threshold, except those needed to keep the graph connected."""
    result = edges & (association >= threshold)
    for a, b in joining_pairs(result, np.where(edges, association, -np.inf)):
        result[a, b] = result[b, a] = True
    return result


def joining_pairs(edges: Pairs, association: Weights) -> Iterator[tuple[int, int]]:
    """Yield pairs that would connect components, the strongest first, until there is one.

    Pairs of association minus infinity are omitted.
    """
    part = _parts(edges)
    for i, j in reversed(weakest_first(association)):
        if part[i] != part[j] and association[i, j] > -np.inf:
            part[part == part[j]] = part[i]
            yield i, j


def weakest_first(association: Weights) -> list[tuple[int, int]]:
    """Return all pairs by increasing association; ties by the order of the columns."""
    rows, columns = np.triu_indices(len(association), 1)
    order = np.argsort(association[rows, columns], kind="stable")
    return list(zip(rows[order].tolist(), columns[order].tolist(), strict=True))


def _parts(edges: Pairs) -> npt.NDArray[np.int64]:
    """Return the number of each node's connected component."""
    part = np.full(len(edges), -1)
    for root in range(len(edges)):
        waiting = [root] if part[root] < 0 else []
        while waiting:
            node = waiting.pop()
            if part[node] < 0:
                part[node] = root
                waiting.extend(np.flatnonzero(edges[node]).tolist())
    return part
