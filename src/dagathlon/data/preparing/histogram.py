"""The histogram of minimum description length: number of intervals and their ends.

Of all histograms whose intervals end between values, the one that minimises the code length of
Kontkanen and Myllymäki (2007): of the values under the fitted histogram, of its parameters (the
normalised maximum likelihood of a multinomial distribution), and of the choice of the cuts.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
MOST_CANDIDATES = 100
# Lengths that differ by less are equal but for rounding: the histogram of fewer intervals is taken.
_SAME = 1e-9


def shortest_histogram(values: Floats, levels: int) -> Floats:
    """Return cuts of the best histogram of 2 to `levels` intervals; none for equal values."""
    values = np.sort(values)
    cuts, below = candidates(values)
    if not len(cuts):
        return cuts
    edges = np.concatenate([values[:1], cuts, values[-1:]])
    counts = np.concatenate([[0], below, [len(values)]]).astype(float)
    costs = _costs(edges, counts)
    lengths, back = _shortest(costs, min(levels, len(costs)))
    penalties = _penalties(len(values), len(lengths), len(cuts))
    total = lengths + penalties
    total[0] = math.inf
    best = int(np.flatnonzero(total <= total.min() + _SAME * abs(total.min()))[0])
    chosen, end = [], len(costs) - 1
    for row in range(best, 0, -1):
        end = int(back[row, end])
        chosen.append(cuts[end])
    return np.array(chosen[::-1])


def candidates(values: Floats) -> tuple[Floats, npt.NDArray[np.intp]]:
    """Return up to 100 candidate cuts of sorted values, and how many values are below each."""
    distinct, counts = np.unique(values, return_counts=True)
    middle = distinct[:-1] / 2 + distinct[1:] / 2
    inside = (middle > distinct[:-1]) & (middle < distinct[1:])
    cuts, below = middle[inside], np.cumsum(counts)[:-1][inside]
    if len(cuts) > MOST_CANDIDATES:
        wanted = np.arange(1, MOST_CANDIDATES + 1) * len(values) / (MOST_CANDIDATES + 1)
        chosen = np.unique(np.searchsorted(below, wanted).clip(max=len(below) - 1))
        cuts, below = cuts[chosen], below[chosen]
    return cuts, below


def _costs(edges: Floats, counts: Floats) -> Floats:
    """Return code lengths of the values between edges i and j + 1, up to a common constant."""
    inside = counts[None, 1:] - counts[:-1, None]
    width = edges[None, 1:] - edges[:-1, None]
    fits = (inside > 0) & (width > 0)
    safe = np.where(fits, inside, 1.0)
    cost = -safe * (np.log(safe / counts[-1]) - np.log(np.where(fits, width, 1.0)))
    return np.where(fits, cost, np.where(width > 0, 0.0, math.inf))


def _shortest(costs: Floats, levels: int) -> tuple[Floats, npt.NDArray[np.intp]]:
    """Return the least cost of 1, 2, … intervals, and where the last interval begins in each."""
    n = len(costs)
    best = costs[0].copy()
    lengths, back = [best[-1]], np.zeros((levels, n), dtype=np.intp)
    for row in range(1, levels):
        # The intervals before end with candidate i, the last one begins with i + 1.
        joined = np.full((n, n), math.inf)
        joined[:-1] = best[:-1, None] + costs[1:]
        joined[np.tril_indices(n, -1)] = math.inf
        np.fill_diagonal(joined, math.inf)
        back[row] = joined.argmin(axis=0)
        best = joined.min(axis=0)
        lengths.append(best[-1])
    return np.array(lengths), back


def _penalties(n: int, levels: int, n_cuts: int) -> Floats:
    """Return the code length of parameters and cuts of histograms with 1, 2, … intervals."""
    regrets = log_regrets(n, levels)
    choices = [
        math.lgamma(n_cuts + 1) - math.lgamma(k) - math.lgamma(n_cuts - k + 2)
        for k in range(1, levels + 1)
    ]
    penalties: Floats = regrets + np.array(choices)
    return penalties


def log_regrets(n: int, levels: int) -> Floats:
    """Return log normalising constants of the multinomial NML for 1, 2, … categories."""
    counts = np.arange(n + 1, dtype=float)
    rest = n - counts
    factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1.0, n + 1)))])
    binomial = factorial[-1] - factorial - factorial[::-1]
    likelihood = counts * np.log(np.maximum(counts, 1) / n) + rest * np.log(np.maximum(rest, 1) / n)
    sums = [1.0, float(np.exp(binomial + likelihood).sum())]
    for k in range(1, levels - 1):
        sums.append(sums[-1] + n / k * sums[-2])
    logs: Floats = np.log(np.array(sums[:levels]))
    return logs
