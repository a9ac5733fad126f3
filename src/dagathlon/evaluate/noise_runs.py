"""Every table of a study of noisy data, from its runs.

Definitions are those of the paper; where its words leave open what is meant, they are the reading
that gives its printed numbers. Of several seeds the tables have means, with intervals over blocks
of network and seed (`dagathlon.evaluate.noise_resampling`).

References
----------
Constantinou, Liu, Chobtham, Guo and Kitson 2021, Large-scale empirical validation of Bayesian
network structure learning algorithms with noisy data, International Journal of Approximate
Reasoning 131.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dagathlon.evaluate.noise_grid import NoiseGrid, NoiseRun, Row, Which, noise_grid
from dagathlon.evaluate.noise_ranks import rank_rows, rank_rows_by_code, rank_rows_by_density
from dagathlon.evaluate.noise_relative import extreme_rows, relative_rows, score_rows
from dagathlon.evaluate.noise_resampling import Resampling, resampling

__all__ = ["NoiseRun", "NoiseStudyTables"]


@dataclass(frozen=True)
class NoiseStudyTables:
    """The tables, one method each; every method returns rows as dictionaries.

    A number ``x`` of several data sets comes with the ends of its 95 % interval, ``x_low`` and
    ``x_high``; they are None where only one network and seed stand behind it.

    Parameters
    ----------
    grid
        The runs by data set and algorithm.
    limit
        Seconds that a failed run is charged.
    drawn
        The resamples of which the intervals are made.
    """

    grid: NoiseGrid
    limit: float
    drawn: Resampling

    @classmethod
    def of(cls, runs: Sequence[NoiseRun], limit: float, resamples: int = 1000) -> NoiseStudyTables:
        """Arrange the runs.

        Parameters
        ----------
        runs
            All runs, failed ones included; see `NoiseRun`.
        limit
            Seconds that a failed run is charged in sums of run times.
        resamples
            How often blocks are drawn for the intervals.
        """
        grid = noise_grid(runs)
        return cls(grid, limit, resampling(grid.cases, resamples))

    def ranks(self, noisy: bool = False) -> list[Row]:
        """Average and overall ranks per metric (Tables 8 and 9).

        Columns: metric, algorithm, average, deviation (population), overall, n, failures; with
        noise also change and overall_change against no noise, + being better.
        """
        return rank_rows(self.grid, self.drawn, noisy=noisy)

    def ranks_by_code(self) -> list[Row]:
        """The same for each code by itself (Tables E1 to E3, Figure 4)."""
        return rank_rows_by_code(self.grid, self.drawn)

    def ranks_by_density(self) -> list[Row]:
        """Ranks without noise by network and size (Figures 1 and D1)."""
        return rank_rows_by_density(self.grid)

    def scores(self, code: str = "N") -> list[Row]:
        """Metrics by network, size and algorithm with one kind of noise (Tables D1 to D5, E5)."""
        return score_rows(self.grid, self.drawn, code)

    def extremes(self, which: Which = "all") -> list[Row]:
        """Worst and best mean of an algorithm without failure (Tables 10, D6, E6)."""
        return extreme_rows(self.grid, self.drawn, which)

    def relative(self, which: Which = "all") -> list[Row]:
        """Each algorithm between worst (0) and best (1) (Tables 11, D7, E7)."""
        return relative_rows(self.grid, self.drawn, which)
