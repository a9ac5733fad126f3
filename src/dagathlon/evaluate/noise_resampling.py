"""Intervals over blocks of a noise study: a network and a seed with all its sizes and codes.

Sizes are prefixes of one sample and noise is added to it, so that only another seed or another
network says something new: these blocks are drawn again with replacement, as in
`dagathlon.evaluate.significance`. An interval is None where fewer than two blocks say anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon.evaluate.noise_grid import Case, Row
from dagathlon.evaluate.ranking import Floats

_SEED = 20210131
LEVEL = 0.95
"""Probability that an interval covers."""


class Resampling(NamedTuple):
    """How often each block is drawn, in each of the resamples.

    Parameters
    ----------
    members
        For each block (row), 1 where a data set (column) belongs to it.
    weights
        For each resample (row), how often each block (column) is in it.
    """

    members: Floats
    weights: Floats

    def means(self, values: Floats) -> Floats:
        """Mean over the data sets of each resample, NaN where it has none.

        Parameters
        ----------
        values
            Data sets along the first axis; NaN where a data set says nothing.
        """
        flat = values.reshape(len(values), -1)
        there = ~np.isnan(flat)
        sums = self.weights @ (self.members @ np.where(there, flat, 0.0))
        counts = self.weights @ (self.members @ there.astype(np.float64))
        found = np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)
        return found.reshape(len(self.weights), *values.shape[1:])

    def blocks(self, values: Floats) -> npt.NDArray[np.int64]:
        """How many blocks have a value."""
        flat = ~np.isnan(values.reshape(len(values), -1))
        counts = (self.members @ flat.astype(np.float64) > 0).sum(axis=0)
        return counts.reshape(values.shape[1:])


def resampling(cases: Sequence[Case], resamples: int) -> Resampling:
    """Blocks of the data sets, drawn again; the same for the same blocks."""
    places = {block: i for i, block in enumerate(dict.fromkeys(map(_block, cases)))}
    members = np.zeros((len(places), len(cases)))
    for j, case in enumerate(cases):
        members[places[_block(case)], j] = 1.0
    n = len(places)
    drawn = np.random.default_rng(_SEED).multinomial(n, np.full(n, 1 / n), resamples)
    return Resampling(members, drawn.astype(np.float64))


def _block(case: Case) -> tuple[object, ...]:
    return case.network, case.seed


def bounds(drawn: Floats, blocks: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Lower and upper end over the first axis; NaN where fewer than two blocks have a value."""
    tail = 100 * (1 - LEVEL) / 2
    nothing = np.isnan(drawn).all(axis=0) | (np.asarray(blocks) < 2)
    found = np.nanpercentile(np.where(nothing, 0.0, drawn), [tail, 100 - tail], axis=0)
    found[:, nothing] = np.nan
    return found[0], found[1]


def number(value: object) -> float | None:
    """A cell of a table: None for what is not there."""
    found = float(value)  # type: ignore[arg-type]
    return None if np.isnan(found) else found


def estimate(name: str, value: float, low: float, high: float) -> Row:
    """Three cells: the value and the ends of its interval."""
    return {name: number(value), f"{name}_low": number(low), f"{name}_high": number(high)}
