"""Discretisation of continuous columns.

A column is cut at numbers between its values: the level of a value is the number of cuts that are
not above it. Equal values always get the same level, missing values stay missing, and empty levels
are not made, so that there may be fewer than requested.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from dagathlon.data.dataset import Dataset
from dagathlon.data.preparing.hartemink import hartemink_cuts
from dagathlon.data.variable import Variable
from dagathlon.errors import DataError, listing, unknown

Floats: TypeAlias = npt.NDArray[np.float64]
Method: TypeAlias = Literal["equal_width", "equal_frequency", "hartemink", "mdl"]
DEFAULT_LEVELS = 3
DEFAULT_INITIAL = 20
MOST_CANDIDATES = 100
# Lengths that differ by less are equal but for rounding: the histogram of fewer intervals is taken.
_SAME = 1e-9


def discretize(
    data: Dataset,
    method: Method = "equal_frequency",
    *,
    levels: int = DEFAULT_LEVELS,
    columns: Sequence[str] | None = None,
    initial: int = DEFAULT_INITIAL,
) -> Dataset:
    """Return the data with continuous columns as ordered levels, labelled by their intervals.

    Parameters
    ----------
    data
        The data.
    method
        ``equal_width``: intervals of the same width from the least to the greatest value.
        ``equal_frequency``: as many values in each level as can be without parting equal ones; a
        cut lies where the number of values below it is nearest to the wanted one, and lower of two
        places that are as near. ``hartemink``: `initial` levels of equal frequency, of which
        neighbours are joined, column after column, those whose union loses least of the mutual
        information with all other columns (Hartemink 2001). ``mdl``: the histogram with the
        shortest description, of 2 to `levels` intervals (Kontkanen and Myllymäki 2007).
    levels
        Number of levels, at most.
    columns
        Names of columns; by default all that are continuous.
    initial
        Number of levels with which ``hartemink`` begins.

    Examples
    --------
    >>> discretize(data, "hartemink", levels=3)  # doctest: +SKIP
    """
    if method not in get_args(Method):
        raise DataError(unknown("way to discretize", method, get_args(Method)))
    if levels < 2 or initial < levels:
        raise DataError(f"found {levels} of {initial} levels; a column is cut into at least 2")
    chosen = continuous_columns(data, columns, "is cut into levels")
    if method == "hartemink":
        cuts = hartemink_cuts(data, chosen, levels, initial, equal_frequency)
    else:
        cuts_of = _METHODS[method]
        cuts = {name: cuts_of(_values(data, name), levels) for name in chosen}
    return cut(data, cuts)


def continuous_columns(data: Dataset, columns: Sequence[str] | None, does: str) -> list[str]:
    """Return the named columns, or all continuous ones; refuse discrete and empty columns."""
    known = {variable.name: variable for variable in data.variables}
    if columns is None:
        chosen = [name for name, variable in known.items() if not variable.is_discrete]
    else:
        chosen = [data.names[data.position(name)] for name in columns]
    discrete = [name for name in chosen if known[name].is_discrete]
    if discrete:
        raise DataError(f"column {discrete[0]!r} has levels already; a continuous one {does}")
    empty = [name for name in chosen if np.isnan(data.column(name)).all()]
    if empty:
        raise DataError(f"columns without any value: {listing(map(repr, empty))}; drop them")
    return chosen


def cut(data: Dataset, cuts: Mapping[str, Floats]) -> Dataset:
    """Return the data with some continuous columns cut at the given ascending numbers."""
    variables, codes, values = [], [], []
    for variable in data.variables:
        column = data.column(variable.name)
        if variable.name in cuts:
            level_codes, intervals = _levels(column, cuts[variable.name])
            variables.append(Variable(variable.name, intervals, ordered=True))
            codes.append(level_codes)
            continue
        variables.append(variable)
        if variable.is_discrete:
            codes.append(np.where(column == data.missing_code, -1, column.astype(np.int64)))
        else:
            values.append(column)
    n = len(data)
    return Dataset(
        variables,
        np.column_stack(codes) if codes else np.empty((n, 0), dtype=np.int64),
        np.column_stack(values) if values else np.empty((n, 0)),
        data.regimes,
    )


def _levels(column: Floats, cuts: Floats) -> tuple[npt.NDArray[np.int64], tuple[str, ...]]:
    """Return codes of the levels that occur, and the labels of their intervals."""
    present = ~np.isnan(column)
    raw = np.searchsorted(cuts, column, side="right")
    occurring = np.unique(raw[present])
    cuts_between = cuts[occurring[1:] - 1]  # a level that is left out goes to the one below it
    codes = np.where(present, np.searchsorted(cuts_between, column, side="right"), -1)
    return codes.astype(np.int64), intervals_of(cuts_between)


def intervals_of(cuts: Floats) -> tuple[str, ...]:
    """Return labels such as ``<0.5``, ``0.5:2`` (which contains 0.5) and ``>=2``."""
    digits = next((d for d in range(4, 17) if len({f"{c:.{d}g}" for c in cuts}) == len(cuts)), 17)
    words = [f"{number:.{digits}g}" for number in cuts]
    if not words:
        return ("all",)
    between = [f"{low}:{high}" for low, high in pairwise(words)]
    return (f"<{words[0]}", *between, f">={words[-1]}")


def equal_width(values: Floats, levels: int) -> Floats:
    """Return cuts that divide the range into intervals of equal width."""
    low, high = float(values.min()), float(values.max())
    steps = np.arange(1, levels) / levels
    cuts: Floats = np.unique(low * (1 - steps) + high * steps)
    return cuts[(cuts > low) & (cuts <= high)]


def equal_frequency(values: Floats, levels: int) -> Floats:
    """Return cuts that divide the values into groups of sizes as equal as ties allow."""
    distinct, counts = np.unique(values, return_counts=True)
    below = np.cumsum(counts)[:-1]
    if not len(below):
        return np.empty(0)
    wanted = np.arange(1, levels) * len(values)
    distance = np.abs(below[None, :] * levels - wanted[:, None])
    places = np.unique(distance.argmin(axis=1))
    return between(distinct[places], distinct[places + 1])


def between(low: Floats, high: Floats) -> Floats:
    """Return numbers that separate neighbours: above the lower and at most the higher one."""
    middle = low / 2 + high / 2
    return np.where((middle > low) & (middle <= high), middle, high)


def _values(data: Dataset, name: str) -> Floats:
    column = data.column(name)
    return np.asarray(column[~np.isnan(column)])


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


_METHODS: Mapping[str, Callable[[Floats, int], Floats]] = {
    "equal_width": equal_width,
    "equal_frequency": equal_frequency,
    "mdl": shortest_histogram,
}
