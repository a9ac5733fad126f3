"""Search spaces of the samplers: which nodes may be parents of which."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.errors import DataError, GraphError, listing
from dagathlon.graphs import Graph

ArcMatrix = npt.NDArray[np.bool_]
_ARROW, _TAIL = 2, 3
# Largest number of entries of all tables: a gigabyte for each of the two kinds of table.
MAX_ENTRIES = 2**27


def space_of_graph(graph: Graph, names: Sequence[str]) -> ArcMatrix:
    """Return the candidate parents given by a graph's edges, from row to column.

    A directed edge makes its tail a candidate parent of its head; any other edge makes each end
    a candidate parent of the other.
    """
    if set(graph.names) != set(names):
        missing = [name for name in names if name not in graph]
        extra = [name for name in graph.names if name not in set(names)]
        raise GraphError(
            "the start graph and the data have different variables: only in the data: "
            f"{listing(missing)}; only in the graph: {listing(extra)}"
        )
    marks = graph.subgraph(names).marks
    backwards = (marks == _TAIL) & (marks.T == _ARROW)
    space: ArcMatrix = (marks != 0) & ~backwards
    return space


def check_size(candidates: ArcMatrix, plus_one: bool, limit: int, names: Sequence[str]) -> None:
    """Raise an error if a node has too many candidate parents for tables of all subsets."""
    counts = candidates.sum(axis=0)
    remedy = (
        "lower alpha, give a sparser start graph (input_algorithm_id in a study), or raise the hard"
        f" limit (at most {_core.MAX_CANDIDATES})"
    )
    node = int(np.argmax(counts)) if len(counts) else 0
    if len(counts) and counts[node] > limit:
        raise DataError(
            f"the search space gives {names[node]} {counts[node]} candidate parents, more than the "
            f"hard limit of {limit}: {remedy}"
        )
    extras = len(names) - 1 - counts if plus_one else 0 * counts
    entries = int(np.sum(2.0**counts * (1 + extras)))
    if entries > MAX_ENTRIES:
        raise DataError(
            f"the search space has {entries} parent sets, more than the {MAX_ENTRIES} that tables "
            f"can hold: {remedy}, or leave out the extra parent"
        )


def first_order(required: ArcMatrix, preference: Sequence[int]) -> list[int]:
    """Return a topological order of the required arcs that follows a preference otherwise."""
    order: list[int] = []
    remaining = list(preference)
    while remaining:
        node = next(x for x in remaining if not any(required[y, x] for y in remaining))
        order.append(node)
        remaining.remove(node)
    return order


def first_candidates(
    score: _core.Score, forbidden: ArcMatrix, required: ArcMatrix, count: int
) -> ArcMatrix:
    """Return, for each node, `count` candidate parents of largest weight."""
    if count >= len(forbidden) - 1:
        everything: ArcMatrix = ~forbidden | required
        return everything
    chosen: ArcMatrix = _core.candidate_parents(score, forbidden, required, count)
    return chosen
