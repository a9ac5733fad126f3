"""`EdgeMeans`: edge probabilities averaged by the sampler, more precise than its saved graphs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon.errors import DataError
from dagathlon.posteriors.packed import Floats

_ROUNDING = 1e-6


class EdgeMeans(NamedTuple):
    """Means of edge probabilities over segments of a chain.

    A sampler of partitions or orders knows the probability of each edge among all graphs of a
    state it visits, and visits more states than it saves. A mean over these estimates the same
    probabilities as the frequencies of edges in the saved graphs, with a smaller error
    (Rao–Blackwellisation). Segments make it possible to leave out a burn-in.

    Attributes
    ----------
    lengths
        Number of saved states in each segment.
    means
        For each segment a matrix, from row to column.
    """

    lengths: Floats
    means: Floats

    @classmethod
    def of(cls, lengths: npt.ArrayLike, means: npt.ArrayLike, p: int) -> EdgeMeans:
        """Make means, checked to be from 0 to 1 for p nodes, over segments of some length."""
        made = cls(np.array(lengths, dtype=np.float64), np.array(means, dtype=np.float64))
        count = len(made.lengths) if made.lengths.ndim == 1 else 0
        if not count or made.means.shape != (count, p, p):
            raise DataError("means of edges are a square matrix for each stretch of a chain")
        if not (np.all(made.lengths >= 0) and made.lengths.sum() > 0):
            raise DataError("stretches of a chain have lengths of at least 0, and not all of 0")
        if not np.all((made.means >= -_ROUNDING) & (made.means <= 1 + _ROUNDING)):
            raise DataError("means of edges are probabilities, from 0 to 1")
        for array in made:
            array.flags.writeable = False
        return made

    @property
    def mean(self) -> Floats:
        """Mean over the whole chain."""
        # Divided last, so that an edge that is always there has a probability of exactly 1.
        mean: Floats = np.tensordot(self.lengths, self.means, axes=1) / self.lengths.sum()
        return mean

    def after(self, burnin: float) -> EdgeMeans:
        """Return the means without the share `burnin` at the start; keep at least one segment."""
        ends = np.cumsum(self.lengths)
        remaining = np.clip(ends - burnin * ends[-1], 0.0, self.lengths)
        if not remaining.sum() > 0:
            remaining[-1] = 1.0
        rows = remaining > 0
        return EdgeMeans.of(remaining[rows], self.means[rows], self.means.shape[1])
