"""Where algorithms agree: how many of them join two variables, and in which direction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon.graphs import Graph, Mark


class EdgeAgreement(NamedTuple):
    """What the algorithms say about one pair of variables.

    Parameters
    ----------
    left, right
        The two variables.
    support
        Share of the algorithms that join them; an algorithm with several graphs counts by the
        share of its graphs.
    forward, backward
        Share that has left → right, and left ← right.
    by
        Share of the graphs of each algorithm that join them.
    """

    left: str
    right: str
    support: float
    forward: float
    backward: float
    by: Mapping[str, float]


def edge_agreement(graphs: Mapping[str, Sequence[Graph]]) -> list[EdgeAgreement]:
    """All pairs that some algorithm joins, those with most support first.

    Parameters
    ----------
    graphs
        The graphs of each algorithm, all over the same nodes.
    """
    names = [name for name, found in graphs.items() if found]
    if not names:
        return []
    nodes = graphs[names[0]][0].names
    shares = {name: _shares(graphs[name], nodes) for name in names}
    joined, forward = (np.mean([share[k] for share in shares.values()], axis=0) for k in range(2))
    result = [
        EdgeAgreement(
            nodes[i],
            nodes[j],
            float(joined[i, j]),
            float(forward[i, j]),
            float(forward[j, i]),
            {name: float(share[0][i, j]) for name, share in shares.items()},
        )
        for i, j in np.argwhere(np.triu(joined))
    ]
    return sorted(result, key=lambda edge: -edge.support)


def _shares(
    graphs: Sequence[Graph], nodes: Sequence[str]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Share of the graphs that join two nodes, and that direct them from row to column."""
    marks = np.stack([graph.subgraph(nodes).marks for graph in graphs])
    directed = (marks == Mark.ARROW) & (marks.transpose(0, 2, 1) != Mark.ARROW)
    return (marks != 0).mean(axis=0), directed.mean(axis=0)


def skeleton_overlap(graphs: Mapping[str, Sequence[Graph]]) -> list[dict[str, str | float]]:
    """How alike the skeletons of any two algorithms are: shared edges among all edges of the two.

    Parameters
    ----------
    graphs
        The graphs of each algorithm, all over the same nodes. An algorithm with several graphs
        stands for the shares of its graphs that have each edge.

    Returns
    -------
    list of dict
        `left`, `right` and `overlap`, from 0 to 1, for all ordered pairs.
    """
    names = [name for name, found in graphs.items() if found]
    if not names:
        return []
    nodes = graphs[names[0]][0].names
    shares = {name: _shares(graphs[name], nodes)[0] for name in names}
    result: list[dict[str, str | float]] = []
    for left in names:
        for right in names:
            both = float(np.minimum(shares[left], shares[right]).sum())
            either = float(np.maximum(shares[left], shares[right]).sum())
            overlap = both / either if either else 1.0
            result.append({"left": left, "right": right, "overlap": overlap})
    return result
