"""Strengths and weaknesses of each algorithm in ten categories: Table 12.

Each category is scaled so that the worst algorithm has 0 and the best 1:

ranking
    Average ranks of Tables 8 and 9, each as important as its number of experiments (1 and 15), then
    averaged over the three metrics.
small and large networks, limited and big data
    Means of Table 11 over the three metrics, where an algorithm did not fail. The middle one of
    the sample sizes is limited data for large networks and big data for small ones.
variance
    The variance of Table 11, averaged over the three metrics; little is good. It takes two
    networks or sizes to have one.
resilience
    The combined score of Figure 8 on data with all four kinds of noise over that without any; in a
    study without that code, with all that it has. An algorithm that finished none of the noisy
    data has none.
fitting
    How far the number of learned edges is from that of the truth, relative to the truth.
time
    Mean run time with and without noise, failures charged the limit. That of an algorithm that did
    not run everywhere is compared on the data that it ran on: it counts as so many times slower or
    faster than the mean of those that ran everywhere. The paper has totals, in which an algorithm
    is quick that ran on one small network alone.
reliability
    The share of runs with an error or out of memory; running out of time counts for time.

What a category cannot say of an algorithm is None; the paper prints 0 % there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

import numpy as np

from dagathlon.evaluate.ranking.ranks import Floats
from dagathlon.evaluations.noise.change import accuracy, charged, finished_both, imputed
from dagathlon.evaluations.noise.grid import CLEAN, FAILURES, METRICS, NoiseGrid
from dagathlon.evaluations.noise.ranks import Span, spans, standing
from dagathlon.evaluations.noise.resampling import (
    Counts,
    Estimates,
    Resampling,
    divided,
    known_mean,
)
from dagathlon.frame import Cells

CATEGORIES = (
    *("ranking", "small_networks", "large_networks", "limited_data", "big_data", "variance"),
    *("resilience", "fitting", "time", "reliability"),
)
"""The columns of Table 12 in its order."""
ALL_NOISE = "cMISL"
"""The code of data with all four kinds of noise."""


class Groups(NamedTuple):
    """Networks counted as small or large, and sizes counted as limited or big data.

    Parameters
    ----------
    small, large
        Names of networks; None for those with fewer and with more nodes than the median.
    limited, big
        Numbers of rows; None for those below and above the median, and the median itself for large
        and for small networks.
    """

    small: Collection[str] | None = None
    large: Collection[str] | None = None
    limited: Collection[int] | None = None
    big: Collection[int] | None = None

    def chosen(self, grid: NoiseGrid) -> dict[str, Callable[[str, int], bool]]:
        """Return a predicate on network and number of rows for each category."""
        small, large = self._networks(grid)
        sizes = grid.sizes
        middle = sizes[len(sizes) // 2] if len(sizes) % 2 else None
        half = len(sizes) // 2
        limited = sizes[:half] if self.limited is None else self.limited
        big = sizes[len(sizes) - half :] if self.big is None else self.big
        return {
            "small_networks": lambda network, n: network in small,
            "large_networks": lambda network, n: network in large,
            "limited_data": lambda network, n: (
                n in limited or (self.limited is None and n == middle and network in large)
            ),
            "big_data": lambda network, n: (
                n in big or (self.big is None and n == middle and network in small)
            ),
        }

    def _networks(self, grid: NoiseGrid) -> tuple[Collection[str], Collection[str]]:
        half = len(grid.networks) // 2
        small = grid.networks[:half] if self.small is None else self.small
        large = grid.networks[len(grid.networks) - half :] if self.large is None else self.large
        return small, large


def strength_rows(grid: NoiseGrid, drawn: Resampling, limit: float, groups: Groups) -> list[Cells]:
    """Return Table 12, with intervals."""
    by_category = categories(grid, drawn, limit, groups)
    columns = {
        name: Estimates.of(scaled(column), blocks) for name, (column, blocks) in by_category.items()
    }
    result: list[Cells] = []
    for j, name in enumerate(grid.algorithms):
        row: Cells = {"algorithm": name}
        for category in CATEGORIES:
            row |= columns[category].cells(category, j)
        result.append(row)
    return result


def categories(
    grid: NoiseGrid, drawn: Resampling, limit: float, groups: Groups
) -> dict[str, tuple[Floats, Counts]]:
    """Return a number per category and algorithm, for the data and each resample; more is better.

    With them how many blocks stand behind each.
    """
    blocks = drawn.blocks(np.where(grid.took_part, 1.0, np.nan))
    result = {"ranking": (-_ranking(grid, drawn), blocks)}
    shares = spans(grid, drawn, "all")
    for name, belongs in groups.chosen(grid).items():
        some = [span for span in shares if belongs(span.network, span.n)]
        result[name] = mean_share(some, len(grid.algorithms), drawn), blocks
    result["variance"] = -share_variance(shares, len(grid.algorithms), drawn), blocks
    result["resilience"] = _resilience(grid, drawn), blocks
    result["fitting"] = -drawn.means(np.abs(grid.edge_shares - 1)), blocks
    result["time"] = -_slowness(grid, drawn, limit), blocks
    broken = np.where(grid.took_part, grid.kinds >= list(FAILURES).index("error"), np.nan)
    result["reliability"] = -drawn.means(broken), blocks
    return result


def scaled(values: Floats) -> Floats:
    """Scale each row to 0 for the least and 1 for the most; 1 where all are equal."""
    nobody = np.isnan(values).all(axis=1, keepdims=True)
    filled = np.where(nobody, 0.0, values)
    low, high = (end(filled, axis=1)[:, None] for end in (np.nanmin, np.nanmax))
    width = np.broadcast_to(high - low, values.shape)
    result = np.divide(values - low, width, out=np.ones_like(values), where=width > 1e-12)
    return np.where(np.isnan(values), np.nan, result)


def _ranking(grid: NoiseGrid, drawn: Resampling) -> Floats:
    parts: list[Floats] = []
    noisy = len([code for code in grid.codes if code != CLEAN])
    for metric in METRICS:
        clean, loud = (
            standing(grid, metric, rows, drawn).averages if len(rows) else None
            for rows in (grid.of("N"), grid.of("noisy"))
        )
        parts.append(combined_ranks(clean, loud, noisy))
    result: Floats = np.mean(parts, axis=0)
    return result


def combined_ranks(clean: Floats | None, noisy: Floats | None, codes: int) -> Floats:
    """Return average ranks over all experiments: one without noise, and each code with noise.

    Without experiments of one kind (None) those of the other are all.
    """
    if clean is None or noisy is None:
        result = noisy if clean is None else clean
        assert result is not None
        return result
    return (clean + codes * noisy) / (1 + codes)


def mean_share(some: list[Span], algorithms: int, drawn: Resampling) -> Floats:
    """Return means over cells of Table 11, weighted by how often their network is drawn."""
    return _moments(some, algorithms, drawn)[0]


def share_variance(shares: list[Span], algorithms: int, drawn: Resampling) -> Floats:
    """Return variances over cells of Table 11, averaged over metrics; NaN below two cells."""
    by_metric = [[span for span in shares if span.metric == metric] for metric in METRICS]
    result = []
    for some in by_metric:
        mean, square = _moments(some, algorithms, drawn)
        cells = np.zeros(mean.shape)
        for span in some:
            cells += ~np.isnan(span.shares) & (drawn.often(span.members) > 0)[:, None]
        result.append(np.where(cells > 1, np.maximum(square - mean**2, 0.0), np.nan))
    average: Floats = np.mean(result, axis=0)
    return average


def _moments(some: list[Span], algorithms: int, drawn: Resampling) -> tuple[Floats, Floats]:
    """Return weighted means of shares and of their squares."""
    shape = len(drawn.weights), algorithms
    sums, squares, counts = (np.zeros(shape) for _ in range(3))
    for span in some:
        weight = drawn.often(span.members)[:, None]
        shares = span.shares
        known = ~np.isnan(shares)
        share = np.where(known, shares, 0.0)
        sums += weight * share
        squares += weight * share**2
        counts += weight * known
    return divided(sums, counts), divided(squares, counts)


def _slowness(grid: NoiseGrid, drawn: Resampling, limit: float) -> Floats:
    """Return mean seconds; for missing data sets the relative difficulty for others is assumed.

    NaN of such an algorithm where nobody ran everywhere.
    """
    time = charged(grid, limit)
    ran = ~np.isnan(time)
    everywhere = ran.all(axis=0)
    usual = known_mean(time[:, everywhere], 1)
    on_its_own = drawn.means(np.where(ran, usual[:, None], np.nan))
    harder = divided(drawn.means(usual)[:, None] + np.zeros_like(on_its_own), on_its_own)
    return drawn.means(time) * np.where(everywhere, 1.0, harder)


def _resilience(grid: NoiseGrid, drawn: Resampling) -> Floats:
    """Return the combined score with noise over that without; NaN without such a pair."""
    noisy = [code for code in grid.codes if code != CLEAN]
    codes = [ALL_NOISE] if ALL_NOISE in noisy else noisy
    if not codes or CLEAN not in grid.codes:
        return np.full((len(drawn.weights), len(grid.algorithms)), np.nan)
    score = accuracy(grid)
    above = np.mean([drawn.means(imputed(grid, score, code)) for code in codes], axis=0)
    below = drawn.means(imputed(grid, score, CLEAN))
    seen = np.sum([finished_both(grid, score, code) for code in codes], axis=0) > 0
    return np.where(seen, divided(above, below), np.nan)
