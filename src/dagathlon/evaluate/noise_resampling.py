"""Intervals over blocks of a noise study: a network and a seed with all its sizes and codes.

Sizes are prefixes of one sample and noise is added to it, so that only another seed or another
network says something new: these blocks are drawn again with replacement, as in
`dagathlon.evaluate.significance`. An interval is None where fewer than two blocks say anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.evaluate.noise_grid import Case, Row
from dagathlon.evaluate.ranking import Floats

Counts: TypeAlias = npt.NDArray[np.int64]

_SEED = 20210131
LEVEL = 0.95
"""Probability that an interval covers."""


class Resampling(NamedTuple):
    """How often each block counts: first every one once, then as often as it is drawn.

    Parameters
    ----------
    members
        For each block (row), 1 where a data set (column) belongs to it.
    weights
        First a row of ones for the data as they are, then a row for each resample: how often each
        block (column) is in it.
    """

    members: Floats
    weights: Floats

    def means(self, values: Floats) -> Floats:
        """Mean over data sets: first of the data as they are, then of each resample.

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

    def blocks(self, values: Floats) -> Counts:
        """How many blocks have a value."""
        flat = ~np.isnan(values.reshape(len(values), -1))
        counts = (self.members @ flat.astype(np.float64) > 0).sum(axis=0)
        return counts.reshape(values.shape[1:])

    def estimates(self, values: Floats) -> Estimates:
        """Means over data sets with their intervals."""
        return Estimates.of(self.means(values), self.blocks(values))


class Estimates(NamedTuple):
    """Numbers with the ends of their intervals; NaN for what is not there.

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
        """From what `Resampling.means` gives, or what is computed of it row by row."""
        tail = 100 * (1 - LEVEL) / 2
        rest = drawn[1:]
        nothing = np.isnan(drawn[0]) | np.isnan(rest).all(axis=0) | (np.asarray(blocks) < 2)
        found = np.nanpercentile(np.where(nothing, 0.0, rest), [tail, 100 - tail], axis=0)
        return cls(drawn[0], *(np.where(nothing, np.nan, end) for end in found))

    def cells(self, name: str, *place: int) -> Row:
        """Three cells of a table: the value and the ends of its interval."""
        ends = {name: self.value, f"{name}_low": self.low, f"{name}_high": self.high}
        return {label: number(end[place]) for label, end in ends.items()}


def number(value: Any) -> float | None:
    """A cell of a table: None for what is not there."""
    return None if np.isnan(value) else float(value)


def resampling(cases: Sequence[Case], resamples: int) -> Resampling:
    """Blocks of the data sets, drawn again; the same for the same blocks."""
    places = {block: i for i, block in enumerate(dict.fromkeys(map(_block, cases)))}
    members = np.zeros((len(places), len(cases)))
    for j, case in enumerate(cases):
        members[places[_block(case)], j] = 1.0
    n = len(places)
    drawn = np.random.default_rng(_SEED).multinomial(n, np.full(n, 1 / n), resamples)
    return Resampling(members, np.vstack([np.ones(n), drawn.astype(np.float64)]))


def _block(case: Case) -> tuple[object, ...]:
    return case.network, case.seed
