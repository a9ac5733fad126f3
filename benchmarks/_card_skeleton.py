"""PC-stable's skeleton of Gaussian data on a card, by JAX: why `pc` does not offer it.

All sets of a level are numbered; a block of them is unranked, gathered and tested at once for as
many pairs as fit. Pairs that are separated leave before the next block. The result is that of `pc`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.timing import pick

Indices = npt.NDArray[np.int64]
# Tests of a call.
_BLOCK = pick(2**22, 2**13)
_COLLINEAR = 1e-10


@cache
def _kernels() -> tuple[Any, Any]:
    """Compiled: correlations with the pairs that stay, and a block of tests."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)  # type: ignore[no-untyped-call]

    @jax.jit
    def marginal(values: Any, critical: float) -> tuple[Any, Any]:
        centred = values - values.mean(0)
        scaled = centred / jnp.sqrt((centred * centred).sum(0))
        correlation = scaled.T @ scaled
        return correlation, (correlation**2 > critical) & ~jnp.eye(len(correlation), dtype=bool)

    @partial(jax.jit, static_argnames=("order", "width", "halvings"))
    def block(
        level: Any,
        pairs: Any,
        begin: int,
        critical: float,
        *,
        order: int,
        width: int,
        halvings: int,
    ) -> Any:
        correlation, columns, first, choose = level
        x, y, place = (one[:, None] for one in pairs)
        candidates = first[x + 1] - first[x] - 1
        rank = begin + jnp.arange(width)[None, :]
        valid = rank < choose[candidates, order]
        chosen = _unranked(jnp.where(valid, rank, 0), candidates, choose, order, halvings)
        sets = [columns[first[x] + c + (c >= place)] for c in chosen]
        separates = valid & _separates(correlation, x, y, sets, critical)
        found = jnp.argmax(separates, axis=1)
        return jnp.where(separates.any(axis=1), found, -1).astype(jnp.int32)

    return marginal, block


def _unranked(rank: Any, candidates: Any, choose: Any, order: int, halvings: int) -> list[Any]:
    """The sets of these numbers, in the order of the alphabet."""
    import jax.numpy as jnp

    chosen, low = [], jnp.zeros_like(rank)
    for left in range(order, 1, -1):
        before = choose[candidates - low, left]
        least, most = low, jnp.broadcast_to(candidates - left, rank.shape)
        for _ in range(halvings):
            middle = (least + most + 1) // 2
            fits = before - choose[candidates - middle, left] <= rank
            least, most = jnp.where(fits, middle, least), jnp.where(fits, most, middle - 1)
        rank = rank - (before - choose[candidates - least, left])
        chosen.append(least)
        low = least + 1
    return [*chosen, low + rank]


def _separates(correlation: Any, x: Any, y: Any, sets: list[Any], critical: float) -> Any:
    """Whether the partial correlation passes for zero; one more variable is swept out at a time."""
    import jax.numpy as jnp

    with_x, with_y = [correlation[x, s] for s in sets], [correlation[y, s] for s in sets]
    own = [jnp.ones_like(with_x[0]) for _ in sets]
    among = {(a, b): correlation[sets[a], sets[b]] for b in range(len(sets)) for a in range(b)}
    xx, yy, xy = jnp.ones_like(own[0]), jnp.ones_like(own[0]), correlation[x, y]
    for a in range(len(sets)):
        inverse = jnp.where(own[a] > _COLLINEAR, 1 / own[a], 0.0)
        xx = xx - with_x[a] ** 2 * inverse
        yy = yy - with_y[a] ** 2 * inverse
        xy = xy - with_x[a] * with_y[a] * inverse
        for b in range(a + 1, len(sets)):
            slope = among[a, b] * inverse
            with_x[b] = with_x[b] - slope * with_x[a]
            with_y[b] = with_y[b] - slope * with_y[a]
            own[b] = own[b] - slope * among[a, b]
            for c in range(b + 1, len(sets)):
                among[b, c] = among[b, c] - slope * among[a, c]
    return (xx > _COLLINEAR) & (yy > _COLLINEAR) & (xy * xy <= critical * xx * yy)


def skeleton(
    values: npt.NDArray[np.float64], critical: Callable[[int], float], max_order: int
) -> npt.NDArray[np.int32]:
    """The pairs that are adjacent, both ways round, sorted.

    Parameters
    ----------
    values
        The data.
    critical
        For a number of conditioning variables, the largest square of a correlation that passes
        for zero.
    max_order
        The largest set to condition on.
    """
    marginal, _ = _kernels()
    correlation, adjacent = marginal(values, critical(0))
    pairs = np.argwhere(np.asarray(adjacent)).astype(np.int32)
    for order in range(1, max_order + 1):
        degree = np.bincount(pairs[:, 0], minlength=values.shape[1])
        if degree.max(initial=0) <= order:
            break
        gone = _Level(correlation, pairs, degree, order, critical(order)).separated()
        pairs = pairs[~_among(pairs, np.concatenate([gone, gone[:, ::-1]]))]
    return pairs


def _among(pairs: npt.NDArray[np.int32], others: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """Which of the pairs are among the others."""
    if not len(others):
        return np.zeros(len(pairs), dtype=bool)
    mine, theirs = ((p[:, 0].astype(np.int64) << 32) + p[:, 1] for p in (pairs, others))
    theirs.sort()
    return np.asarray(theirs[np.minimum(np.searchsorted(theirs, mine), len(theirs) - 1)] == mine)


class _Level:
    """All tests with sets of one size among the neighbours that the level begins with."""

    def __init__(
        self,
        correlation: Any,
        pairs: npt.NDArray[np.int32],
        degree: Indices,
        order: int,
        critical: float,
    ) -> None:
        largest = int(degree.max())
        first = np.concatenate([[0], np.cumsum(degree)])
        width = 1 << max(largest, 64).bit_length()
        choose = np.array([[math.comb(n, k) for k in range(order + 1)] for n in range(width)])
        columns = np.zeros(1 << (len(pairs) - 1).bit_length(), np.int32)
        columns[: len(pairs)] = pairs[:, 1]
        self._level = (correlation, columns, first, choose)
        self._pairs, self._order, self._critical = pairs, order, critical
        self._place = (np.arange(len(pairs)) - first[pairs[:, 0]]).astype(np.int32)
        self._sets = choose[np.maximum(degree - 1, 0), order][pairs[:, 0]]
        # Even numbers: fewer programs to compile.
        self._halvings = 2 * ((largest.bit_length() + 1) // 2)

    def separated(self) -> npt.NDArray[np.int32]:
        """The pairs that a set separates, sets of the lower end's neighbours first."""
        up = self._pairs[:, 0] < self._pairs[:, 1]
        below = self._tried(np.flatnonzero(up & (self._sets > 0)))
        rest = np.flatnonzero(~up & (self._sets > 0))
        above = self._tried(rest[~_among(self._pairs[rest], self._pairs[below][:, ::-1])])
        return np.asarray(self._pairs[np.concatenate([below, above])])

    def _tried(self, rows: Indices) -> Indices:
        found: list[Indices] = []
        begin, width = 0, 64
        while len(rows):
            hit = self._block(rows, begin, width)
            found.append(rows[hit])
            begin += width
            rows = rows[~hit & (self._sets[rows] > begin)]
            width = 4096
        return np.concatenate(found) if found else rows

    def _block(self, rows: Indices, begin: int, width: int) -> npt.NDArray[np.bool_]:
        _, block = _kernels()
        step = _BLOCK // width
        answers = []
        for at in range(0, len(rows), step):
            part = rows[at : at + step]
            given = np.zeros((3, step), np.int32)
            given[:2, : len(part)], given[2, : len(part)] = self._pairs[part].T, self._place[part]
            answers.append(
                block(
                    self._level,
                    tuple(given),
                    begin,
                    self._critical,
                    order=self._order,
                    width=width,
                    halvings=self._halvings,
                )
            )
        return np.concatenate([np.asarray(a) for a in answers])[: len(rows)] >= 0
