"""Intervals over blocks of a noise study: a network and a seed with all its sizes and codes.

Sizes are prefixes of one sample and noise is added to it, so that only another seed or another
network says something new. Blocks are drawn again with replacement, in one of two ways:

``networks``
    Networks first, then as many seeds as each has for every time that it is drawn: what another
    choice of networks like these, and samples of them, might have given. Seeds of one network are
    alike, so that many of them do not stand for further networks. Of few networks such intervals
    are somewhat too narrow: of six they cover 88 % where they should 95.
``seeds``
    Within each network: what fresh samples of the same networks might have given. With few seeds
    such intervals are somewhat too narrow.

An interval is None where fewer than two blocks, of one network with ``seeds``, say anything. What
one network alone says varies with its seeds only, in both ways.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.errors import DagathlonError
from dagathlon.evaluate.ranking.ranks import Floats
from dagathlon.evaluations.noise.grid import Case
from dagathlon.frame import Cells

Counts: TypeAlias = npt.NDArray[np.int64]
Over: TypeAlias = Literal["networks", "seeds"]

_SEED = 20210131
LEVEL = 0.95
"""Probability that an interval covers."""


class Resampling(NamedTuple):
    """Bootstrap weights of blocks: the data themselves first, then each resample.

    Parameters
    ----------
    block
        The block of each data set.
    stratum
        The group of each block within which it is drawn.
    weights
        First a row of ones for the data as they are, then a row for each resample: how often each
        block (column) is in it.
    """

    block: npt.NDArray[np.intp]
    stratum: npt.NDArray[np.intp]
    weights: Floats

    def means(self, values: Floats) -> Floats:
        """Return means over data sets: of the data, then of each resample.

        Parameters
        ----------
        values
            Data sets along the first axis; NaN where a data set says nothing.
        """
        sums, counts = (self._drawn(part) for part in self._by_block(values))
        return divided(sums, counts).reshape(len(self.weights), *values.shape[1:])

    def blocks(self, values: Floats) -> Counts:
        """Return the number of blocks with a value, in the largest stratum."""
        present = self._by_block(values)[1] > 0
        counts = np.zeros((self.stratum.max(initial=0) + 1, present.shape[1]), dtype=np.int64)
        np.add.at(counts, self.stratum, present)
        most: Counts = counts.max(axis=0).reshape(values.shape[1:])
        return most

    def _by_block(self, values: Floats) -> tuple[Floats, Floats]:
        """Return sum and number of values by block (row)."""
        flat = values.reshape(len(values), -1)
        known = ~np.isnan(flat)
        rows = np.flatnonzero(known.any(axis=1))
        sums, counts = (np.zeros((self.weights.shape[1], flat.shape[1])) for _ in range(2))
        np.add.at(sums, self.block[rows], np.where(known[rows], flat[rows], 0.0))
        np.add.at(counts, self.block[rows], known[rows])
        return sums, counts

    def _drawn(self, by_block: Floats) -> Floats:
        """Return weighted sums over blocks, without the thread overhead of BLAS."""
        some = np.flatnonzero(by_block.any(axis=1))
        result: Floats = np.einsum("rb,bk->rk", self.weights[:, some], by_block[some])
        return result

    @property
    def most(self) -> int:
        """Return the number of blocks in the largest stratum."""
        return int(np.bincount(self.stratum).max(initial=0))

    def often(self, rows: Sequence[int]) -> Floats:
        """Count the blocks of some data sets in the data and in each resample."""
        result: Floats = self.weights[:, np.unique(self.block[rows])].sum(axis=1)
        return result

    def estimates(self, values: Floats) -> Estimates:
        """Return means over data sets with their intervals."""
        return Estimates.of(self.means(values), self.blocks(values))


class Estimates(NamedTuple):
    """Numbers with the ends of their intervals; NaN for missing ones.

    Parameters
    ----------
    value
        Of the data as they are.
    low, high
        Percentiles over resamples; NaN where fewer than two blocks have a value.
    """

    value: Floats
    low: Floats
    high: Floats

    @classmethod
    def of(cls, drawn: Floats, blocks: npt.ArrayLike) -> Estimates:
        """Compute estimates from values of the data and of each resample."""
        nothing = np.isnan(drawn[0]) | (np.asarray(blocks) < 2)
        tail = (1 - LEVEL) / 2
        ordered = np.sort(drawn[1:], axis=0)
        ends = (_quantile(ordered, share) for share in (tail, 1 - tail))
        return cls(drawn[0], *(np.where(nothing, np.nan, end) for end in ends))

    def cells(self, name: str, *place: int) -> Cells:
        """Return three cells of a table: the value and the ends of its interval."""
        ends = {name: self.value, f"{name}_low": self.low, f"{name}_high": self.high}
        return {label: number(end[place]) for label, end in ends.items()}


def _quantile(ordered: Floats, share: float) -> Floats:
    """Return a quantile along the first axis of sorted numbers, ignoring NaN at the end.

    NumPy's own takes columns one by one where there are NaN.
    """
    last = np.maximum((~np.isnan(ordered)).sum(axis=0) - 1, 0)
    place = share * last
    below = np.floor(place).astype(np.intp)
    above = np.minimum(below + 1, last)
    low, high = (np.take_along_axis(ordered, at[None], axis=0)[0] for at in (below, above))
    result: Floats = low + (high - low) * (place - below)
    return result


def known_mean(values: Floats, axis: int) -> Floats:
    """Return the mean of non-NaN values along an axis; NaN without any, and no warning."""
    known = ~np.isnan(values)
    count = np.asarray(known.sum(axis=axis), dtype=np.float64)
    sums: Floats = np.where(known, values, 0.0).sum(axis=axis)
    return divided(sums, count)


def divided(above: Floats, below: Floats) -> Floats:
    """Return the quotient; NaN where the divisor is not positive."""
    result: Floats = np.divide(above, below, out=np.full_like(below, np.nan), where=below > 0)
    return result


def number(value: Any) -> float | None:
    """Convert a float to a table cell: NaN becomes None."""
    return None if np.isnan(value) else float(value)


def resampling(cases: Sequence[Case], resamples: int, over: Over = "networks") -> Resampling:
    """Draw the blocks of the data sets with replacement, reproducibly for the same blocks.

    Parameters
    ----------
    cases
        The data sets.
    resamples
        How often blocks are drawn.
    over
        Networks and then seeds within them (``networks``), or seeds within each network
        (``seeds``).
    """
    if over not in ("networks", "seeds"):
        raise DagathlonError(f"over is 'networks' or 'seeds', found {over!r}")
    places = {block: i for i, block in enumerate(dict.fromkeys(map(_block, cases)))}
    names = {name: i for i, name in enumerate(dict.fromkeys(name for name, _ in places))}
    block = np.array([places[_block(case)] for case in cases], dtype=np.intp)
    network = np.array([names[name] for name, _ in places], dtype=np.intp)
    random = np.random.default_rng(_SEED)
    often = np.ones((resamples, len(names)), dtype=np.int64)
    if over == "networks":
        often = random.multinomial(len(names), np.full(len(names), 1 / len(names)), resamples)
    weights = np.ones((resamples + 1, len(places)))
    for k in range(len(names)):
        members = np.flatnonzero(network == k)
        n = len(members)
        weights[1:, members] = random.multinomial(n * often[:, k], np.full(n, 1 / n))
    stratum = network if over == "seeds" else np.zeros_like(network)
    return Resampling(block, stratum, weights)


def usual_over(cases: Iterable[Case]) -> Over:
    """Return the default blocks: seeds if every network has several, else networks."""
    seeds: dict[str, set[Any]] = {}
    for network, seed in map(_block, cases):
        seeds.setdefault(network, set()).add(seed)
    return "seeds" if min(map(len, seeds.values()), default=0) > 1 else "networks"


def _block(case: Case) -> tuple[str, Any]:
    return case.network, case.seed
