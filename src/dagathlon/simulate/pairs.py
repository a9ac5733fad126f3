"""Edges as pairs of node numbers: random pairs, random orders, limits on parents."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.errors import GraphError

Pairs: TypeAlias = npt.NDArray[np.int64]
"""One row per edge, each pair of nodes at most once."""

MAX_DRAWS = 10_000


def bernoulli_places(total: int, probability: float, rng: np.random.Generator) -> Pairs:
    """Return the indices of successes in `total` independent Bernoulli trials.

    The gaps between successes are geometric, so that the time depends on the successes alone.
    """
    if probability <= 0 or total <= 0:
        return np.empty(0, dtype=np.int64)
    batches: list[Pairs] = []
    last = -1
    while last < total - 1:
        expected = (total - last) * probability
        gaps = rng.geometric(probability, int(expected + 4 * np.sqrt(expected) + 16))
        # Clip gaps beyond the end, so that the sums do not overflow.
        places = last + np.cumsum(np.minimum(gaps, total + 1))
        batches.append(places)
        last = int(places[-1])
    places = np.concatenate(batches)
    return places[places < total]


def upper_pairs(places: Pairs) -> Pairs:
    """Return the pairs ``i < j`` with these indices in the order (0,1), (0,2), (1,2), (0,3), …."""
    j = ((1 + np.sqrt(1 + 8 * places.astype(np.float64))) / 2).astype(np.int64)
    # The floored root may be off by one next to a whole number.
    j -= j * (j - 1) // 2 > places
    j += (j + 1) * j // 2 <= places
    return np.column_stack((places - j * (j - 1) // 2, j))


def random_pairs(n: int, probability: float, rng: np.random.Generator) -> Pairs:
    """Draw each pair of n nodes independently, the lower node first."""
    return upper_pairs(bernoulli_places(n * (n - 1) // 2, probability, rng))


def number_of_pairs(n: int, count: int, rng: np.random.Generator) -> Pairs:
    """Draw `count` distinct pairs of n nodes, uniformly among all sets of them."""
    total = n * (n - 1) // 2
    return upper_pairs(np.sort(rng.choice(total, count, replace=False)).astype(np.int64))


def shuffled(pairs: Pairs, n: int, rng: np.random.Generator) -> Pairs:
    """Relabel the nodes of edges by a random permutation, keeping the order in each pair."""
    return rng.permutation(n)[pairs]


def acyclic(pairs: Pairs, n: int, rng: np.random.Generator) -> Pairs:
    """Direct edges along a random order of the nodes."""
    return np.sort(shuffled(pairs, n, rng), axis=1)


def redraw(draw: Callable[[], Pairs], n: int, *, directed: bool, max_parents: int | None) -> Pairs:
    """Draw edges repeatedly until no node has more than `max_parents` parents.

    Parameters
    ----------
    draw
        Function that draws the edges, as pairs of nodes.
    n
        Number of nodes.
    directed
        Whether only edges into a node count; otherwise all its edges do.
    max_parents
        Largest number of parents (neighbours, in an undirected graph) of a node; None is no limit.
    """
    seen: list[int] = []
    for _ in range(MAX_DRAWS):
        pairs = draw()
        if max_parents is None:
            return pairs
        ends = pairs[:, 1] if directed else pairs.ravel()
        seen.append(int(np.bincount(ends, minlength=n).max(initial=0)))
        if seen[-1] <= max_parents:
            return pairs
    raise GraphError(
        f"none of {MAX_DRAWS} random graphs (observed rate 0) had at most {max_parents} "
        f"{'parents' if directed else 'neighbours'} at every node; the largest number was "
        f"{min(seen)} at best, {int(np.median(seen))} in the middle; raise max_parents or lower "
        "the number of expected neighbours"
    )
